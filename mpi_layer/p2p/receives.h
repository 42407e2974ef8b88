#pragma once
// Receives: the protocols of receives. It posts receives in the engine's list of the message
// portal, handles matched messages, and pulls the rests of long messages.
//
// Owned by the messenger; the process' lock guards it. Borrows the parts that it is given. Its
// record of a peer is Peer::receives.
// Invariants: (1) a receive that is under way is in its peer's list if it is posted for that peer
// or pulls from it, else in one of the lists here; (2) receives are posted in the order of their
// starts; (3) the pulls from one peer begin in the order of the matches, and wait for no other
// peer.
// Does not: match. The engine does.
// More than 30 members: there is one for each way in which a receive may proceed or end.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi_layer/p2p/call_error.h"
#include "mpi_layer/p2p/matched_message.h"
#include "mpi_layer/p2p/shared_parts.h"
#include "mpi_layer/p2p/unexpected_blocks.h"

namespace lintel::mpi {

class Receives {
 public:
  // `most_posted`: the most receives that are posted at the same time; further ones wait.
  Receives(const SharedParts& parts, UnexpectedBlocks& unexpected_blocks,
           std::uint32_t most_posted);
  Receives(const Receives&) = delete;
  Receives& operator=(const Receives&) = delete;

  // Errors: kProcess, kContext.
  CallError check(std::int32_t source, std::uint32_t context) LINTEL_REQUIRES(kLock);
  // Sets up an inactive request. Errors: kRequest (it is active), those of check().
  CallError set_up(const ReceiveArguments& arguments, ReceiveRequest& request, bool persistent)
      LINTEL_REQUIRES(kLock);
  // Sets up and starts a request that is not persistent. Errors: those of set_up().
  CallError start(const ReceiveArguments& arguments, ReceiveRequest& request)
      LINTEL_REQUIRES(kLock);
  // Starts an inactive request that is set up. If it claims an unexpected message, the engine
  // deposits an event for that.
  void begin(ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  // Receives the message of a matched probe. `message` is empty afterwards. Errors: kRequest,
  // kMessage.
  CallError begin_matched(MatchedMessage& message, void* buffer, std::uint64_t capacity,
                          ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  // Starts a receive of the gateway's own, from a process of this job.
  void relay(const ReceiveArguments& arguments, ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  // True if a receive that waits for room in the list will get this message.
  bool awaits(const portals::UnexpectedMessage& message) LINTEL_REQUIRES(kLock);

  // ---- What arrives
  // A message has arrived, matched or unexpected; or a receive has claimed an unexpected message.
  void on_message(const portals::Event& event) LINTEL_REQUIRES(kLock);
  void on_pulled(const portals::Event& event) LINTEL_REQUIRES(kLock);
  // CANCEL: removes the message if it is unmatched, and answers the sender.
  void on_cancel(Peer& sender, const Control& control) LINTEL_REQUIRES(kLock);
  // A message of this sender occupies no unexpected memory any more.
  void release(Peer& sender, std::uint64_t bytes_ahead) LINTEL_REQUIRES(kLock);

  // ---- What ends receives
  void end_outside(ReceiveRequest& request, RequestFailure failure) LINTEL_REQUIRES(kLock);
  void cancel(ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  void end_lost(Peer& peer) LINTEL_REQUIRES(kLock);
  // Ends all receives, because the interface is closed. The engine does not use their memory any
  // more.
  void end_all() LINTEL_REQUIRES(kLock);

  // A peer was added. `peers`: the number of peers now.
  void reserve(std::size_t peers) LINTEL_REQUIRES(kLock) { blocked_.reserve(peers); }
  // Posts waiting receives and starts waiting pulls until there is no more room.
  void retry() LINTEL_REQUIRES(kLock);
  // No pull waits for room.
  bool idle() const LINTEL_REQUIRES(kLock) { return blocked_.empty(); }
  bool has_deferred_work() const LINTEL_REQUIRES(kLock) {
    return !blocked_.empty() || !unposted_.empty();
  }

 private:
  static void set_arguments(const ReceiveArguments& arguments, ReceiveRequest& request);
  static void mark_started(ReceiveRequest& request);
  portals::MatchCriteria wanted_by(const ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  void post_or_queue(ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  bool post(ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  void repost(ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  void note_arrival(Peer& peer, const portals::Event& event) LINTEL_REQUIRES(kLock);
  void on_matched(Peer* peer, const portals::Event& event) LINTEL_REQUIRES(kLock);
  void matched(ReceiveRequest& request, Peer& peer, const DataHeader& header,
               std::uint64_t sequence, bool acknowledge) LINTEL_REQUIRES(kLock);
  void matched_outside(ReceiveRequest& request, Peer& peer, std::uint64_t sequence)
      LINTEL_REQUIRES(kLock);
  void pull_or_queue(Peer& peer, ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  bool try_pull(Peer& peer, ReceiveRequest& request) LINTEL_REQUIRES(kLock);
  void complete(ReceiveRequest& request, RequestFailure failure) LINTEL_REQUIRES(kLock);
  void end_lost(ReceiveList& receives, const Peer* peer) LINTEL_REQUIRES(kLock);

  const SharedParts parts_;
  UnexpectedBlocks& unexpected_blocks_;
  const std::uint32_t most_posted_;
  ReceiveList any_source_ LINTEL_GUARDED_BY(kLock);  // posted with kAnySource
  ReceiveList unposted_ LINTEL_GUARDED_BY(kLock);
  std::vector<Peer*> blocked_ LINTEL_GUARDED_BY(kLock);  // peers from which pulls wait for room
};

}  // namespace lintel::mpi
