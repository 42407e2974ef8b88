#pragma once
// InterfaceTable: the interfaces of this process that accept messages, by the number that messages
// carry.
//
// A plain struct, owned by the Endpoint; borrows the interfaces. Guarded by the process' lock.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/process_lock.h"
#include "portals/engine/interface/network_interface.h"
#include "portals/engine/values/interface_kind.h"

namespace lintel::portals {

struct InterfaceTable {
  struct Row {
    NetworkInterface* interface = nullptr;
    bool closing = false;  // requests for it are refused as if it did not exist
  };
  std::array<Row, kMaxInterfaces> rows{};

  NetworkInterface* get(std::uint8_t kind) const LINTEL_REQUIRES(kLock) {
    return rows[kind].interface;
  }
  // The interface that accepts requests of that number, or null.
  NetworkInterface* taking_requests(std::uint8_t kind) const LINTEL_REQUIRES(kLock) {
    return rows[kind].closing ? nullptr : rows[kind].interface;
  }
  template <class Visit>
  void for_each(Visit&& visit) const LINTEL_REQUIRES(kLock) {
    for (const Row& row : rows) {
      if (row.interface != nullptr) visit(*row.interface);
    }
  }
  // Counts a message that is for no interface of this process on the first interface, so that it is
  // not lost silently.
  void drop_foreign(DropCause cause, std::uint64_t bytes) const LINTEL_REQUIRES(kLock) {
    for (const Row& row : rows) {
      if (row.interface == nullptr) continue;
      row.interface->registers.drop(cause, bytes);
      return;
    }
  }
};

}  // namespace lintel::portals
