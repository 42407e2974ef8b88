#pragma once
// An OutboundStream and an InboundStream at each of the two ends of a connection whose TCP
// connections are cut anywhere, without sockets. Each end notes what it has sent and what it has
// found, so that a test can compare the two.

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/direct/stream_bytes.h"
#include "transport/direct/outbound_stream.h"

namespace lintel::transport {

inline constexpr std::size_t kEndBuffer = 8192;
inline constexpr std::size_t kEndRecords = 256;
inline constexpr InboundStream::PieceLimits kEndLimits{2000, 100000, 50000};

// What all streams of a process share.
struct StreamProcess {
  OutboundTable table{kEndRecords, 2000, kEndRecords};
  StreamBuffers buffers{kEndBuffer};
};

// One end. What it sends arrives at the other end through `wire`, which a cut empties.
class StreamEnd final : public StreamSink {
 public:
  explicit StreamEnd(StreamProcess& process)
      : table(process.table), inbound(kEndLimits, process.buffers) {}

  struct Expected {
    std::string what;
    Bytes content;
  };

  // Half of its share of records is free. An end that holds none has one in any case.
  bool may_send() const {
    return share.held == 0 ||
           (2 * share.held < SendShare::most(kEndRecords) &&
            2 * table.frames_taken() < kEndRecords && 2 * table.writes_taken() < kEndRecords);
  }
  // REQUIRES, as of the others: may_send().
  void send_message(const Bytes& content) {
    Outbound& frame = *table.take_frame(share);
    std::byte* const begin = frame.memory - sizeof(PieceHeader);
    encode(begin, piece_header(PieceKind::kMessage, content.size(), 0, kAcknowledgeSoon));
    std::copy(content.begin(), content.end(), frame.memory);
    frame.parts[0] = {begin, sizeof(PieceHeader) + content.size()};
    frame.parts[1] = {};
    frame.keeps_memory = false;
    outbound.append(frame, kAcknowledgeSoon);
    expected.push_back({"message", content});
  }
  void send_placed(PlacementKey key, const Bytes& message, const Bytes& payload) {
    Outbound& frame = *table.take_frame(share);
    constexpr std::size_t kHead = sizeof(PieceHeader) + sizeof(PlacedHeader);
    std::byte* const begin = frame.memory - kHead;
    encode(begin,
           piece_header(PieceKind::kPlaced, payload.size(), message.size(), kAcknowledgeWhenIdle));
    encode(begin + sizeof(PieceHeader), PlacedHeader{key.value});
    std::copy(message.begin(), message.end(), frame.memory);
    frame.parts[0] = {begin, kHead + message.size()};
    append_by_reference(frame, payload);
    expected.push_back({"placed", payload});
  }
  void send_write(const Bytes& data, std::uint32_t immediate) {
    Outbound& write = *table.take_write(share);
    std::byte* const head = write.write_head + OutboundStream::kHeadroom;
    encode(head, piece_header(PieceKind::kWrite, data.size(), 0, kAcknowledgeWhenIdle));
    encode(head + sizeof(PieceHeader), WriteHeader{1, 0, immediate, 0});
    write.parts[0] = {head, sizeof(PieceHeader) + sizeof(WriteHeader)};
    append_by_reference(write, data);
    expected.push_back({"write " + std::to_string(immediate), data});
  }

  // Passes at most `most` bytes on, of one record at most.
  std::size_t pass_on(std::size_t most) {
    std::size_t passed = 0;
    for (const iovec& part : outbound.next(inbound.position())) {
      const std::size_t take = std::min(part.iov_len, most - passed);
      append(wire, {static_cast<const std::byte*>(part.iov_base), take});
      passed += take;
    }
    if (passed > 0) outbound.accepted(passed);
    return passed;
  }
  void cut() {
    wire.clear();
    inbound.interrupt();
  }
  // Something is on its way from here, or waits here.
  bool is_busy() const { return !wire.empty() || inbound.is_waiting(); }
  bool learn(std::uint64_t position) {
    return outbound.acknowledge(position, [this](Outbound& record) {
      if (record.keeps_memory) ++memory_returned;
      table.give_back(record);
    });
  }

