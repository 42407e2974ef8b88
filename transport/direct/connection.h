#pragma once
// DirectTransport::Connection: one TCP connection of a DirectTransport, from the call to its end.
//
// Owned by the transport, which uses records again. The stream's findings go straight to the transport's sink.

#include <array>
#include <optional>

#include "transport/direct/direct_transport.h"

namespace lintel::transport {

struct DirectTransport::Connection final : StreamTaker, HalfOpenCaller {
  enum class Phase : std::uint8_t {
    kCalling,   // waits for the kernel: is anybody there?
    kGreeting,  // has called; waits for the answer
    kCalled,    // waits for the caller to say who it is
    kStands,
    kTornDown,
  };

  Connection(DirectTransport& transport, const InboundStream::Limits& limits) : owner(transport), limits_(limits) {}

  // From its stream, inside poll().
  void take_message(std::span<const std::byte> message) override;
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override;
  void write_is_in_place(Immediate immediate) override;
  std::span<std::byte> place_of_parcel(ParcelKey key) override;
  void take_parcel(std::span<const std::byte> message, const ParcelPayload& payload) override;

  // As new, over another socket.
  void begin(FileDescriptor socket, Phase first);

  DirectTransport& owner;
  FileDescriptor fd;
  Phase phase = Phase::kTornDown;
  PeerId peer = kNoPeer;
  std::optional<InboundStream> stream;
  OutboundRow waiting;
  static constexpr std::uint32_t kUnwatched = 0xffffffffU;
  std::uint32_t watched = kUnwatched;  // events that epoll tells
  bool is_ending = false;              // it cannot be sent to; the rest of what has come is read first
  Error ending;
  std::uint64_t written_key = 0;       // of the write that comes in
  ParcelKey held_key;                  // of the parcel that has no place
  bool lands = false;                  // the parcel that comes in was expected
  std::unique_ptr<std::byte[]> stray;  // else where it comes
  sockaddr_in address{};               // kCalled: whence
  std::array<std::byte, 40> greeting;  // as much as has come of it
  std::size_t greeting_bytes = 0;

 private:
  InboundStream::Limits limits_;
};

}  // namespace lintel::transport
