#pragma once
// ConnectionRecords: the records of connections, each of which serves one connection after the
// other.
//
// A member of DirectTables; guarded by its owner's lock. Owns the records, which never move.
// Invariant: a record that was retired is spare only after recycle(): events that the kernel has
// reported may still name it.

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "transport/direct/connection.h"
#include "transport/direct/reserved_list.h"

namespace lintel::transport {

class ConnectionRecords {
 public:
  // There is a record that no connection uses. make_room_elsewhere(records) is called before
  // one is made, with their number then. False: there is no memory for one.
  template <class MakeRoom>
  bool has_spare(const InboundStream::PieceLimits& limits, MakeRoom make_room_elsewhere) {
    if (!spare_.empty()) return true;
    const std::size_t records = all_.size() + 1;
    try {
      spare_.reserve(records);
      retired_.reserve(records);
      make_room_elsewhere(records);
      all_.push_back(std::make_unique<DirectConnection>(limits));
    } catch (const std::bad_alloc&) {
      return false;
    }
    spare_.add(all_.back().get());
    return true;
  }
  // REQUIRES: has_spare().
  DirectConnection& take_spare() { return *spare_.take_last(); }
  // Its connection has ended.
  void retire(DirectConnection& connection) { retired_.add(&connection); }
  // No event names the retired ones any more.
  void recycle() {
    if (retired_.empty()) return;
    for (DirectConnection* const connection : retired_) {
      connection->stream.reset();
      spare_.add(connection);
    }
    retired_.clear();
  }
  // In use or not.
  std::span<const std::unique_ptr<DirectConnection>> all() const { return all_; }

 private:
  std::vector<std::unique_ptr<DirectConnection>> all_;
  ReservedList<DirectConnection*> spare_;
  ReservedList<DirectConnection*> retired_;
};

}  // namespace lintel::transport
