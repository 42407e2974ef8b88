// An OutboundStream and an InboundStream at the two ends of TCP connections that are cut anywhere:
// each piece arrives once, whole and in order.
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tests/unit/direct/stream_bytes.h"
#include "transport/direct/outbound_stream.h"

namespace lintel::transport {
namespace {

constexpr std::size_t kEndBuffer = 8192;
constexpr InboundStream::PieceLimits kEndLimits{2000, 100000, 50000};

// One end. What it sends arrives at the other end through `wire`, which a cut empties.
class End final : public StreamSink {
 public:
  struct Expected {
    std::string what;
    Bytes content;
  };

  void send_message(const Bytes& content) {
    Outbound& frame = *table.take_frame(share);
    std::byte* const begin = frame.memory - sizeof(PieceHeader);
    encode(begin, piece_header(PieceKind::kMessage, content.size(), 0, kAcknowledgeSoon));
    std::copy(content.begin(), content.end(), frame.memory);
    frame.parts[0] = {begin, sizeof(PieceHeader) + content.size()};
    frame.parts[1] = {};
    frame.keeps_memory = false;
    outbound.append(frame);
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
  std::span<std::byte> place_of_payload(PlacementKey) override {
    if (stalls > 0 && stalls-- > 0) return {};
    return memory;
  }
  void on_placed_message(std::span<const std::byte>, const PlacedPayload& payload) override {
    keep("placed", payload.bytes);
  }
  bool on_acknowledgement(std::uint32_t received) override {
    return learn(outbound.position_of(received));
  }
  void on_acknowledgement_wanted(std::uint16_t flags) override { wanted |= flags; }

  SendShare share;
  OutboundTable table{256, 2000, 256};
  OutboundStream outbound{table};
  StreamBuffers buffers{kEndBuffer};
  InboundStream inbound{kEndLimits, buffers};
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
    outbound.append(record);
  }
  void keep(std::string what, std::span<const std::byte> content) {
    found.push_back({std::move(what), Bytes(content.begin(), content.end())});
  }
  std::deque<Bytes> kept;
};

struct Pair {
  End a, b;

