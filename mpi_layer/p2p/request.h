#pragma once
// Request: one send or receive from its start to its end, and what its result is. The caller owns it; the library allocates nothing for it.
//
// Thread: its members belong to the Messenger that it was started on, under the lock of that one's process; result() is the caller's once wait or test has
// said that it is complete, and active() always: nothing that happens meanwhile changes it.
// Invariants: (1) it is in at most one list of the messenger, while it is active; (2) it does not move or die while it is active.

#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/slot_pool.h"
#include "mpi_layer/envelope/envelope.h"

namespace lintel::mpi {

// Processes are numbers of the messenger's table. In the place of one:
inline constexpr std::int32_t kAnySource = -1;    // of a receive or a probe
inline constexpr std::int32_t kProcNull = -2;     // nobody: complete at once, nothing moves
inline constexpr std::uint32_t kNoContext = ~0U;  // a request that was never started

enum class SendMode : std::uint8_t {
  kStandard,
  kSynchronous,  // complete only when its receive has begun
  kReady,        // as kStandard
  kBuffered,     // copied if need be: the buffer is free when the call returns
};

struct SendArguments {
  const void* buffer = nullptr;  // to stay as it is until the send is complete
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
enum class Failure : std::uint8_t {
  kNone,
  kTruncated,  // the message is longer than the buffer, which holds its beginning
  kPeerLost,   // the peer, or for a receive from any source some peer, has died or closed
  kFailed,     // the peer refused the message, or it could not be moved
  kClosed,     // the messenger was closed
};

// `length` is that of the message as it was sent, also of one that was truncated. Of a send: its own.
struct Result {
  std::int32_t source = kAnySource;
  std::int32_t tag = kAnyTag;
  std::uint64_t length = 0;
  Failure failure = Failure::kNone;
  bool cancelled = false;
};

class Request {
 public:
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  // REQUIRES: it is not active.
  ~Request() { LINTEL_ASSERT(!under_way()); }

  // It was started, and no wait or test has told its end.
  bool active() const { return active_; }
  bool persistent() const { return persistent_; }
  // Of its last end; empty before the first.
  const Result& result() const { return result_; }

 private:
  friend class Messenger;
  friend struct RequestHooks;

  enum class State : std::uint8_t {
    kBacklog,   // send: waits for credit, behind others to the same process
    kSent,      // send: waits for the end that its protocol has
    kUnposted,  // receive: waits for room among the entries, behind others
    kPosted,    // receive: an entry is in the list
    kUnpulled,  // receive: matched; the get of its rest waits for room
    kPulling,   // receive: matched; the rest is on its way, or all of a message from outside
    kComplete,  // also of one that was never started
  };
  bool under_way() const { return state_ != State::kComplete; }

  State state_ = State::kComplete;
  bool active_ = false;  // written by the calls that start it and tell its end, whose caller reads it without the lock
  bool is_send_ = false;
  bool persistent_ = false;
  bool cancelling_ = false;  // CANCEL has been sent
  bool watching_ = false;    // the peer is watched on its account
  bool long_ = false;        // send: its rest is exposed
  bool copied_ = false;      // send: the library's own, of a buffered one
  bool relayed_ = false;     // the gateway's own
  SendMode mode_ = SendMode::kStandard;
  std::int32_t peer_ = kProcNull;  // send: destination. Receive: source as asked for; once matched, the true one
  std::int32_t tag_ = 0;
  std::uint32_t context_ = 0;
  std::int32_t asked_source_ = kProcNull;  // receive: for a persistent one to start again
  std::byte* buffer_ = nullptr;
  std::uint64_t length_ = 0;      // send: of the message. Receive: of the buffer
  std::uint64_t sequence_ = 0;    // send: of the message
  std::uint64_t landed_ = 0;      // receive: bytes in place
  std::uint64_t to_pull_ = 0;     // receive
  std::uint32_t request_id_ = 0;  // receive: that of the message whose rest is pulled
  SlotId entry_;                  // receive: in the list. Send: of its exposed rest
  SlotId active_id_;              // send: among the active ones
  Result result_;
  using Hook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  Hook link_;  // in the messenger's list that its state and its peer say
};

}  // namespace lintel::mpi
