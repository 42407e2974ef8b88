#pragma once
// PlacedReceives: where the placed messages of peers arrive: expected ones in the memory of their
// receivers, unexpected ones in memory of its own.
//
// Placed messages are tagged messages of the native TCP providers, and the key is the tag. A tagged
// message that no posted receive matches stays in its socket, and everything that its sender sends
// after it waits. So unexpected ones are searched for from time to time.
//
// Owned by FabricTransport, which destroys it after the endpoint, because the provider may write
// into posted memory until then. Borrows the records of the operations, the peers and the counters.
// Guarded by its owner's lock.
// Invariants: (1) each peer has at most one, FabricPeer::placed_receive; (2) that of a peer
// names it, and one for unexpected messages names kNoPeer; (3) slots for unexpected messages do not
// move.
// Does not: read the completion queue, send placed messages, or drop peers.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/fabric/buffer_slab.h"
#include "transport/fabric/fabric_counters.h"
#include "transport/fabric/fabric_peer_table.h"
#include "transport/fabric/operation_table.h"
#include "transport/transport.h"

namespace lintel::transport {

class PlacedReceives {
 public:
  // All of these bytes are sent, so that the payload begins at the same offset in every placed
  // message.
  static constexpr std::size_t kMessageBytes = 128;
  static constexpr std::size_t kMaxPayloadBytes = std::size_t{1} << 20;
  static constexpr std::size_t kUnexpectedSlots = 16;
  // Peers from which a placed message may be expected at the same time, and unexpected payloads:
  // the records of kind kPlacedReceive that there must be.
  static constexpr std::size_t kRecords = 64 + kUnexpectedSlots;

  PlacedReceives(OperationTable& operations, FabricPeerTable& peers, FabricCounters& counters)
      : operations_(operations), peers_(peers), counters_(counters) {}
  PlacedReceives(const PlacedReceives&) = delete;
  PlacedReceives& operator=(const PlacedReceives&) = delete;

  // Placed messages are received from now on, unless there is no memory for it.
  [[gnu::cold]] void enable();
  bool enabled() const { return enabled_; }

  // As Transport::expect_placement().
  bool expect(PeerId peer, PlacementKey key, std::span<std::byte> memory,
              const OfiEndpoint& endpoint);
  // True: a placed message has begun to arrive. The provider reads a payload in parts, and reads
  // the socket again only when it is called again, so another read of the queue is worth while.
  bool payload_has_begun() const;

  // The operation of a receive is complete: a placed message has arrived, or an unexpected one
  // waits. Tells the sink. Returns the number of reports.
  std::size_t take(FabricOperation& receive, const fi_cq_data_entry& entry,
                   const OfiEndpoint& endpoint, Sink& sink);
  // The receive was cancelled, or its message ended in the middle. If it is for unexpected
  // payloads, there may be none.
  void end_failed(FabricOperation& receive, const fi_cq_err_entry& entry);

  // Asks the provider from time to time whether an unexpected payload waits. The next read of the
  // queue has the answer.
  void look_for_unexpected(const OfiEndpoint& endpoint) {
    if (asking_ == nullptr && ++idle_looks_ % kLooksPerSearch == 0) ask_for_unexpected(endpoint);
  }
  // The same now. False: the provider cannot be asked.
  bool ask_for_unexpected(const OfiEndpoint& endpoint);
  bool is_asking() const { return asking_ != nullptr; }
  // The entry says that no unexpected payload waits. REQUIRES: is_asking().
  bool is_answer(const fi_cq_err_entry& entry) const {
    return entry.op_context == &asking_->receive->provider_room;
  }
  // REQUIRES: is_answer(entry).
  void take_answer(const fi_cq_err_entry& entry) { end_failed(*asking_->receive, entry); }

 private:
  // Reads of an empty completion queue between two searches for unexpected payloads, because a
  // search costs as much as several reads.
  static constexpr unsigned kLooksPerSearch = 16;

  // Memory for unexpected placed messages. There are several, because a sender may stop in the
  // middle of one.
  struct UnexpectedSlot {
    FabricOperation* receive = nullptr;
    BufferSlab memory;
    bool posted = false;  // a placed message waits or arrives, and this memory is posted for it
  };

  std::byte* message_of(const FabricOperation& receive) const;
  bool post(FabricOperation& receive, fi_addr_t from, std::uint64_t key, std::uint64_t ignored,
            const OfiEndpoint& endpoint);
  void end(FabricOperation& receive);
  UnexpectedSlot* slot_of(const FabricOperation& receive);
  UnexpectedSlot* free_slot();

  OperationTable& operations_;
  FabricPeerTable& peers_;
  FabricCounters& counters_;
  // For the part of a payload that is longer than its memory, and for the messages of placed
  // messages.
  BufferSlab buffers_;
  std::vector<FabricOperation*> expected_;  // of expected payloads
  std::vector<UnexpectedSlot> unexpected_;
  bool enabled_ = false;
  // The provider was asked whether a placed message waits, which this slot would receive.
  UnexpectedSlot* asking_ = nullptr;
  unsigned idle_looks_ = 0;
};

}  // namespace lintel::transport
