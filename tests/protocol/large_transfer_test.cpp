// Operations above the eager limit of 1024 bytes, whose data move by writes: every layout, in
// several writes, truncated, refused, and with many seeds.

#include <algorithm>

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class LargeTransfer : public ProtocolTest {
 protected:
  // Limits writes to `bytes`, so that one transfer needs many.
  void start_with_small_writes(std::size_t bytes, std::uint64_t seed = 1) {
    JobOptions options;
    options.network.seed = seed;
    options.network.attributes.max_write_bytes = bytes;
    start(options);
  }
};

// The lengths of a region's pieces. {} is one contiguous piece.
using Layout = std::vector<std::size_t>;

struct LayoutCase {
  const char* name;
  Layout source;
  Layout target;
  std::size_t max_write;
};

class LargeTransferLayouts : public LargeTransfer,
                             public ::testing::WithParamInterface<LayoutCase> {
 protected:
  LargeTransferLayouts() { start_with_small_writes(GetParam().max_write); }
  static std::vector<Bytes> make(const Layout& layout) {
    std::vector<Bytes> pieces;
    for (const std::size_t length : layout) pieces.emplace_back(length);
    return pieces;
  }
  static void fill(std::vector<Bytes>& pieces, const Bytes& bytes) {
    std::size_t at = 0;
    for (Bytes& piece : pieces) {
      piece = part(bytes, at, piece.size());
      at += piece.size();
    }
  }
  static Bytes joined(const std::vector<Bytes>& pieces) {
    Bytes all;
    for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
    return all;
  }
  ptl_md_t describe(std::vector<Bytes>& pieces, const MdRules& rules, std::size_t rank) {
    return pieces.size() == 1 ? md(pieces[0], rules, rank) : iovec_md(pieces, rules, rank);
  }
  static constexpr std::size_t kSize = 10000;
  std::vector<Bytes> from = make(GetParam().source);
  std::vector<Bytes> to = make(GetParam().target);
};

TEST_P(LargeTransferLayouts, PutPlacesEveryByte) {
  fill(from, pattern(kSize));
  attach(describe(to, {.options = kPut}, 1));
  ASSERT_EQ(put(bind(describe(from, {}, 0)), {.ack = true}), PTL_OK);
  EXPECT_EQ(joined(to), pattern(kSize));
  EXPECT_EQ(story(0), "SEND_START 10000/10000@0 SEND_END 10000/10000@0 ACK 10000/10000@0");
  EXPECT_EQ(story(1), "PUT_START 10000/10000@0 PUT_END 10000/10000@0");
}

TEST_P(LargeTransferLayouts, GetFetchesEveryByte) {
  fill(to, pattern(kSize));
  attach(describe(to, {.options = kGet}, 1));
  ASSERT_EQ(get(bind(describe(from, {}, 0))), PTL_OK);
  EXPECT_EQ(joined(from), pattern(kSize));
  EXPECT_EQ(story(0), "REPLY_START 10000/10000@0 REPLY_END 10000/10000@0");
  EXPECT_EQ(story(1), "GET_START 10000/10000@0 GET_END 10000/10000@0");
}

