#pragma once
// OperationTable: the record of everything that was handed to the provider and has not come back.
// The provider's op_context points at a record.
//
// Owned by FabricTransport; under its owner's lock.
// Invariants: (1) records never move and live as long as the table, so a pointer that a provider
// kept stays valid;
//             (2) a pointer that is not one of ours is recognised by find() and never followed;
//             (3) free records are reused last in, first out: what was used last is in the cache.
// Does not: allocate after construction, or talk to the provider.

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/transport.h"

namespace lintel::transport {

enum class OperationKind : std::uint8_t { kReceive, kSend, kWrite, kLanding };
inline constexpr std::size_t kOperationKinds = 4;

enum class OperationState : std::uint8_t {
  kFree,
  kLent,      // a send frame that the caller is filling
  kInFlight,  // the provider has it
};

struct Operation {
  fi_context2 provider_room{};  // first member: the provider may write here while it has the
                                // operation (FI_CONTEXT, FI_CONTEXT2)
  OperationKind kind = OperationKind::kReceive;
  OperationState state = OperationState::kFree;
  std::uint32_t index = 0;  // among the records of its kind
  std::uint32_t next_free = 0;
  PeerId peer = kNoPeer;
  std::uint32_t peer_epoch = 0;  // of the peer when the operation was posted
  Context context;               // kWrite, and kSend of a placed message: the caller's
  bool placed_message = false;   // kSend: a payload goes with it
  bool given_up = false;         // kLanding: its peer was disconnected, nothing of it is reported
  std::span<std::byte> memory;   // kLanding: of the payload
  // kReceive: a buffer is filled by messages of several peers at once, and the one that finds the
  // last room need not be the last to arrive.
  std::size_t taken_bytes = 0;  // of messages that have arrived whole, since it was posted
  std::size_t end_bytes = 0;    // where the last message ends; known once `filled`
  bool filled = false;          // the provider begins no further message in it
  bool torn = false;            // a message of it broke off, of unknown length
  TimePoint filled_at;
};

class OperationTable {
 public:
  OperationTable(std::size_t receives, std::size_t sends, std::size_t writes, std::size_t landings);
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  // The record at `op_context`, or nullptr when it is none of ours.
  Operation* find(void* op_context);

  // A free record of that kind, or nullptr; its state is the caller's to set.
  Operation* take(OperationKind kind);
  void give_back(Operation& operation);
  // The same for a record that the provider may still mention: it is used again last of all.
  void give_back_last(Operation& operation);

  // REQUIRES: index < count of that kind.
  Operation& at(OperationKind kind, std::size_t index);
  std::size_t count(OperationKind kind) const {
    return ranges_[static_cast<std::size_t>(kind)].count;
  }
  std::size_t size() const { return records_.size(); }
  std::size_t taken_count(OperationKind kind) const {
    return count(kind) - ranges_[static_cast<std::size_t>(kind)].free;
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t count = 0;
    std::size_t free = 0;
    std::uint32_t first_free = 0;  // an index of its kind; meaningless when free == 0, as is
                                   // last_free
    std::uint32_t last_free = 0;
  };
  std::vector<Operation> records_;
  Range ranges_[kOperationKinds];
};

}  // namespace lintel::transport
