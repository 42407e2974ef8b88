#pragma once
// OperationTable: a record for each operation that was passed to the provider and has not ended.
// The provider's op_context points to the record.
//
// Owned by FabricTransport; guarded by its owner's lock.
// Invariants: (1) records never move and exist as long as the table, so a pointer that a provider
// kept stays valid; (2) find() recognises a pointer that is not to a record, and does not
// dereference it; (3) the record that was used last is reused first, because it is in the cache.
// Does not: allocate after construction, or call the provider.

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/contact/send_share.h"
#include "transport/transport.h"

namespace lintel::transport {

enum class OperationKind : std::uint8_t { kReceive, kSend, kWrite, kLanding };
inline constexpr std::size_t kOperationKinds = 4;

enum class OperationState : std::uint8_t {
  kFree,
  kLent,      // a send frame that the caller fills
  kInFlight,  // the provider has it
};

struct FabricOperation {
  // First member: the provider may write here while it has the operation (FI_CONTEXT, FI_CONTEXT2).
  fi_context2 provider_room{};
  OperationKind kind = OperationKind::kReceive;
  OperationState state = OperationState::kFree;
  std::uint32_t index = 0;  // among the records of its kind
  std::uint32_t next_free = 0;
  PeerId peer = kNoPeer;
  SendShare* share = nullptr;    // kSend, kWrite: of the peer that holds the record
  std::uint32_t peer_epoch = 0;  // of the peer when the operation was posted
  Context context;               // kWrite, and kSend of a placed message: the caller's
  bool placed_message = false;   // kSend: with a payload
  bool given_up = false;         // kLanding: its peer was disconnected; the message is not reported
  std::span<std::byte> memory;   // kLanding: of the payload
  // kReceive: messages of several peers fill a buffer at the same time, and the one in the last
  // room may not be the last to be complete.
  std::size_t taken_bytes = 0;  // of messages that are complete since the buffer was posted
  std::size_t end_bytes = 0;    // where the last message ends; valid if `filled`
  bool filled = false;          // the provider begins no further message in the buffer
  bool torn = false;            // a message in the buffer ended in the middle, at an unknown length
  TimePoint filled_at;
};

class OperationTable {
 public:
  OperationTable(std::size_t receives, std::size_t sends, std::size_t writes, std::size_t landings);
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  // The record at `op_context`, or nullptr if it is no record of this table.
  FabricOperation* find(void* op_context);

  // A free record of that kind, or nullptr. The caller sets its state.
  FabricOperation* take(OperationKind kind);
  // The same for the peer whose share that is; nullptr also if it may not take another one now.
  FabricOperation* take(OperationKind kind, SendShare& share);
  void give_back(FabricOperation& operation);
  // Gives back a record whose completion the provider may still report: it is reused last.
  void give_back_last(FabricOperation& operation);

  // REQUIRES: index < count of that kind.
  FabricOperation& at(OperationKind kind, std::size_t index);
  std::size_t count(OperationKind kind) const {
    return ranges_[static_cast<std::size_t>(kind)].count;
  }
  std::size_t size() const { return records_.size(); }
  std::size_t taken_count(OperationKind kind) const {
    return count(kind) - ranges_[static_cast<std::size_t>(kind)].free;
  }

 private:
  struct KindRange {
    std::size_t begin = 0;
    std::size_t count = 0;
    std::size_t free = 0;
    // An index of its kind; without meaning if free == 0, as is last_free.
    std::uint32_t first_free = 0;
    std::uint32_t last_free = 0;
  };
  void set_free(FabricOperation& operation);

  std::vector<FabricOperation> records_;
  KindRange ranges_[kOperationKinds];
};

}  // namespace lintel::transport
