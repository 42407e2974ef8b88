#pragma once
// DirectTransport::Connection: one TCP connection of a DirectTransport, from the connect request to
// its end.
//
// Owned by the transport, which uses records again. The stream's findings go straight to the
// transport's sink.

#include <array>
#include <optional>

#include "transport/direct/direct_transport.h"

namespace lintel::transport {

struct DirectTransport::Connection final : StreamTaker, HalfOpenCaller {
  enum class Phase : std::uint8_t {
    kConnecting,  // ours: the kernel is connecting
    kRequested,   // ours: the connect request is sent, the answer is awaited
    kAccepted,    // theirs: the connect request is awaited
    kOpen,        // carries pieces
    kClosed,      // torn down
  };

  Connection(DirectTransport& transport, const InboundStream::Limits& limits)
      : owner(transport), limits_(limits) {}

  // From its stream, inside poll().
  void take_message(std::span<const std::byte> message) override;
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override;
  void write_is_in_place(Immediate immediate) override;
  std::span<std::byte> place_of_payload(PlacementKey key) override;
  void take_placed(std::span<const std::byte> message, const PlacedPayload& payload) override;

  // As new, over another socket.
  void begin(FileDescriptor socket, Phase first);

  DirectTransport& owner;
  FileDescriptor fd;
  Phase phase = Phase::kClosed;
  PeerId peer = kNoPeer;
  std::optional<InboundStream> stream;
  OutboundRow waiting;
  static constexpr std::uint32_t kUnwatched = 0xffffffffU;
  std::uint32_t watched = kUnwatched;  // events that epoll tells
  bool is_ending = false;              // it cannot be sent to; the rest of what has come is read
                                       // first
  Error ending;
  std::uint64_t written_key = 0;            // of the write that comes in
  PlacementKey stalled_key;                 // of the payload that has no place
  bool is_expected = false;                 // the payload that comes in was expected
  std::unique_ptr<std::byte[]> unexpected;  // else where it comes
  sockaddr_in address{};                    // kAccepted: of the other side
  std::array<std::byte, 40> greeting;       // as much as has come of it
  std::size_t greeting_bytes = 0;

 private:
  InboundStream::Limits limits_;
};

}  // namespace lintel::transport
