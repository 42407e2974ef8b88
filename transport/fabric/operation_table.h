#pragma once
// OperationTable: a record for each operation that was passed to the provider and has not ended.
// The provider's op_context points to the record.
//
// Owned by FabricTransport; guarded by its owner's lock.
// Invariants: (1) records never move and exist as long as the table, so a pointer that a provider
// kept stays valid; (2) find() recognises a pointer that is not to a record, and does not
// dereference it; (3) the record that was used last is reused first, because it is in the cache;
// (4) beyond the pool, sends and writes have at most the records of each peer's own (SendShare),
// and as many as were written off, of which there are at most as many as the pool has; all together
// at most SendShare::most_in_all(); (5) records beyond the pool are used when all others are taken.
// Does not: allocate after construction, except in add(), or call the provider.

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "transport/contact/send_share.h"
#include "transport/transport.h"

namespace lintel::transport {

enum class OperationKind : std::uint8_t { kReceive, kSend, kWrite, kPlacedReceive };
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
  bool written_off = false;      // its peer was given up and holds it no more
  bool has_pages = false;        // kSend, free, beyond the pool: its frame may be resident
  std::uint32_t peer_epoch = 0;  // of the peer when the operation was posted
  Context context;               // kWrite, and kSend of a placed message: the caller's
  bool placed_message = false;   // kSend: with a payload
  bool given_up = false;  // kPlacedReceive: its peer was disconnected; the message is not reported
  std::span<std::byte> memory;  // kPlacedReceive: of the payload
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
  OperationTable(std::size_t receives, std::size_t sends, std::size_t writes,
                 std::size_t placed_receives);
  OperationTable(const OperationTable&) = delete;
  OperationTable& operator=(const OperationTable&) = delete;

  // The record at `op_context`, or nullptr if it is no record of this table.
  FabricOperation* find(void* op_context);

  // A free record of that kind, or nullptr. The caller sets its state.
  FabricOperation* take(OperationKind kind);
  // The same for the peer whose share that is; nullptr also if it may not take another one now.
  // REQUIRES: kSend or kWrite.
  FabricOperation* take(OperationKind kind, SendShare& share);
  // The peer may take a record, but no record is free, and there may be more: add() is due.
  [[gnu::cold]] bool needs_more(OperationKind kind, const SendShare& share) const;
  // Adds kAddedAtOnce free records of that kind, with the next indices. Throws what the allocation
  // throws; nothing has changed then.
  [[gnu::cold]] void add(OperationKind kind);
  // The peer whose share that is was given up. What the provider still has of it does not count as
  // taken any more, unless there is too much of that already.
  [[gnu::cold]] void write_off(OperationKind kind, SendShare& share);
  void give_back(FabricOperation& operation);
  // Gives back a record whose completion the provider may still report: it is reused last.
  void give_back_last(FabricOperation& operation);
  // There are free frames beyond the pool whose memory is not needed: half of the pool is free too.
  bool has_idle_frames() const {
    const KindRange& sends = range_of(OperationKind::kSend);
    return with_pages_ > 0 && 2 * sends.taken <= sends.pool;
  }
  // Calls release(index) for each of them.
  template <class Release>
  void release_idle_frames(Release release) {
    std::uint32_t index = range_of(OperationKind::kSend).unused_added.first;
    while (with_pages_ > 0) {
      FabricOperation& frame = at(OperationKind::kSend, index);
      index = frame.next_free;
      if (!std::exchange(frame.has_pages, false)) continue;
      --with_pages_;
      release(frame.index);
    }
  }

  // REQUIRES: index < count of that kind.
  FabricOperation& at(OperationKind kind, std::size_t index);
  std::size_t count(OperationKind kind) const { return range_of(kind).count; }
  std::size_t size() const { return records_.size(); }  // without what was added
  // Without what was written off.
  std::size_t taken_count(OperationKind kind) const { return range_of(kind).taken; }
  std::size_t written_off_count(OperationKind kind) const { return range_of(kind).written_off; }

  static constexpr std::size_t kAddedAtOnce = 8;

 private:
  using RecordBlock = std::unique_ptr<FabricOperation[]>;
  // Free records, linked by their indices, which have no meaning if count == 0.
  struct FreeList {
    std::size_t count = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  struct KindRange {
    std::size_t begin = 0;
    std::size_t pool = 0;   // records without the added ones
    std::size_t count = 0;  // with them
    FreeList unused{};      // of the pool
    FreeList unused_added{};
    std::size_t taken = 0;  // the others, without those that were written off
    std::size_t written_off = 0;
    std::vector<RecordBlock> added{};
    // Of the pool. Added records count as if they were of it.
    std::size_t left() const { return pool > taken ? pool - taken : 0; }
    FreeList& list_of(const FabricOperation& record) {
      return record.index < pool ? unused : unused_added;
    }
  };
  KindRange& range_of(OperationKind kind) { return ranges_[static_cast<std::size_t>(kind)]; }
  const KindRange& range_of(OperationKind kind) const {
    return ranges_[static_cast<std::size_t>(kind)];
  }
  bool may_take(OperationKind kind, const SendShare& share) const;
  FabricOperation* find_added(std::uintptr_t place) const;
  void set_free(KindRange& range, FabricOperation& operation);
  static void put_first(FreeList& list, FabricOperation& operation);

  std::vector<FabricOperation> records_;
  KindRange ranges_[kOperationKinds];
  std::map<std::uintptr_t, FabricOperation*> added_at_;  // every added block by its address
  std::size_t with_pages_ = 0;                           // FabricOperation::has_pages
};

}  // namespace lintel::transport
