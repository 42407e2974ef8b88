// Posting a receive while messages arrive: PtlMDUpdate and PtlMEMDPost with a test queue. Pitfalls 26 and 27 are here.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class PostingRace : public ProtocolTest {
 protected:
  // An unexpected-message entry at the tail, and a receive before it that is not active yet.
  void arrange(unsigned more_options = 0) {
    unexpected = target(overflow, {.options = kPut | more_options});
    posted = target(user, {.options = kPut, .threshold = 0}, {.position = PTL_INS_BEFORE});
  }
  int activate() { return update(posted.md, md(user, {.options = kPut, .threshold = 1}, 1), queue(1)); }

  Bytes overflow = Bytes(16384);
  Bytes user = Bytes(8192);
  Bytes data = pattern(8);
  Bytes large = pattern(4000);
  Entry unexpected;
  Entry posted;
};

TEST_F(PostingRace, EmptyQueueActivatesTheReceive) {
  arrange();
  ASSERT_EQ(activate(), PTL_OK);
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT_END).md_handle, posted.md);
  EXPECT_EQ(part(user, 0, 8), data);
}

TEST_F(PostingRace, UnreadEventRefusesTheUpdateAndNothingChanges) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);
  EXPECT_EQ(state_of(posted.md, 1).threshold, 0);
  take(1);
  EXPECT_EQ(activate(), PTL_OK);
}

TEST_F(PostingRace, EventStaysUnreadUntilItIsHandedOut) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  ptl_event_t event;
  job->as(1);
  ASSERT_EQ(PtlEQGet(queue(1), &event), PTL_OK);  // START
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);
  job->as(1);
  ASSERT_EQ(PtlEQGet(queue(1), &event), PTL_OK);  // END
  EXPECT_EQ(activate(), PTL_OK);
}

TEST_F(PostingRace, P26_P27_OwedEndRefusesTheUpdateAndComes) {
  arrange();
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  while (kinds(1) != "PUT_START") {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);  // matched already: the receive would overtake it
  job->settle();
  EXPECT_EQ(kinds(1), "PUT_END");  // an event was on its way
  EXPECT_EQ(activate(), PTL_OK);
}

TEST_F(PostingRace, P26_OwedEndCountsWithStartDisabledToo) {
  arrange(PTL_MD_EVENT_START_DISABLE);
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  while (unlink_me(unexpected.me) != PTL_ME_IN_USE) {
    unexpected = target(overflow, {.options = kPut | PTL_MD_EVENT_START_DISABLE});  // not matched yet
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  ASSERT_EQ(kinds(1), "");
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT_END");
}

TEST_F(PostingRace, ArrivedMessageIsSeenByTheUpdateItself) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  take(1);
  ASSERT_EQ(post_put(source(data)), PTL_OK);
  while (job->network().advance_to_next()) {
  }  // it is here, but process 1 has not polled
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
}

TEST_F(PostingRace, OldIsFilledThoughNothingIsUpdated) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  job->as(1);
  ptl_md_t old{};
  ptl_md_t fresh = md(user, {.options = kPut, .threshold = 1}, 1);
  EXPECT_EQ(PtlMDUpdate(posted.md, &old, &fresh, queue(1)), PTL_MD_NO_UPDATE);
  EXPECT_EQ(old.start, user.data());
  EXPECT_EQ(old.threshold, 0);
}

TEST_F(PostingRace, NoNewMdLooksAtNoQueue) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  job->as(1);
  ptl_md_t old{};
  EXPECT_EQ(PtlMDUpdate(posted.md, &old, nullptr, queue(1)), PTL_OK);
  EXPECT_EQ(PtlMDUpdate(posted.md, &old, nullptr, PTL_INVALID_HANDLE), PTL_OK);
}

TEST_F(PostingRace, NoTestQueueUpdatesWhateverIsUnread) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(update(posted.md, md(user, {.options = kPut, .threshold = 1}, 1), PTL_EQ_NONE), PTL_OK);
}

TEST_F(PostingRace, TestQueueNeedNotBeTheMdsOwn) {
  arrange();
  job->as(1);
  ptl_handle_eq_t other = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 8, PTL_EQ_HANDLER_NONE, &other), PTL_OK);
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(update(posted.md, md(user, {.options = kPut, .threshold = 1}, 1), other), PTL_OK);
}

