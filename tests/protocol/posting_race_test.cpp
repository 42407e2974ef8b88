// Posting a receive while messages arrive: PtlMDUpdate and PtlMEMDPost with a test queue.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class PostingRace : public ProtocolTest {
 protected:
  // A match entry for unexpected messages at the tail, and an inactive receive before it.
  void arrange(unsigned more_options = 0) {
    unexpected = target(overflow, {.options = kPut | more_options});
    posted = target(user, {.options = kPut, .threshold = 0}, {.position = PTL_INS_BEFORE});
  }
  int activate() {
    return update(posted.md, md(user, {.options = kPut, .threshold = 1}, 1), queue(1));
  }

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

TEST_F(PostingRace, OwedEndRefusesTheUpdateAndComes) {
  arrange();
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  while (kinds(1) != "PUT_START") {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);  // matched already: the receive would overtake it
  job->settle();
  EXPECT_EQ(kinds(1), "PUT_END");  // an event was under way
  EXPECT_EQ(activate(), PTL_OK);
}

TEST_F(PostingRace, OwedEndCountsWithStartDisabledToo) {
  arrange(PTL_MD_EVENT_START_DISABLE);
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  while (unlink_me(unexpected.me) != PTL_ME_IN_USE) {
    // not matched yet
    unexpected = target(overflow, {.options = kPut | PTL_MD_EVENT_START_DISABLE});
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  ASSERT_EQ(kinds(1), "");
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT_END");
}

TEST_F(PostingRace, MessageThatHasNotBeenTakenInLeavesADrainedQueueEmptyAndMeetsTheReceive) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  take(1);
  ASSERT_EQ(post_put(source(data)), PTL_OK);
  while (job->network().advance_to_next()) {
  }  // the message is here, but process 1 has not polled
  EXPECT_EQ(activate(), PTL_OK);
  job->settle();
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT_END).md_handle, posted.md);
}

TEST_F(PostingRace, RefusedUpdateTakesInWhatIsOwed) {
  arrange(PTL_MD_EVENT_START_DISABLE);
  ASSERT_EQ(put(source(data)), PTL_OK);
  take(1);
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  // A program that calls nothing but PtlMDUpdate still sees its queue fill.
  int refusals = 0;
  while (activate() == PTL_OK) {
    ASSERT_EQ(update(posted.md, md(user, {.options = kPut, .threshold = 0}, 1), PTL_EQ_NONE),
              PTL_OK);
    job->poll(0);
    job->poll(1);
    ASSERT_TRUE(job->network().advance_to_next());
  }
  while (job->network().advance_to_next()) {
    job->poll(0);
    refusals += activate() == PTL_MD_NO_UPDATE ? 1 : 0;
  }
  EXPECT_GT(refusals, 0);
  EXPECT_EQ(kinds(1), "PUT_END");
}

// ---- A drained queue may still be owed events of operations that its own process started. None of
// them refuses the update.

class DrainedQueue : public PostingRace {
 protected:
  // Process 1 has put to process 0, or got from it, and has taken all events of its queue.
  void drain(const std::string& expected) { EXPECT_EQ(kinds(1), expected); }
  void expect_update_and_then(const std::string& expected) {
    EXPECT_EQ(activate(), PTL_OK);
    job->settle();
    EXPECT_EQ(kinds(1), expected);
  }
  // Process 0 attaches `memory` for operations of process 1.
  void offer(Bytes& memory) {
    target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE, .quiet = true}, {}, 0);
  }
  // Runs until an operation of process 1 has begun and its data move.
  void run_until(const std::string& expected) {
    std::string seen;
    while (seen != expected && job->network().advance_to_next()) {
      job->settle(0ns);
      seen = kinds(1);
    }
    ASSERT_EQ(seen, expected);
  }
  Bytes theirs = Bytes(8192);
};

TEST_F(DrainedQueue, AfterTrafficThatHasEndedIsEmpty) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  ASSERT_EQ(put(source(large)), PTL_OK);
  drain("PUT_START PUT_END PUT_START PUT_END");
  expect_update_and_then("");
}

TEST_F(DrainedQueue, SendEndOfASmallPutThatHasNotLeftDoesNotCount) {
  arrange();
  offer(theirs);
  // no session yet: the message waits
  ASSERT_EQ(post_put(source(data, {}, 1), {.to = 0}, 1), PTL_OK);
  drain("SEND_START");
  expect_update_and_then("SEND_END");
}

