#pragma once
// DirectTransport::Connection: one TCP connection of a DirectTransport, from the connect request to
// its end; or, if that is lost and the peer is admitted, the two streams with the peer over several
// TCP connections, one after the other. A later one begins as a Connection of its own, which gives
// its socket to this one when both sides have proved themselves.
//
// Owned by the transport, which reuses the records. Passes what its stream finds directly to the
// transport's sink.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <vector>

#include "transport/direct/direct_transport.h"
#include "transport/direct/outbound_stream.h"
#include "transport/direct/resumption_proof.h"

namespace lintel::transport {

inline constexpr Error kDisconnected{Loss::kPeer, "disconnect", "the peer was given up",
                                     ECONNABORTED};

// Makes room for `size` elements, so that pushing them needs no memory: a list of what must be
// reported or ended is written where a lack of memory could not be handled.
template <class T>
void make_room(std::vector<T>& list, std::size_t size) {
  if (list.capacity() < size) list.reserve(std::max(size, 2 * list.capacity()));
}

struct DirectTransport::Connection final : StreamSink, HalfOpenConnection {
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

  Connection(DirectTransport& transport, const InboundStream::PieceLimits& limits)
      : owner(transport), limits_(limits) {}

  // Called by its stream, inside poll().
  void on_message(std::span<const std::byte> message) override;
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override;
  void on_write_in_place(Immediate immediate) override;
  std::span<std::byte> place_of_payload(PlacementKey placement) override;
  void on_placed_message(std::span<const std::byte> message, const PlacedPayload& payload) override;
  Acknowledged on_acknowledgement(std::uint32_t received) override;
  void on_acknowledgement_wanted(std::uint16_t flags) override;

  // Resets the record for another socket.
  void begin(PrivateDescriptor socket, Phase first);
  // It is one to a peer, and not an attempt to make one.
  bool has_streams() const { return phase == Phase::kOpen || phase == Phase::kSuspended; }
  // Bytes that have arrived and that the peer was not told of.
  std::uint64_t untold() const { return stream->position() - outbound.told(); }
  // Its streams go on if the TCP connection is lost.
  bool can_resume() const { return key != ResumptionKey{}; }
  // Somebody else has made it, and has proved nothing to the owner yet.
  bool is_of_unproved_caller() const { return hook.is_linked(); }
  // Bytes of the greeting that is arriving, as far as is known.
  std::size_t greeting_size() const {
    return greeting_bytes >= sizeof(Greeting) &&
                   has_resumption(std::to_integer<std::uint8_t>(greeting[offsetof(Greeting, kind)]))
               ? sizeof(Greeting) + sizeof(Resumption)
               : sizeof(Greeting);
  }

  DirectTransport& owner;
  PrivateDescriptor fd;
  Phase phase = Phase::kClosed;
  PeerId peer = kNoPeer;
  std::optional<InboundStream> stream;
  OutboundStream outbound;
  static constexpr std::uint32_t kUnwatched = 0xffffffffU;
  std::uint32_t watched = kUnwatched;  // events that epoll reports
  bool is_ending = false;  // nothing can be sent; what has arrived is read, then it ends
  Error ending;
  std::uint64_t written_key = 0;            // of the write that arrives
  PlacementKey stalled_key;                 // of the payload that waits for memory
  bool is_admitted = false;                 // by the owner, see Transport::admit()
  bool is_expected = false;                 // the payload that arrives was expected
  std::unique_ptr<std::byte[]> unexpected;  // memory of an unexpected payload that arrives
  sockaddr_in address{};                    // kAccepted: of the peer
  // The part that has arrived.
  std::array<std::byte, sizeof(Greeting) + sizeof(Resumption)> greeting;
  std::size_t greeting_bytes = 0;
  // Quarters of the output timeout in which the kernel has accepted nothing of `outbound`, and in
  // which nothing of `unexpected` has come although others need its memory.
  std::uint8_t unread_quarters = 0;
  std::uint8_t unsent_quarters = 0;

  ConnectionBinding binding;  // of its first TCP connection
  ResumptionKey key{};        // of the session; zeros: the connection cannot be resumed
  // kSuspended: why, and until when another TCP connection may take the place.
  Error loss;
  TimePoint resume_by = kNever;
  // When it was resumed last, and what had arrived at both sides when it was lost last.
  TimePoint resumed_at = kNever;
  std::uint64_t arrived_before = 0;

  // Of a connection that is to take the place of a lost one.
  PeerId resumes = kNoPeer;     // kChallenged: who it says that it is
  TimePoint begun_at = kNever;  // when this process began to make it, or got an answer
  ResumptionNonce own_nonce{};
  std::uint64_t proof_generation = 0;  // of the greeting with our proof
  ResumptionNonce peer_nonce{};

  // What was received is to be acknowledged: what the flags of pieces have asked for, since which
  // poll, and the last poll in which anything has arrived.
  bool is_acknowledging = false;
  std::uint16_t wanted = 0;
  std::uint64_t wanted_since = 0;
  std::uint64_t heard_in = 0;
  TimePoint heard_at{};

 private:
  InboundStream::PieceLimits limits_;
};

}  // namespace lintel::transport
