#pragma once
// MessageRequest, SendRequest, ReceiveRequest: one send or receive from its start to its end, with
// its result. The caller owns it; the library allocates nothing for it. MessageRequest is the base
// of both. Functions that wait take either.
//
// Thread: the messenger uses the members under the lock of its process. The caller may read
// result() without the lock after a wait or test has reported completion. It may read active()
// without the lock at any time, because only its own calls change it.
// Invariants: (1) it is in at most one list of the messenger, while it is active; (2) it does not
// move or die while it is active.

#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/slot_pool.h"
#include "mpi_layer/envelope/envelope.h"

namespace lintel::mpi {

// A process is a number of the messenger's table, or one of:
inline constexpr std::int32_t kAnySource = -1;    // of a receive or a probe
inline constexpr std::int32_t kProcNull = -2;     // no process: completes at once
inline constexpr std::uint32_t kNoContext = ~0U;  // a request that was never started

enum class SendMode : std::uint8_t {
  kStandard,
  kSynchronous,  // completes only after its receive has matched
  kReady,        // as kStandard
  kBuffered,     // the buffer is free when the call returns; copied if necessary
};

struct SendArguments {
  const void* buffer = nullptr;  // must not change until the send is complete
  std::uint64_t length = 0;      // in bytes, at most kMaxLength (packet.h)
  std::int32_t destination = kProcNull;
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  SendMode mode = SendMode::kStandard;
};

struct ReceiveArguments {
  void* buffer = nullptr;  // the library's until the receive is complete
  std::uint64_t capacity = 0;
  std::int32_t source = kProcNull;
  std::uint32_t context = 0;
  std::int32_t tag = 0;
};

// How a request ended.
enum class RequestFailure : std::uint8_t {
  kNone,
  kTruncated,  // the message is longer than the buffer, which has its beginning
  kPeerLost,   // the peer has died or closed; with any source: some peer
  kFailed,     // the peer refused the message, or the transfer failed
  kClosed,     // the messenger was closed
};

// The result of a send, receive or probe. `length` is that of the whole message, also if it was
// truncated.
struct MessageResult {
  std::int32_t source = kAnySource;
  std::int32_t tag = kAnyTag;
  std::uint64_t length = 0;
  RequestFailure failure = RequestFailure::kNone;
  bool cancelled = false;
};

struct Peer;

// Links a request into a list of the messenger, which depends on its stage and its peer.
using RequestHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class MessageRequest : public RequestHook {
 public:
  enum class Direction : std::uint8_t { kSend, kReceive };

  MessageRequest(const MessageRequest&) = delete;
  MessageRequest& operator=(const MessageRequest&) = delete;

  Direction direction() const { return direction_; }
  // It was started, and no wait or test has reported its completion.
  bool active() const { return active_; }
  bool persistent() const { return persistent_; }
  // The result of its last completion; empty before the first.
  const MessageResult& result() const { return result_; }
  // It was started and has not ended. [lock held]
  bool under_way() const { return under_way_; }

 protected:
  explicit MessageRequest(Direction direction) : direction_(direction) {}
  // REQUIRES: it is not active.
  ~MessageRequest() { LINTEL_ASSERT(!under_way()); }

 private:
  friend class Receives;
  friend class RequestEnds;
  friend class PeerWatch;
  friend class Sends;

  const Direction direction_;
  bool under_way_ = false;
  // Written only by the calls that start it or report its completion. So its caller may read it
  // without the lock.
  bool active_ = false;
  bool persistent_ = false;
  bool relayed_ = false;     // started by OutsideProcesses::relay()
  Peer* watched_ = nullptr;  // the peer that PeerWatch watches for it
  MessageResult result_;
};

// Where a send is between its start and its end.
enum class SendStage : std::uint8_t {
  kBacklog,  // waits for credit or room, behind others to the same process
  kSent,     // has left; an event or a packet will end it
};

class SendRequest : public MessageRequest {
 public:
  SendRequest() : MessageRequest(Direction::kSend) {}

 private:
  friend class Sends;

  SendStage stage_ = SendStage::kBacklog;
  SendMode mode_ = SendMode::kStandard;
  bool cancelling_ = false;    // CANCEL has been sent
  bool rest_exposed_ = false;  // the rest is an entry that the receiver may get
  bool placed_ = false;        // it has left by eager direct placement
  bool copied_ = false;        // the send of the library's copy of a buffered send
  std::int32_t destination_ = kProcNull;
  std::int32_t tag_ = 0;
  std::uint32_t context_ = 0;
  const std::byte* buffer_ = nullptr;
  std::uint64_t length_ = 0;
  std::uint64_t sequence_ = 0;
  SlotId rest_entry_;
  SlotId active_id_;  // in Sends::active_
};

// Where a receive is between its start and its end.
enum class ReceiveStage : std::uint8_t {
  kUnposted,  // waits for room for its entry, behind others
  kPosted,    // its entry is in the list
  kUnpulled,  // matched; the get of its rest waits for room
  kPulling,   // matched; the rest, or a message from outside, is arriving
};

class ReceiveRequest : public MessageRequest {
 public:
  ReceiveRequest() : MessageRequest(Direction::kReceive) {}

 private:
  friend class EagerPlacement;
  friend class PeerWatch;
  friend class Receives;

  ReceiveStage stage_ = ReceiveStage::kUnposted;
  std::int32_t asked_source_ = kProcNull;  // or kAnySource
  std::int32_t asked_tag_ = 0;             // or kAnyTag
  std::uint32_t context_ = 0;
  std::byte* buffer_ = nullptr;
  std::uint64_t capacity_ = 0;
  SlotId entry_;
  // Of the message that it has matched.
  std::uint32_t rest_id_ = 0;  // the request id of its sender
  std::uint64_t sequence_ = 0;
  std::uint64_t landed_ = 0;  // bytes that are in the buffer
  std::uint64_t to_pull_ = 0;
};

}  // namespace lintel::mpi
