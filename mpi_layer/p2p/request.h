#pragma once
// Request, SendRequest, ReceiveRequest: one send or receive from its start to its end, and what its
// result is. The caller owns it; the library allocates nothing for it. Request is what both have:
// functions that wait for an end take either.
//
// Thread: its members belong to the Messenger that it was started on, under the lock of that one's
// process; result() is the caller's once wait or test has said that it is complete, and active()
// always: nothing that happens meanwhile changes it.
// Invariants: (1) it is in at most one list of the messenger, while it is active; (2) it does not
// move or die while it is active.

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

// `length` is that of the message as it was sent, also of one that was truncated. Of a send: its
// own.
struct Result {
  std::int32_t source = kAnySource;
  std::int32_t tag = kAnyTag;
  std::uint64_t length = 0;
  Failure failure = Failure::kNone;
  bool cancelled = false;
};

struct Peer;

// Links a request into the messenger's list that its stage and its peer say.
using RequestHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class Request : public RequestHook {
 public:
  enum class Direction : std::uint8_t { kSend, kReceive };

  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Direction direction() const { return direction_; }
  // It was started, and no wait or test has told its end.
  bool active() const { return active_; }
  bool persistent() const { return persistent_; }
  // Of its last end; empty before the first.
  const Result& result() const { return result_; }
  // It has been started and has not ended. [the lock held]
  bool under_way() const { return under_way_; }

 protected:
  explicit Request(Direction direction) : direction_(direction) {}
  // REQUIRES: it is not active.
  ~Request() { LINTEL_ASSERT(!under_way()); }

 private:
  friend class Receives;
  friend class RequestEnds;
  friend class PeerWatch;
  friend class Sends;

  const Direction direction_;
  bool under_way_ = false;
  // Written by the calls that start it and tell its end, whose caller reads it without the lock.
  bool active_ = false;
  bool persistent_ = false;
  bool relayed_ = false;     // the gateway's own
  Peer* watched_ = nullptr;  // is watched on its account
  Result result_;
};

class SendRequest : public Request {
 public:
  SendRequest() : Request(Direction::kSend) {}

 private:
  friend class Sends;

  enum class Stage : std::uint8_t {
    kBacklog,  // waits for credit, behind others to the same process
    kSent,     // waits for the end that its protocol has
  };

  Stage stage_ = Stage::kBacklog;
  SendMode mode_ = SendMode::kStandard;
  bool cancelling_ = false;    // CANCEL has been sent
  bool rest_exposed_ = false;  // the receiver may get the rest
  bool placed_ = false;        // it has left as an eager direct placement
  bool copied_ = false;        // the library's own, of a buffered one
  std::int32_t destination_ = kProcNull;
  std::int32_t tag_ = 0;
  std::uint32_t context_ = 0;
  const std::byte* buffer_ = nullptr;
  std::uint64_t length_ = 0;
  std::uint64_t sequence_ = 0;
  SlotId rest_entry_;
  SlotId active_id_;  // among the sends that an answer will end
};

class ReceiveRequest : public Request {
 public:
  ReceiveRequest() : Request(Direction::kReceive) {}

 private:
  friend class EagerPlacement;
  friend class PeerWatch;
  friend class Receives;

  enum class Stage : std::uint8_t {
    kUnposted,  // waits for room among the entries, behind others
    kPosted,    // an entry is in the list
    kUnpulled,  // matched; the get of its rest waits for room
    kPulling,   // matched; the rest is on its way, or all of a message from outside
  };

  Stage stage_ = Stage::kUnposted;
  std::int32_t asked_source_ = kProcNull;  // or kAnySource
  std::int32_t asked_tag_ = 0;             // or kAnyTag
  std::uint32_t context_ = 0;
  std::byte* buffer_ = nullptr;
  std::uint64_t capacity_ = 0;
  SlotId entry_;
  // Of the message that it has met.
  std::uint32_t rest_id_ = 0;  // the request id of its sender
  std::uint64_t sequence_ = 0;
  std::uint64_t landed_ = 0;  // bytes in place
  std::uint64_t to_pull_ = 0;
};

}  // namespace lintel::mpi