TEST_F(PostingRace, UpdateReplacesEveryMember) {
  arrange();
  job->as(1);
  ptl_handle_eq_t other = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 8, PTL_EQ_HANDLER_NONE, &other), PTL_OK);
  ptl_md_t fresh{overflow.data(), 100, 9, 5, kGet | PTL_MD_MAX_SIZE, this, other};
  ASSERT_EQ(update(posted.md, fresh, PTL_EQ_NONE), PTL_OK);
  const ptl_md_t state = state_of(posted.md, 1);
  EXPECT_EQ(state.start, overflow.data());
  EXPECT_EQ(state.length, 100U);
  EXPECT_EQ(state.threshold, 9);
  EXPECT_EQ(state.max_size, 5U);
  EXPECT_EQ(state.options, kGet | PTL_MD_MAX_SIZE);
  EXPECT_EQ(state.user_ptr, this);
  EXPECT_EQ(state.eq_handle, other);
}

// ---- PtlMEMDPost: the same in one call

class PostEntry : public PostingRace {
 protected:
  int post(ptl_handle_eq_t test_queue) {
    job->as(1);
    const int code = PtlMEMDPost(job->ni(), unexpected.me, kAnyone, kBits, 0, PTL_UNLINK, PTL_INS_BEFORE,
                                 md(user, {.options = kPut, .threshold = 1}, 1), PTL_UNLINK, &made.me, &made.md, test_queue);
    job->as(0);
    return code;
  }
  Entry made;
};

TEST_F(PostEntry, EmptyQueueMakesEntryAndMdBeforeTheBase) {
  arrange();
  ASSERT_EQ(post(queue(1)), PTL_OK);
  ASSERT_EQ(put(source(data)), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_START PUT_END UNLINK");
  EXPECT_EQ(events[0].md_handle, made.md);
  EXPECT_FALSE(alive(made.me, 1));
}

TEST_F(PostEntry, UnreadEventRefusesAndMakesNothing) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  const std::uint64_t entries = status(1, PTL_SR_MES_CUR);
  const std::uint64_t mds = status(1, PTL_SR_MDS_CUR);
  EXPECT_EQ(post(queue(1)), PTL_MD_NO_UPDATE);
  EXPECT_EQ(status(1, PTL_SR_MES_CUR), entries);
  EXPECT_EQ(status(1, PTL_SR_MDS_CUR), mds);
  EXPECT_EQ(made.me, PTL_INVALID_HANDLE);
}

TEST_F(PostEntry, OwedEndRefuses) {
  arrange();
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  while (kinds(1) != "PUT_START") {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  EXPECT_EQ(post(queue(1)), PTL_MD_NO_UPDATE);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT_END");
}

TEST_F(PostEntry, NoTestQueueAlwaysPosts) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(post(PTL_EQ_NONE), PTL_OK);
}

// The whole protocol of 11.3, against messages that arrive at any moment: each lands in the receive or in the overflow, in order, none twice.
class PostingProtocol : public PostingRace, public ::testing::WithParamInterface<int> {};

TEST_P(PostingProtocol, EachMessageIsFoundOnce) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  take(1);
  ASSERT_EQ(post_put(source(GetParam() % 2 == 0 ? data : large), {.hdr_data = 1}), PTL_OK);
  for (int i = 0; i < GetParam(); ++i) job->network().advance_to_next();
  Events seen;
  while (activate() == PTL_MD_NO_UPDATE) {
    for (const ptl_event_t& event : take(1)) seen.push_back(event);
    job->settle(0ns);
    job->network().advance_to_next();
  }
  job->settle();
  for (const ptl_event_t& event : take(1)) seen.push_back(event);
  ASSERT_EQ(kinds(seen), "PUT_START PUT_END");
  EXPECT_EQ(seen[0].md_handle, seen[1].md_handle);
  EXPECT_EQ(seen[0].hdr_data, 1U);
}
INSTANTIATE_TEST_SUITE_P(Moments, PostingProtocol, ::testing::Range(0, 24));

}  // namespace
}  // namespace lintel::testing