  void on_message(std::span<const std::byte> message) override { keep("message", message); }
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override {
    if (where.key != 1 || length > memory.size()) return nullptr;
    written = length;
    return memory.data();
  }
  void on_write_in_place(Immediate immediate) override {
    keep("write " + std::to_string(immediate.value), std::span(memory).first(written));
  }
  std::optional<std::span<std::byte>> place_of_payload(PlacementKey) override {
    if (stalls > 0 && stalls-- > 0) return std::span<std::byte>();
    return std::span<std::byte>(memory);
  }
  void on_placed_message(std::span<const std::byte>, const PlacedPayload& payload) override {
    keep("placed", payload.bytes);
  }
  Acknowledged on_acknowledgement(std::uint32_t received) override {
    const std::size_t returned = memory_returned;
    if (!learn(outbound.position_of(received))) return Acknowledged::kUnsent;
    return memory_returned > returned ? Acknowledged::kLastOperation : Acknowledged::kNothing;
  }
  void on_acknowledgement_wanted(std::uint16_t flags) override { wanted |= flags; }

  SendShare share;
  OutboundTable& table;
  OutboundStream outbound;
  InboundStream inbound;
  Bytes wire;
  Bytes memory = Bytes(60000);
  std::size_t written = 0;
  int stalls = 0;
  unsigned wanted = 0;
  std::vector<Expected> expected;  // at the other end
  std::vector<Expected> found;
  std::size_t by_reference = 0;
  std::size_t memory_returned = 0;

 private:
  void append_by_reference(Outbound& record, const Bytes& data) {
    kept.push_back(data);
    record.parts[1] = {kept.back().data(), kept.back().size()};
    record.keeps_memory = true;
    ++by_reference;
    outbound.append(record, kAcknowledgeWhenIdle);
  }
  void keep(std::string what, std::span<const std::byte> content) {
    found.push_back({std::move(what), Bytes(content.begin(), content.end())});
  }
  std::deque<Bytes> kept;
};

// The two ends between two processes.
struct StreamPair {
  StreamPair(StreamProcess& of_a, StreamProcess& of_b) : a(of_a), b(of_b) {}

  StreamEnd a, b;

  // What is on its way arrives, in portions. False, as of the others: a stream is broken, or an
  // end has heard of bytes that it has not sent.
  static bool receive(StreamEnd& from, StreamEnd& to, std::size_t portion) {
    const std::size_t fed = feed(to.inbound, to, from.wire, portion);
    from.wire.erase(from.wire.begin(), from.wire.begin() + static_cast<std::ptrdiff_t>(fed));
    to.inbound.resume(to);
    return to.inbound.state() != InboundStream::StreamState::kBroken;
  }
  // What is on its way is lost; the handshake of another TCP connection follows.
  bool cut() {
    a.cut();
    b.cut();
    if (!a.learn(b.inbound.position()) || !b.learn(a.inbound.position())) return false;
    a.outbound.resume(a.inbound.position());
    b.outbound.resume(b.inbound.position());
    return true;
  }
  // All that was sent arrives.
  bool settle() {
    constexpr std::size_t kAll = std::size_t{1} << 20;
    for (int idle = 0; idle < 3;) {
      const std::size_t passed = a.pass_on(kAll) + b.pass_on(kAll);
      if (!receive(a, b, kAll) || !receive(b, a, kAll)) return false;
      idle = passed == 0 && !a.is_busy() && !b.is_busy() ? idle + 1 : 0;
    }
    return true;
  }
  // What is compared below begins again.
  void forget_what_arrived() {
    for (StreamEnd* const end : {&a, &b}) {
      end->expected.clear();
      end->found.clear();
    }
  }
  // Empty: all that one end has sent has arrived at the other, once and in order, and nothing of it
  // is kept. Else what is wrong.
  static std::string difference(const StreamEnd& from, const StreamEnd& to) {
    for (std::size_t i = 0; i < std::min(from.expected.size(), to.found.size()); ++i) {
      if (to.found[i].what != from.expected[i].what)
        return "a " + to.found[i].what + " instead of a " + from.expected[i].what + " at " +
               std::to_string(i);
      if (to.found[i].content != from.expected[i].content)
        return "another content at " + std::to_string(i);
    }
    if (to.found.size() != from.expected.size())
      return std::to_string(to.found.size()) + " pieces instead of " +
             std::to_string(from.expected.size());
    if (from.memory_returned != from.by_reference) return "memory is not given back";
    if (!from.outbound.empty() || from.table.frames_taken() + from.table.writes_taken() != 0)
      return "records are kept";
    return {};
  }
};

struct TwoProcesses {
  StreamProcess first, second;
};
// Two processes without others.
struct LonePair : TwoProcesses, StreamPair {
  LonePair() : StreamPair(first, second) {}
};

}  // namespace lintel::transport