  void receive(End& from, End& to, std::size_t portion) {
    const std::size_t fed = feed(to.inbound, to, from.wire, portion);
    from.wire.erase(from.wire.begin(), from.wire.begin() + static_cast<std::ptrdiff_t>(fed));
    if (to.inbound.state() == InboundStream::StreamState::kStalled) to.inbound.resume(to);
    ASSERT_NE(to.inbound.state(), InboundStream::StreamState::kBroken) << to.inbound.reason();
  }
  // What is on its way is lost; the handshake of another TCP connection follows.
  void cut() {
    a.cut();
    b.cut();
    ASSERT_TRUE(a.learn(b.inbound.position()));
    ASSERT_TRUE(b.learn(a.inbound.position()));
    a.outbound.resume(a.inbound.position());
    b.outbound.resume(b.inbound.position());
  }
  void settle() {
    for (int idle = 0; idle < 3;) {
      const std::size_t passed = a.pass_on(1U << 20) + b.pass_on(1U << 20);
      receive(a, b, 1U << 20);
      receive(b, a, 1U << 20);
      idle = passed == 0 ? idle + 1 : 0;
    }
  }
  static void expect_arrived(const End& from, const End& to) {
    ASSERT_EQ(to.found.size(), from.expected.size());
    for (std::size_t i = 0; i < to.found.size(); ++i) {
      ASSERT_EQ(to.found[i].what, from.expected[i].what) << i;
      ASSERT_EQ(to.found[i].content, from.expected[i].content) << i;
    }
    EXPECT_EQ(from.memory_returned, from.by_reference);
    EXPECT_TRUE(from.outbound.empty());
    EXPECT_EQ(from.table.frames_taken() + from.table.writes_taken(), 0U);
  }
};

void send_one_of_each(End& end) {
  end.send_message(filled(20, 1));
  end.send_write(filled(30, 2), 7);
  end.send_placed(PlacementKey(3), filled(10, 3), filled(40, 4));
  end.send_message({});
  end.send_message(filled(9, 5));
}

// Both send one of each kind; the connection is cut when `bytes` bytes have gone each way, `lost`
// of which never arrive.
TEST(ResumedStreams, ACutAfterAnyByteLosesNothingAndRepeatsNothing) {
  std::size_t all = 0;
  {
    End end;
    send_one_of_each(end);
    while (const std::size_t passed = end.pass_on(1000)) all += passed;
  }
  ASSERT_GT(all, 100U);
  for (std::size_t bytes = 0; bytes <= all; ++bytes) {
    for (std::size_t lost = 0; lost <= bytes; lost += 1 + lost / 4) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, of which are lost: " + std::to_string(lost));
      Pair pair;
      send_one_of_each(pair.a);
      send_one_of_each(pair.b);
      for (End* const end : {&pair.a, &pair.b}) {
        for (std::size_t left = bytes; left > 0;) {
          const std::size_t passed = end->pass_on(left);
          if (passed == 0) break;
          left -= passed;
        }
        end->wire.resize(end->wire.size() - std::min(lost, end->wire.size()));
      }
      pair.receive(pair.a, pair.b, 1000);
      pair.receive(pair.b, pair.a, 1000);
      pair.cut();
      pair.settle();
      if (testing::Test::HasFatalFailure()) return;
      Pair::expect_arrived(pair.a, pair.b);
      Pair::expect_arrived(pair.b, pair.a);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ResumedStreams, ManyCutsAtRandomPlacesLoseNothingAndRepeatNothing) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t limit) { return random() % limit; };
    Pair pair;
    std::size_t cuts = 0;
    for (int step = 0; step < 2000; ++step) {
      End& end = below(2) == 0 ? pair.a : pair.b;
      End& other = &end == &pair.a ? pair.b : pair.a;
      switch (below(12)) {
        case 0:
          if (2 * end.share.held < SendShare::most(256)) end.send_message(filled(below(2000), 1));
          break;
        case 1:
          if (2 * end.share.held < SendShare::most(256))
            end.send_write(filled(1 + below(50000), 2), static_cast<std::uint32_t>(step));
          break;
        case 2:
          if (2 * end.share.held < SendShare::most(256)) {
            end.stalls = static_cast<int>(below(2));
            end.send_placed(PlacementKey(5), filled(below(100), 3), filled(1 + below(50000), 4));
          }
          break;
        case 3:
          ++cuts;
          for (End* const wire : {&pair.a, &pair.b})
            wire->wire.resize(wire->wire.size() - below(wire->wire.size() + 1));
          pair.receive(pair.a, pair.b, 1 + below(3000));
          pair.receive(pair.b, pair.a, 1 + below(3000));
          pair.cut();
          break;
        case 4: pair.receive(other, end, 1 + below(3000)); break;
        default: end.pass_on(1 + below(5000)); break;
      }
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(cuts, 100U);
    pair.settle();
    if (testing::Test::HasFatalFailure()) return;
    Pair::expect_arrived(pair.a, pair.b);
    Pair::expect_arrived(pair.b, pair.a);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Of a long write, only what has not arrived is sent again.
TEST(ResumedStreams, ACutInALongWriteRepeatsOnlyWhatWasOnItsWay) {
  Pair pair;
  pair.a.send_write(filled(50000, 1), 7);
  std::size_t sent = pair.a.pass_on(40000);
  pair.receive(pair.a, pair.b, 1000);
  sent += pair.a.pass_on(5000);
  pair.cut();  // these 5000 are lost
  while (const std::size_t passed = pair.a.pass_on(1U << 20)) sent += passed;
  EXPECT_EQ(sent, 50000U + sizeof(PieceHeader) + sizeof(WriteHeader) + 5000);
  pair.settle();
  Pair::expect_arrived(pair.a, pair.b);
}

}  // namespace
}  // namespace lintel::transport
