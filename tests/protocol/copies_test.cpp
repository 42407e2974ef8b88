// Which transfers are copied through the engine's memory: small ones once on each side, large ones
// never.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class Copies : public ProtocolTest {
 protected:
  std::uint64_t counter(std::size_t rank, Counter which) {
    return job->process(rank).counters().get(which);
  }
  std::uint64_t copies() {
    return counter(0, Counter::kEagerCopies) + counter(1, Counter::kEagerCopies);
  }
  std::uint64_t bytes_in_messages() {
    return counter(0, Counter::kBytesReceived) + counter(1, Counter::kBytesReceived);
  }
  // The segments of a CLEAR are the only payload of a large transfer's messages.
  static constexpr std::uint64_t kSegmentBytes = 24;

  Bytes from = pattern(5000);
  Bytes to = Bytes(5000);
};

TEST_F(Copies, SmallPutIsCopiedOnceOnEachSide) {
  Bytes small = pattern(100);
  target(to, {.options = kBoth});
  put(source(small));
  EXPECT_EQ(copies(), 2U);
  EXPECT_EQ(part(to, 0, 100), small);
}

TEST_F(Copies, LargePutIsCopiedNowhere) {
  target(to, {.options = kBoth});
  put(source(from), {.ack = true});
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(counter(1, Counter::kDirectTransfers), 1U);
  EXPECT_EQ(bytes_in_messages(), kSegmentBytes);
  EXPECT_EQ(to, from);
}

TEST_F(Copies, LargeGetIsCopiedNowhere) {
  target(from, {.options = kBoth});
  get(source(to));
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(counter(0, Counter::kDirectTransfers), 1U);
  EXPECT_EQ(bytes_in_messages(), kSegmentBytes);
  EXPECT_EQ(to, from);
}

TEST_F(Copies, LargePutIntoAnIovecIsCopiedNowhere) {
  std::vector<Bytes> pieces{Bytes(1000), Bytes(3000), Bytes(1000)};
  attach(iovec_md(pieces, {.options = kPut}, 1));
  put(source(from));
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(bytes_in_messages(), 3 * kSegmentBytes);
  EXPECT_EQ(pieces[1], part(from, 1000, 3000));
}

TEST_F(Copies, LargePutThatIsTruncatedIsCopiedNowhereAndMovesOnlyWhatIsTaken) {
  Bytes shorter(3000);
  target(shorter, {.options = kPut | PTL_MD_TRUNCATE});
  put(source(from));
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(counter(0, Counter::kBytesSent), 3000U);
  EXPECT_EQ(shorter, part(from, 0, 3000));
}

TEST_F(Copies, LargeGetIntoAnIovecIsCopiedNowhere) {
  std::vector<Bytes> pieces{Bytes(1000), Bytes(3000), Bytes(1000)};
  target(from, {.options = kGet});
  get(bind(iovec_md(pieces, {}, 0)));
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(bytes_in_messages(), 3 * kSegmentBytes);
  EXPECT_EQ(pieces[1], part(from, 1000, 3000));
}

TEST_F(Copies, LargeGetThatIsTruncatedIsCopiedNowhereAndMovesOnlyWhatIsTaken) {
  Bytes shorter = part(from, 0, 3000);
  target(shorter, {.options = kGet | PTL_MD_TRUNCATE});
  get(source(to));
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(counter(1, Counter::kBytesSent), 3000U);
  EXPECT_EQ(part(to, 0, 3000), shorter);
  EXPECT_EQ(part(to, 3000, 2000), Bytes(2000));
}

TEST_F(Copies, LargePutThatIsTruncatedIntoAnIovecIsCopiedNowhere) {
  std::vector<Bytes> pieces{Bytes(1000), Bytes(2000)};
  attach(iovec_md(pieces, {.options = kPut | PTL_MD_TRUNCATE}, 1));
  put(source(from));
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(counter(0, Counter::kBytesSent), 3000U);
  EXPECT_EQ(pieces[1], part(from, 1000, 2000));
}

}  // namespace
}  // namespace lintel::testing
