// Peers that begin pieces and do not end them: what a direct transport keeps of these, and what
// becomes of the others' data.
#include <gmock/gmock.h>

#include <charconv>
#include <deque>
#include <string_view>

#include "tests/fabric/raw_caller.h"
#include "tests/fabric/waiting.h"

namespace lintel::transport {
namespace {

constexpr std::size_t kMost = 64;    // that keep their beginning in this process
constexpr std::size_t kPeers = 100;  // more than that
constexpr std::uint32_t kBytes = 60000;
constexpr std::size_t kBeginning = sizeof(PieceHeader) + 20000;

class DirectBeginnings : public TwoNodes, public testing::Test {
 protected:
  void SetUp() override { open_both(options_for(DirectTransport::kName)); }
  // A peer of B with a name of its own.
  RawCaller& add_peer() {
    RawCaller& peer = peers.emplace_back(b);
    peer.claim({peer.self().nid, Pid(2000 + static_cast<std::uint32_t>(peers.size()))});
    peer.send(peer.greeting());
    EXPECT_EQ(peer.answer(b), GreetingKind::kAccept);
    b.transport->admit(b.transport->resolve(peer.self()).value(), {});
    return peer;
  }
  static std::vector<std::byte> piece_of(std::span<const std::byte> message) {
    std::vector<std::byte> piece(sizeof(PieceHeader));
    encode(piece.data(), PieceHeader{static_cast<std::uint32_t>(message.size()),
                                     static_cast<std::uint8_t>(PieceKind::kMessage), 0, 0});
    piece.insert(piece.end(), message.begin(), message.end());
    return piece;
  }
  // Sends a short message and, in the same call, the beginning of a long one: when the first is
  // delivered, the second has arrived.
  void begin_a_message(RawCaller& peer, std::uint32_t seed) {
    std::vector<std::byte> bytes = piece_of(pattern(8, seed));
    const std::vector<std::byte> piece = piece_of(pattern(kBytes, seed));
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + kBeginning);
    const std::size_t before = b.seen.message_count;
    peer.send_bytes(bytes);
    ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count > before; }));
    EXPECT_EQ(b.seen.messages.back(), pattern(8, seed));
  }
  void end_the_message(RawCaller& peer, std::uint32_t seed) {
    const std::vector<std::byte> piece = piece_of(pattern(kBytes, seed));
    const std::size_t before = b.seen.message_count;
    peer.send_bytes(std::span(piece).subspan(kBeginning));
    ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count > before; })) << seed;
    EXPECT_TRUE(b.seen.messages.back() == pattern(kBytes, seed)) << seed;
  }
  // Sends a short message and, in the same call, a placed one.
  void send_placed(RawCaller& peer, std::uint32_t seed) {
    std::vector<std::byte> bytes = piece_of(pattern(8, seed));
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(PieceHeader) + sizeof(PlacedHeader));
    encode(bytes.data() + at,
           PieceHeader{1000, static_cast<std::uint8_t>(PieceKind::kPlaced), 0, 0});
    encode(bytes.data() + at + sizeof(PieceHeader), PlacedHeader{1});
    const std::vector<std::byte> payload = pattern(1000, seed);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    const std::size_t before = b.seen.message_count;
    peer.send_bytes(bytes);
    ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count > before; }));
  }
  void begin_messages() {
    for (std::uint32_t i = 0; i < kPeers; ++i) begin_a_message(add_peer(), i);
  }
  std::size_t kept_beginnings() const {
    std::string state;
    b.transport->dump(state);
    constexpr std::string_view kLine = "connections in the middle of a piece: ";
    const std::size_t at = state.find(kLine) + kLine.size();
    std::size_t kept = kPeers * 2;
    std::from_chars(state.data() + at, state.data() + state.size(), kept);
    return kept;
  }

  std::deque<RawCaller> peers;
};