TEST_F(DrainedQueue, SendEndOfALargePutUnderWayDoesNotCount) {
  arrange();
  offer(theirs);
  ASSERT_EQ(post_put(source(large, {}, 1), {.to = 0, .ack = true}, 1), PTL_OK);
  drain("SEND_START");
  for (int i = 0; i < 3; ++i) {
    job->network().advance_to_next();
    job->settle(0ns);
  }
  drain("");
  expect_update_and_then("SEND_END ACK");
}

TEST_F(DrainedQueue, ReplyEndOfAGetUnderWayDoesNotCount) {
  arrange();
  offer(large);
  Bytes mine(4000);
  ASSERT_EQ(post_get(source(mine, {}, 1), {.to = 0}, 1), PTL_OK);
  run_until("REPLY_START");
  expect_update_and_then("REPLY_END");
  EXPECT_EQ(mine, large);
}

TEST_F(DrainedQueue, UnlinkOfAPutUnderWayDoesNotCount) {
  arrange();
  offer(theirs);
  ASSERT_EQ(post_put(source(large, {.threshold = 1, .unlink = PTL_UNLINK}, 1), {.to = 0}, 1),
            PTL_OK);
  drain("SEND_START");
  expect_update_and_then("SEND_END UNLINK");
}

TEST_F(DrainedQueue, AckThatIsToComeDoesNotCount) {
  arrange();
  offer(theirs);
  ASSERT_EQ(post_put(source(data, {}, 1), {.to = 0, .ack = true}, 1), PTL_OK);
  drain("SEND_START");
  run_until("SEND_END");
  expect_update_and_then("ACK");
}

TEST_F(DrainedQueue, UpdateOfTheMdWhoseOwnPutIsUnderWaySendsTheOldMemory) {
  offer(theirs);
  const ptl_handle_md_t md = source(large, {}, 1);
  ASSERT_EQ(post_put(md, {.to = 0}, 1), PTL_OK);
  drain("SEND_START");
  EXPECT_EQ(update(md, this->md(user, {}, 1), queue(1)), PTL_OK);
  job->settle();
  EXPECT_EQ(kinds(1), "SEND_END");
  EXPECT_EQ(part(theirs, 0, large.size()), large);
}

TEST_F(DrainedQueue, MessageThatIsStillLandingCountsThoughItsStartHasBeenTaken) {
  arrange();
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  ASSERT_TRUE(run_until_put_starts());
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);  // a receive that is posted now would overtake it
  job->settle();
  drain("PUT_END");
  expect_update_and_then("");
}

TEST_F(DrainedQueue, GetThatIsStillAnsweredCountsToo) {
  arrange();
  target(large, {.options = kGet}, {.bits = kBits + 1});
  Bytes fetched(4000);
  ASSERT_EQ(post_get(source(fetched), {.bits = kBits + 1}), PTL_OK);
  run_until("GET_START");
  EXPECT_EQ(activate(), PTL_MD_NO_UPDATE);
  job->settle();
  drain("GET_END");
  expect_update_and_then("");
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
    const int code = PtlMEMDPost(job->ni(), unexpected.me, kAnyone, kBits, 0, PTL_UNLINK,
                                 PTL_INS_BEFORE, md(user, {.options = kPut, .threshold = 1}, 1),
                                 PTL_UNLINK, &made.me, &made.md, test_queue);
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

TEST_F(PostEntry, SendEndThatIsOwedToADrainedQueueDoesNotRefuse) {
  arrange();
  Bytes theirs(8192);
  target(theirs, {.options = kPut, .quiet = true}, {}, 0);
  ASSERT_EQ(post_put(source(large, {}, 1), {.to = 0}, 1), PTL_OK);
  ASSERT_EQ(kinds(1), "SEND_START");
  EXPECT_EQ(post(queue(1)), PTL_OK);
  job->settle();
  EXPECT_EQ(kinds(1), "SEND_END");
}

TEST_F(PostEntry, NoTestQueueAlwaysPosts) {
  arrange();
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(post(PTL_EQ_NONE), PTL_OK);
}

// The complete posting protocol against messages that arrive at any time: each lands in the receive
// or in the overflow, in order, none twice.
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
INSTANTIATE_TEST_SUITE_P(Times, PostingProtocol, ::testing::Range(0, 24));

}  // namespace
}  // namespace lintel::testing
