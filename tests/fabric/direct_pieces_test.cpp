// Messages, writes and placed messages of two direct transports, each way at once, while their
// connection is lost after any byte of them: each has its effect once, in its place, and in order.
#include "tests/fabric/cutting_sockets.h"
#include "tests/fabric/fabric_pair.h"
#include "transport/direct/direct_transport.h"

namespace lintel::transport {
namespace {

class DirectPieces : public TwoNodes, public testing::TestWithParam<CutEnd> {
 protected:
  static constexpr std::size_t kBytes = 300;

  // One of the two, and what the other one does to it.
  struct Side {
    Node& node;
    PeerId other;
    std::vector<std::byte> target = std::vector<std::byte>(kBytes);
    std::vector<std::byte> expected = std::vector<std::byte>(kBytes);  // of a placed message
    Registration registration = {};
  };
  void open() {
    open_both(options_for(DirectTransport::kName));
    a.key = b.key = ResumptionKey{std::byte{1}};
    connect();
  }
  static void expose(Side& side) {
    side.node.transport->enable_placement();
    ASSERT_TRUE(side.node.transport->expect_placement(side.other, PlacementKey(1), side.expected));
    side.registration =
        side.node.transport->register_memory(side.other, side.target, Access::kWriteTarget).value();
  }
  // A piece of each kind, two of them placed; the first of these is expected.
  void send_pieces(Side& from, const Side& to, std::span<const std::byte> data) {
    Node& node = from.node;
    ASSERT_TRUE(send(node, from.other, data.first(20), {&a, &b}));
    ASSERT_TRUE(write(node, from.other, data, {to.registration.key, to.registration.base},
                      Immediate(9), Context(1), {&a, &b}));
    for (const std::uint64_t key : {1U, 2U}) {
      MessageBuffer buffer;
      ASSERT_TRUE(
          until_both([&] { return bool(buffer = node.transport->reserve(from.other, 8)); }));
      ASSERT_TRUE(until_both([&] {
        return node.transport->commit_placed(from.other, buffer, 8, data, PlacementKey(key),
                                             Context(1 + key)) == PostStatus::kOk;
      }));
    }
    ASSERT_TRUE(send(node, from.other, data.first(0), {&a, &b}));
  }
  static bool has_all(const Side& side) {
    const Recorder& seen = side.node.seen;
    return seen.message_count == 2 && seen.immediates.size() == 1 && seen.placed.size() == 2 &&
           seen.write_ends.size() == 3;
  }
  static void expect_all_well(const Side& side, const std::vector<std::byte>& data) {
    const Recorder& seen = side.node.seen;
    EXPECT_TRUE(seen.failures.empty());
    EXPECT_TRUE(std::equal(data.begin(), data.begin() + 20, seen.messages[0].begin()));
    EXPECT_TRUE(seen.messages[1].empty());
    EXPECT_EQ(side.target, data);
    EXPECT_EQ(side.expected, data);
    EXPECT_EQ(seen.placed, std::vector(2, data));
    for (std::uint64_t i = 0; i < seen.write_ends.size(); ++i) {
      EXPECT_EQ(seen.write_ends[i].context, Context(1 + i));
      EXPECT_TRUE(seen.write_ends[i].error.ok());
    }
  }
};

// Until the pieces and their acknowledgements come before the cut.
TEST_P(DirectPieces, ACutAfterAnyByteLosesNothingAndRepeatsNothing) {
  const std::vector<std::byte> of_a = pattern(kBytes, 1), of_b = pattern(kBytes, 2);
  std::size_t distance = 0;
  do {
    SCOPED_TRACE("byte " + std::to_string(distance));
    cuts = {};
    open();
    if (HasFatalFailure()) return;
    Side at_a{a, b_at_a}, at_b{b, a_at_b};
    expose(at_a);
    expose(at_b);
    cuts.end = GetParam();
    cuts.distances = {distance++};
    send_pieces(at_a, at_b, of_a);
    send_pieces(at_b, at_a, of_b);
    EXPECT_TRUE(until_both([&] { return has_all(at_a) && has_all(at_b); }));
    if (!HasFailure()) {
      expect_all_well(at_a, of_b);
      expect_all_well(at_b, of_a);
    }
    ASSERT_FALSE(HasFailure());
  } while (cuts.made > 0);
  EXPECT_GT(distance, 6 * kBytes) << "the test saw what it is about";
  cuts = {};
}

// What has arrived of a long write is not sent again, only what the kernel held of it.
TEST_P(DirectPieces, ACutLateInALongTransferRepeatsWhatTheKernelHeld) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  constexpr std::size_t kEach = 16 * kMiB, kWrites = 4, kAll = kWrites * kEach;
  const std::vector<std::byte> data = pattern(kAll, 1);
  std::vector<std::byte> target(kAll);
  cuts = {};
  open();
  limit_kernel_buffers(kMiB);
  const Registration registration =
      b.transport->register_memory(a_at_b, target, Access::kWriteTarget).value();
  cuts = {.distances = {kAll - kMiB}, .end = GetParam()};
  for (std::size_t at = 0; at < kAll; at += kEach) {
    ASSERT_TRUE(write(a, b_at_a, std::span(data).subspan(at, kEach),
                      {registration.key, registration.base + at}, Immediate(9), Context(at),
                      {&a, &b}));
  }
  ASSERT_TRUE(until_both(
      [&] { return b.seen.immediates.size() == kWrites && a.seen.write_ends.size() == kWrites; }));
  EXPECT_EQ(cuts.made, 1U);
  EXPECT_LT(cuts.sent, kAll + cuts.held + kMiB) << "with headers, greetings and acknowledgements";
  EXPECT_LT(cuts.sent, kAll + 5 * kMiB) << "the kernel held " << cuts.held << " bytes";
  EXPECT_TRUE(target == data);
  EXPECT_TRUE(a.seen.failures.empty() && b.seen.failures.empty());
  cuts = {};
}

INSTANTIATE_TEST_SUITE_P(Pieces, DirectPieces, all_cut_ends(), cut_test_name);

}  // namespace
}  // namespace lintel::transport