TEST_F(DirectBeginnings, TakeABoundedAmountOfMemoryAndTheMessagesArriveWhole) {
  begin_messages();
  EXPECT_EQ(kept_beginnings(), kMost);
  for (std::uint32_t i = kPeers; i-- > 0;) end_the_message(peers[i], i);
  EXPECT_EQ(kept_beginnings(), 0U);
  EXPECT_TRUE(b.seen.failures.empty());
}

TEST_F(DirectBeginnings, InTheKernelWakeNobodyUntilTheRestHasCome) {
  begin_messages();
  ASSERT_TRUE(until({&b}, [&] {
    return b.transport->next_deadline() >= monotonic_now() + std::chrono::seconds(1);
  })) << "acknowledgements of the short messages are due";
  expect_idle_costs_nothing(b);
  end_the_message(peers.back(), kPeers - 1);
  EXPECT_EQ(kept_beginnings(), kMost);
}

TEST_F(DirectBeginnings, ShorterPiecesFollowALongOneThatWasInTheKernel) {
  begin_messages();
  end_the_message(peers.back(), kPeers - 1);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const std::size_t before = b.seen.message_count;
    peers.back().send_message(pattern(1, i));
    ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count > before; })) << i;
    EXPECT_EQ(b.seen.messages.back(), pattern(1, i));
  }
}

TEST_F(DirectBeginnings, InTheKernelAreReadWhenOthersHaveEnded) {
  begin_messages();
  for (std::uint32_t i = 0; i < kMost; ++i) end_the_message(peers[i], i);
  RawCaller& last = peers.back();
  const std::vector<std::byte> piece = piece_of(pattern(kBytes, kPeers - 1));
  const std::size_t before = b.seen.message_count;
  for (std::size_t at = kBeginning; at < piece.size(); at += 1000)
    last.send_bytes(std::span(piece).subspan(at, std::min<std::size_t>(1000, piece.size() - at)));
  ASSERT_TRUE(until({&b}, [&] { return b.seen.message_count > before; }));
  EXPECT_TRUE(b.seen.messages.back() == pattern(kBytes, kPeers - 1));
}

TEST_F(DirectBeginnings, InTheKernelDoNotHideTheEndOfTheConnection) {
  begin_messages();
  peers.back().close();
  ASSERT_TRUE(until({&b}, [&] { return !b.seen.failures.empty(); }));
  EXPECT_EQ(b.seen.failures.size(), 1U);
  EXPECT_EQ(b.seen.message_count, kPeers);
}

TEST_F(DirectBeginnings, OfPlacedMessagesWaitWhileTheOwnerConnectsToAnother) {
  for (const std::uint32_t waiting : {2U, 4U, 8U, 16U}) {
    peers.clear();
    open_both(options_for(DirectTransport::kName));
    for (std::uint32_t i = 0; i < waiting; ++i) send_placed(add_peer(), i);
    std::size_t placed = 0;
    b.seen.when_placed_comes = [&] {
      if (++placed > 1) return;
      const MessageBuffer first = b.transport->reserve(a_at_b, 8);
      ASSERT_TRUE(first);
      EXPECT_EQ(b.transport->commit(a_at_b, first, 8), PostStatus::kWouldBlock);
      b.transport->abandon(a_at_b, first);
    };
    b.transport->enable_placement();
    EXPECT_TRUE(until({&b}, [&] { return placed == waiting; })) << placed;
  }
}

TEST_F(DirectBeginnings, OfPlacedMessagesThatWaitAreBoundedToo) {
  begin_messages();
  std::size_t placed = 0;
  b.seen.when_placed_comes = [&] { ++placed; };
  // Without placement they wait.
  constexpr std::uint32_t kWaiting = 10;
  for (std::uint32_t i = 0; i < kWaiting; ++i) send_placed(add_peer(), i);
  EXPECT_EQ(kept_beginnings(), kMost);
  EXPECT_EQ(placed, 0U);
  b.transport->enable_placement();
  EXPECT_TRUE(until({&b}, [&] { return placed == kWaiting; })) << placed;
}

}  // namespace
}  // namespace lintel::transport
