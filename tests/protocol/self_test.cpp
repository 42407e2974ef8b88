// Operations on oneself behave like remote ones.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class Self : public ProtocolTest {
 protected:
  Entry mine(Bytes& region, const MdRules& rules) { return target(region, rules, {}, 0); }
  Bytes data = pattern(8);
  Bytes memory = Bytes(8);
};

constexpr Call kHere{.to = 0};
constexpr Call kHereWithAck{.to = 0, .ack = true};

TEST_F(Self, Put) {
  mine(memory, {.options = kPut});
  ASSERT_EQ(put(source(data), kHereWithAck), PTL_OK);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END PUT_START PUT_END ACK");
}

TEST_F(Self, Get) {
  memory = pattern(8, 9);
  mine(memory, {.options = kGet});
  ASSERT_EQ(get(source(data), kHere), PTL_OK);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(kinds(0), "GET_START GET_END REPLY_START REPLY_END");
}

TEST_F(Self, GetPut) {
  memory = pattern(8, 9);
  Bytes old(8);
  mine(memory, {.options = kBoth});
  ASSERT_EQ(get_put(source(old), source(data), kHere), PTL_OK);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(old, pattern(8, 9));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END GETPUT_START GETPUT_END REPLY_START REPLY_END");
}

TEST_F(Self, LargePutAndGet) {
  Bytes big = pattern(200000), there(200000), back(200000);
  mine(there, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  ASSERT_EQ(put(source(big), kHereWithAck), PTL_OK);
  EXPECT_EQ(there, big);
  EXPECT_EQ(kinds(0), "SEND_START PUT_START SEND_END PUT_END ACK");
  ASSERT_EQ(get(source(back), kHere), PTL_OK);
  EXPECT_EQ(back, big);
}

TEST_F(Self, NothingHappensInsideTheCall) {
  mine(memory, {.options = kPut});
  ASSERT_EQ(post_put(source(data), kHere), PTL_OK);
  EXPECT_EQ(memory, Bytes(8));
  job->settle();
  EXPECT_EQ(memory, data);
}

TEST_F(Self, NoMatchIsDroppedAndCounted) {
  ASSERT_EQ(put(source(data), kHereWithAck), PTL_OK);
  ASSERT_EQ(get(source(data), kHere), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(drops(0), 2U);
}

TEST_F(Self, AccessIsChecked) {
  mine(memory, {.options = kPut});
  ASSERT_EQ(PtlACEntry(job->ni(), 0, job->id(1), PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY),
            PTL_OK);
  ASSERT_EQ(put(source(data), kHere), PTL_OK);
  EXPECT_EQ(status(0, PTL_SR_DROP_ACCESS), 1U);
}

TEST_F(Self, OverlappingRegionsOfOneMd) {
  for (const std::size_t length : {100U, 5000U}) {
    start({});
    Bytes both = pattern(2 * length);
    const Bytes before = part(both, 0, length);
    const Entry entry = mine(both, {.options = kPut | PTL_MD_MANAGE_REMOTE});
    // the network moves a large one: source and destination must not overlap
    const ptl_size_t shift = length == 100 ? 10 : length;
    ASSERT_EQ(
        PtlPutRegion(entry.md, 0, length, PTL_NO_ACK_REQ, job->id(0), kPortal, 0, kBits, shift, 0),
        PTL_OK);
    job->settle();
    EXPECT_EQ(part(both, shift, length), before) << length;
  }
}

TEST_F(Self, GetPutOfAnMdWithItself) {
  const Entry entry = mine(data, {.options = kBoth, .threshold = 3, .unlink = PTL_UNLINK});
  ASSERT_EQ(get_put(entry.md, entry.md, kHere), PTL_OK);
  EXPECT_EQ(data, pattern(8));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END GETPUT_START GETPUT_END REPLY_START REPLY_END UNLINK");
}

TEST_F(Self, ThousandsWithoutWaiting) {
  Bytes one = pattern(1);
  mine(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE, .quiet = true});
  const ptl_handle_md_t from = source(one, {.quiet = true});
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(post_put(from, kHere), PTL_OK);
  job->settle();
  EXPECT_EQ(status(0, PTL_SR_RECV_COUNT), 5000U);
}

}  // namespace
}  // namespace lintel::testing
