// libFuzzer entry: bytes of a hostile network into an InboundStream. The input is a list of
// commands: raw bytes, or pieces with a valid header, in portions of any size. In between,
// registrations end, placed messages find a place late, and TCP connections are lost. Checked
// besides memory: a loss changes nothing of what has arrived.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tests/fuzz/input.h"
#include "tests/unit/direct/stream_bytes.h"

namespace {

using namespace lintel;
using namespace lintel::transport;
using lintel::testing::Input;

constexpr InboundStream::PieceLimits kLimits{512, 4096, 2048};
constexpr std::size_t kBuffer = 1024;

// Writes go anywhere into one target. Placed messages find a place only while there is one. Reads
// every byte that it is given. Acknowledgements of more than half of all positions are wrong.
class TouchingStreamSink final : public StreamSink {
 public:
  Bytes target = Bytes(4096);
  Bytes landing;
  unsigned touched = 0;

  void on_message(std::span<const std::byte> message) override { touch(message); }
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override {
    if (where.address > target.size() || length > target.size() - where.address) return nullptr;
    return target.data() + where.address;
  }
  void on_write_in_place(Immediate) override { touch(target); }
  std::optional<std::span<std::byte>> place_of_payload(PlacementKey) override {
    return std::span(landing);
  }
  void on_placed_message(std::span<const std::byte> message,
                         const PlacedPayload& payload) override {
    touch(message);
    touch(payload.bytes);
  }
  Acknowledged on_acknowledgement(std::uint32_t received) override {
    if (received >= 0x80000000U) return Acknowledged::kUnsent;
    return received % 2 == 0 ? Acknowledged::kNothing : Acknowledged::kLastOperation;
  }
  void on_acknowledgement_wanted(std::uint16_t flags) override { touched += flags; }

 private:
  void touch(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) touched += static_cast<unsigned>(b);
  }
};

void require(bool holds) {
  if (!holds) std::abort();
}

void interrupt(InboundStream& stream, const StreamBuffers& buffers) {
  const std::uint64_t position = stream.position();
  stream.interrupt();
  require(stream.position() == position);
  require(stream.state() == InboundStream::StreamState::kReading);
  require(buffers.in_use() == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  StreamBuffers buffers(kBuffer);
  InboundStream stream(kLimits, buffers);
  TouchingStreamSink sink;
  Bytes waiting;  // stands for the kernel's buffer
  std::uint64_t fed_in_all = 0;
  while (!input.empty() && stream.state() != InboundStream::StreamState::kBroken) {
    const std::uint8_t command = input.byte();
    switch (command % 16) {
      case 0: append(waiting, input.bytes(input.byte())); break;
      case 1: append_message(waiting, filled(input.byte() * 2U, command)); break;
      case 2:
        append_write(waiting, {1, input.byte()}, Immediate(command),
                     filled(1 + input.byte() * 16U, command));
        break;
      case 3:
        append_placed(waiting, PlacementKey(command), filled(input.byte() % 129U, 1),
                      filled(1 + input.byte() * 8U, command));
        break;
      case 4:
        if (stream.state() == InboundStream::StreamState::kReading && !stream.has_partial_piece())
          sink.landing.assign(input.byte() * 8U, std::byte{0});
        if (stream.state() == InboundStream::StreamState::kStalled)
          sink.landing.assign(1 + input.byte() * 8U, std::byte{0});
        break;
      case 5: stream.cut_write(); break;
      case 6: stream.resume(sink); break;
      case 8: append_acknowledgement(waiting, input.byte() * 0x808081U); break;
      case 9: append_message(waiting, filled(input.byte(), command), input.byte()); break;
      case 10:
        interrupt(stream, buffers);
        waiting.clear();
        break;
      case 11:  // the peer goes on elsewhere in the stream
        interrupt(stream, buffers);
        break;
      default: {
        const std::size_t portion = std::min<std::size_t>(waiting.size(), 1U + input.byte());
        const std::size_t fed = feed(stream, sink, std::span(waiting).first(portion),
                                     1U + input.byte(), 1U + input.byte());
        waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(fed));
        fed_in_all += fed;
        require(stream.position() <= fed_in_all);
      }
    }
  }
  return sink.touched == 1U ? 1 : 0;
}
