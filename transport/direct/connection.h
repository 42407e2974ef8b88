#pragma once
// DirectTransport::Connection: one TCP connection of a DirectTransport, from the connect request to
// its end.
//
// Owned by the transport, which reuses the records. Passes what its stream finds directly to the
// transport's sink.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "transport/direct/direct_transport.h"

namespace lintel::transport {

// Makes room for `size` elements, so that pushing them needs no memory: a list of what must be
// reported or ended is written where a lack of memory could not be handled.
template <class T>
void make_room(std::vector<T>& list, std::size_t size) {
  if (list.capacity() < size) list.reserve(std::max(size, 2 * list.capacity()));
}

struct DirectTransport::Connection final : StreamSink, HalfOpenConnection {
  enum class Phase : std::uint8_t {
    kConnecting,  // made by this process: the kernel is connecting
    kRequested,   // made by this process: the connect request was sent, the answer is awaited
    kAccepted,    // made by the peer: its connect request is awaited
    kOpen,        // carries pieces
    kClosed,      // torn down
  };

  Connection(DirectTransport& transport, const InboundStream::PieceLimits& limits)
      : owner(transport), limits_(limits) {}

  // Called by its stream, inside poll().
  void on_message(std::span<const std::byte> message) override;
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override;
  void on_write_in_place(Immediate immediate) override;
  std::span<std::byte> place_of_payload(PlacementKey key) override;
  void on_placed_message(std::span<const std::byte> message, const PlacedPayload& payload) override;

  // Resets the record for another socket.
  void begin(PrivateDescriptor socket, Phase first);

  DirectTransport& owner;
  PrivateDescriptor fd;
  Phase phase = Phase::kClosed;
  PeerId peer = kNoPeer;
  std::optional<InboundStream> stream;
  OutboundQueue waiting;
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
  std::array<std::byte, 40> greeting;       // the part that has arrived
  std::size_t greeting_bytes = 0;
  // Quarters of the output timeout in which the kernel has accepted nothing of `waiting`, and in
  // which nothing of `unexpected` has come although others need its memory.
  std::uint8_t unread_quarters = 0;
  std::uint8_t unsent_quarters = 0;

 private:
  InboundStream::PieceLimits limits_;
};

}  // namespace lintel::transport
