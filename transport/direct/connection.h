#pragma once
// DirectConnection: one TCP connection of a DirectTransport, from the connect request to its end;
// or, if that is lost and the peer is admitted, the two streams with the peer over several TCP
// connections, one after the other. A later one begins as a DirectConnection of its own, which
// gives its socket to this one when both sides have proved themselves.
//
// A record: the transport decides. Owned by ConnectionRecords, which reuses it; guarded by the
// transport's lock.
// It has more than 30 members because it has many phases; each member says in which it is used, and
// what belongs together is a class of its own.

#include <netinet/in.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/private_descriptor.h"
#include "transport/contact/half_open_connections.h"
#include "transport/direct/arriving_greeting.h"
#include "transport/direct/inbound_stream.h"
#include "transport/direct/outbound_stream.h"
#include "transport/direct/owed_acknowledgement.h"
#include "transport/direct/resumption_exchange.h"
#include "transport/direct/socket_events.h"
#include "transport/direct/suspension.h"
#include "transport/direct/unexpected_memory.h"
#include "transport/transport.h"

namespace lintel::transport {

// The output timeout is counted in quarters.
inline constexpr int kOutputQuarters = 4;

inline constexpr Error kDisconnected{Loss::kPeer, "disconnect", "the peer was given up",
                                     ECONNABORTED};

struct DirectConnection final : HalfOpenConnection {
  enum class Phase : std::uint8_t {
    kConnecting,  // made by this process: the kernel is connecting
    kRequested,   // made by this process: the request was sent, the answer is awaited
    kProving,     // made by this process to resume: our proof was sent, the peer's is awaited
    kAccepted,    // made by the peer: its request is awaited
    kChallenged,  // made by the peer to resume: its proof is awaited
    kOpen,        // carries pieces
    kSuspended,   // its TCP connection is lost; another one is to take its place
    kClosed,      // torn down
  };

  explicit DirectConnection(const InboundStream::PieceLimits& pieces) : limits(pieces) {}

  // Resets the record for another socket.
  void begin(PrivateDescriptor socket, Phase first, StreamBuffers& buffers);
  // It is one to a peer, and not an attempt to make one.
  bool has_streams() const { return phase == Phase::kOpen || phase == Phase::kSuspended; }
  // Bytes that have arrived and that the peer was not told of.
  std::uint64_t received_unacknowledged() const {
    return stream->position() - outbound.acknowledgement_sent();
  }
  // Its streams go on if the TCP connection is lost.
  bool can_resume() const { return key != ResumptionKey{}; }
  // Somebody else has made it, and has proved nothing to the owner yet.
  bool is_of_unproved_caller() const { return hook.is_linked(); }
  // To another request in the name of its peer. One that this process has made does not, until it
  // is lost: the peer was where it was sought.
  bool gives_way() const {
    return is_of_unproved_caller() || (phase == Phase::kSuspended && !is_admitted);
  }
  // The peer is to be told now of what has arrived.
  bool is_acknowledgement_due(std::uint64_t poll, TimePoint now) const {
    return owed.is_due(poll, now, received_unacknowledged(),
                       outbound.is_awaited() && !outbound.waits());
  }

  InboundStream::PieceLimits limits;
  PrivateDescriptor fd;
  std::uint32_t watched = SocketEvents::kUnwatched;  // events that epoll reports
  std::size_t low_water = 1;                         // when it reports data: see set_low_water()
  Phase phase = Phase::kClosed;
  PeerId peer = kNoPeer;

  // While it is made.
  sockaddr_in address{};  // kAccepted: of the peer
  ArrivingGreeting greeting;
  PeerId resumes = kNoPeer;     // kChallenged: the peer that it claims to be
  TimePoint begun_at = kNever;  // when this process began to make it, or got an answer
  ResumptionExchange exchange;

  // While it has streams.
  ConnectionBinding binding;  // of its first TCP connection
  bool is_admitted = false;   // by the owner, see Transport::admit()
  ResumptionKey key{};        // of the session; zeros: the connection cannot be resumed
  std::optional<InboundStream> stream;
  OutboundStream outbound;
  bool is_ending = false;  // nothing can be sent; what has arrived is read, then it ends
  Error ending;
  Suspension suspension;
  OwedAcknowledgement owed;
  bool is_acknowledging = false;      // in the list of those with something owed
  std::uint64_t written_key = 0;      // of the write that arrives
  PlacementKey stalled_key;           // of the payload that waits for memory
  bool is_expected = false;           // the payload that arrives was expected
  UnexpectedMemory::Slot unexpected;  // of an unexpected payload that arrives
  // Quarters of the output timeout in which the kernel has accepted nothing of `outbound`, and in
  // which others needed the memory of `unexpected`.
  std::uint8_t unread_quarters = 0;
  std::uint8_t needed_quarters = 0;
};

}  // namespace lintel::transport