TEST_P(LargeTransferLayouts, PutOfARegionToARemoteOffset) {
  fill(from, pattern(kSize));
  attach(describe(to, {.options = kPut | PTL_MD_MANAGE_REMOTE}, 1));
  ASSERT_EQ(PtlPutRegion(bind(describe(from, {}, 0)), 1234, 5555, PTL_NO_ACK_REQ, job->id(1),
                         kPortal, 0, kBits, 777, 0),
            PTL_OK);
  job->settle();
  Bytes expected(kSize);
  std::ranges::copy(part(pattern(kSize), 1234, 5555), expected.begin() + 777);
  EXPECT_EQ(joined(to), expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, LargeTransferLayouts,
    ::testing::Values(LayoutCase{"ContiguousToContiguous", {10000}, {10000}, 65536},
                      LayoutCase{"ContiguousToIovec", {10000}, {1, 4999, 0, 3000, 2000}, 65536},
                      LayoutCase{"IovecToContiguous", {2000, 0, 7999, 1}, {10000}, 65536},
                      LayoutCase{"IovecToIovec", {3333, 3333, 3334}, {5000, 1, 1, 4998}, 65536},
                      LayoutCase{"IovecToTheSameIovec", {5000, 5000}, {5000, 5000}, 65536},
                      LayoutCase{"ManyWrites", {10000}, {10000}, 100},
                      LayoutCase{
                          "ManyWritesIovecToIovec", {3333, 3333, 3334}, {5000, 1, 1, 4998}, 64}),
    [](const auto& instance) { return instance.param.name; });

TEST_F(LargeTransfer, IovecOfAsManyPiecesAsThereMayBe) {
  std::vector<Bytes> pieces(64, Bytes(100));
  Bytes data = pattern(6400);
  attach(iovec_md(pieces, {.options = kPut}, 1));
  ASSERT_EQ(put(source(data)), PTL_OK);
  for (std::size_t i = 0; i < pieces.size(); ++i) EXPECT_EQ(pieces[i], part(data, i * 100, 100));
}

TEST_F(LargeTransfer, EagerLimitIsInclusiveAndNothingShows) {
  for (const std::size_t length : {1023U, 1024U, 1025U}) {
    start({});
    Bytes memory(length), data = pattern(length), back(length);
    target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
    ASSERT_EQ(put(source(data), {.ack = true}), PTL_OK);
    ASSERT_EQ(get(source(back)), PTL_OK);
    EXPECT_EQ(back, data);
    EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK REPLY_START REPLY_END");
    EXPECT_EQ(kinds(1), "PUT_START PUT_END GET_START GET_END");
  }
}

TEST_F(LargeTransfer, TruncatedPutTakesWhatFits) {
  Bytes memory(3000), data = pattern(8000);
  target(memory, {.options = kPut | PTL_MD_TRUNCATE});
  ASSERT_EQ(put(source(data), {.ack = true}), PTL_OK);
  EXPECT_EQ(memory, part(data, 0, 3000));
  EXPECT_EQ(story(0), "SEND_START 8000/8000@0 SEND_END 8000/8000@0 ACK 3000/8000@0");
  EXPECT_EQ(story(1), "PUT_START 3000/8000@0 PUT_END 3000/8000@0");
}

TEST_F(LargeTransfer, TruncatedGetFetchesWhatThereIs) {
  Bytes memory = pattern(3000), back(8000);
  target(memory, {.options = kGet | PTL_MD_TRUNCATE});
  ASSERT_EQ(get(source(back)), PTL_OK);
  EXPECT_EQ(part(back, 0, 3000), memory);
  EXPECT_EQ(part(back, 3000, 5000), Bytes(5000));
  EXPECT_EQ(story(0), "REPLY_START 3000/8000@0 REPLY_END 3000/8000@0");
}

TEST_F(LargeTransfer, RefusedPutEndsAtItsSourceAndIsOneDrop) {
  Bytes data = pattern(8000);
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(put(md, {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(drops(1), 1U);
  EXPECT_EQ(status(1, PTL_SR_DROP_LENGTH), 8000U);
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

TEST_F(LargeTransfer, AckDisabledPutEndsEverywhere) {
  Bytes memory(8000), data = pattern(8000);
  const Entry entry = target(memory, {.options = kPut | PTL_MD_ACK_DISABLE});
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(put(md, {.ack = true}), PTL_OK);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

TEST_F(LargeTransfer, MdGoneBeforeTheReplyDropsItAndFreesItsSource) {
  Bytes memory = pattern(8000), back(8000);
  const Entry entry = target(memory, {.options = kGet});
  const ptl_handle_md_t md = source(back);
  ASSERT_EQ(post_get(md), PTL_OK);
  ASSERT_EQ(PtlMDUnlink(md), PTL_OK);
  job->settle();
  EXPECT_EQ(back, Bytes(8000));
  EXPECT_EQ(drops(0), 1U);
  EXPECT_EQ(status(0, PTL_SR_DROP_LENGTH), 8000U);
  EXPECT_EQ(kinds(1), "GET_START GET_END");
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

TEST_F(LargeTransfer, BothMdsAreBusyUntilTheDataHaveMoved) {
  Bytes memory(8000), data = pattern(8000);
  const Entry entry = target(memory, {.options = kPut});
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(post_put(md), PTL_OK);
  ASSERT_TRUE(run_until_put_starts());
  EXPECT_EQ(PtlMDUnlink(md), PTL_MD_IN_USE);
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_MD_IN_USE);
  EXPECT_EQ(unlink_me(entry.me), PTL_ME_IN_USE);
  EXPECT_TRUE(alive(entry.me, 1));
  job->settle();
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
  EXPECT_EQ(unlink_me(entry.me), PTL_OK);
}

TEST_F(LargeTransfer, QueueFreedMeanwhileLosesOnlyTheEvents) {
  Bytes memory(8000), data = pattern(8000);
  const Entry entry = target(memory, {.options = kPut, .threshold = 1, .unlink = PTL_UNLINK});
  ASSERT_EQ(post_put(source(data)), PTL_OK);
  ASSERT_TRUE(run_until_put_starts());
  job->as(1);
  ASSERT_EQ(PtlEQFree(queue(1)), PTL_OK);
  job->settle();
  EXPECT_EQ(memory, data);
  EXPECT_FALSE(alive(entry.md, 1));
}

TEST_F(LargeTransfer, UpdateMeanwhileDoesNotMoveWhereTheDataLand) {
  Bytes memory(8000), other(8000), data = pattern(8000);
  const Entry entry = target(memory, {.options = kPut});
  ASSERT_EQ(post_put(source(data)), PTL_OK);
  ASSERT_TRUE(run_until_put_starts());
  ASSERT_EQ(update(entry.md, md(other, {.options = kPut}, 1), PTL_EQ_NONE), PTL_OK);
  job->settle();
  EXPECT_EQ(memory, data);
  EXPECT_EQ(other, Bytes(8000));
}

TEST_F(LargeTransfer, ManyAtOnceInBothDirections) {
  constexpr std::size_t kEach = 5000;
  std::vector<Bytes> outgoing, landing;
  for (std::uint8_t i = 0; i < 20; ++i) {
    outgoing.push_back(pattern(kEach, i));
    landing.emplace_back(kEach);
  }
  for (std::size_t i = 0; i < 20; ++i)
    target(landing[i], {.options = kPut}, {.bits = i}, (i + 1) % 2);
  for (std::size_t i = 0; i < 20; ++i)
    ASSERT_EQ(post_put(source(outgoing[i], {}, i % 2), {.to = (i + 1) % 2, .ack = true, .bits = i},
                       i % 2),
              PTL_OK);
  job->settle();
  EXPECT_EQ(landing, outgoing);
}

// ---- With each seed the network reorders messages, writes and their completions differently.

class LargeTransferSeeds : public LargeTransfer,
                           public ::testing::WithParamInterface<std::uint64_t> {};

TEST_P(LargeTransferSeeds, SendEndComesBeforeAckAndAckAfterTheData) {
  start_with_small_writes(1000, GetParam());
  Bytes memory(8000), data = pattern(8000);
  target(memory, {.options = kPut});
  ASSERT_EQ(post_put(source(data, {.threshold = 2, .unlink = PTL_UNLINK}), {.ack = true}), PTL_OK);
  std::string seen;
  while (job->network().advance_to_next()) {
    job->settle(0ns);
    const std::string more = kinds(0);
    if (more.find("ACK") != std::string::npos) {
      EXPECT_EQ(memory, data);
    }
    seen += (seen.empty() || more.empty() ? "" : " ") + more;
  }
  EXPECT_EQ(seen, "SEND_START SEND_END ACK UNLINK");
}
INSTANTIATE_TEST_SUITE_P(Seeds, LargeTransferSeeds, ::testing::Range<std::uint64_t>(1, 31));

}  // namespace
}  // namespace lintel::testing
