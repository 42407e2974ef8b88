// Rules that are often got wrong: what a memory descriptor counts, and when it is unlinked.

#include <algorithm>

#include "tests/protocol/pitfalls.h"

namespace lintel::testing {
namespace {

TEST_F(Pitfalls, ThresholdCountsOperationsWithNoQueue) {
  Bytes memory(8), data = pattern(1);
  const Entry entry = target(memory, {.options = kPut, .threshold = 3, .quiet = true});
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(state_of(entry.md, 1).threshold, 2);
}

TEST_F(Pitfalls, ThresholdCountsOperationsWithEventsDisabled) {
  Bytes memory(8), data = pattern(1);
  const Entry entry = target(
      memory,
      {.options = kPut | PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE, .threshold = 3});
  const ptl_handle_md_t from = source(
      data, {.options = PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE, .threshold = 5});
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(state_of(entry.md, 1).threshold, 2);
  EXPECT_EQ(state_of(from, 0).threshold, 4);
  EXPECT_EQ(kinds(0) + kinds(1), "");
}

TEST_F(Pitfalls, ThresholdCountsOneForStartAndEnd) {
  Bytes memory(8), data = pattern(1);
  target(memory, {.options = kPut, .threshold = 3});
  ASSERT_EQ(put(source(data)), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_START PUT_END");
  EXPECT_EQ(events[0].md.threshold, 2);
  EXPECT_EQ(events[1].md.threshold, 2);
}

TEST_F(Pitfalls, PutAndItsAckAreTwoUnits) {
  Bytes memory(8), data = pattern(1);
  target(memory, {.options = kPut});
  const ptl_handle_md_t from = source(data, {.threshold = 2, .unlink = PTL_UNLINK});
  ASSERT_EQ(put(from, {.ack = true}), PTL_OK);
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "SEND_START SEND_END ACK UNLINK");
  EXPECT_EQ(events[1].md.threshold, 1);
  EXPECT_EQ(events[2].md.threshold, 0);
  EXPECT_FALSE(alive(from, 0));
}

TEST_F(Pitfalls, PutAckAndGetServedAreThreeUnits) {
  Bytes memory(8), data = pattern(1), back(1);
  target(memory, {.options = kPut});
  const Entry mine = target(data, {.options = kGet, .threshold = 3, .unlink = PTL_UNLINK}, {}, 0);
  ASSERT_EQ(put(mine.md, {.ack = true}), PTL_OK);
  ASSERT_EQ(get(source(back, {}, 1), {.to = 0}, 1), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK GET_START GET_END UNLINK");
}

TEST_F(Pitfalls, AckAfterAutoUnlinkIsACountedDrop) {
  Bytes memory(8), data = pattern(1);
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data, {.threshold = 1, .unlink = PTL_UNLINK}), {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END UNLINK");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(Pitfalls, FailedPutHasNoAckSoItTakesOneUnitAndTheMdStays) {
  Bytes data = pattern(1);
  job->kill(1, transport::Death::kNoticed);
  const ptl_handle_md_t from = source(data, {.threshold = 2, .unlink = PTL_UNLINK});
  ASSERT_EQ(post_put(from, {.ack = true}), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END!PEER_DEAD");
  EXPECT_EQ(state_of(from, 0).threshold, 1);
  EXPECT_EQ(unlink_md(from, 0), PTL_OK);
}

TEST_F(Pitfalls, UnlimitedNeverDecrements) {
  Bytes memory(8), data = pattern(1);
  const Entry entry = target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t from = source(data);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(put(from, {.ack = true}), PTL_OK);
  EXPECT_EQ(state_of(entry.md, 1).threshold, PTL_MD_THRESH_INF);
  EXPECT_EQ(state_of(from, 0).threshold, PTL_MD_THRESH_INF);
}

TEST_F(Pitfalls, ZeroNeverBecomesUnlimited) {
  Bytes memory(8), data = pattern(1);
  target(memory, {.options = kPut});
  // the put takes the only unit; the ack takes none
  const ptl_handle_md_t from = source(data, {.threshold = 1});
  ASSERT_EQ(put(from, {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
  EXPECT_EQ(state_of(from, 0).threshold, 0);
  EXPECT_EQ(put(from), PTL_MD_INVALID);
}

TEST_F(Pitfalls, OtherNegativeThresholdsAreZero) {
  Bytes data = pattern(1);
  EXPECT_EQ(put(source(data, {.threshold = -2})), PTL_MD_INVALID);
}

TEST_F(Pitfalls, CreationWithThresholdZeroDoesNotUnlink) {
  Bytes memory(8);
  const Entry entry = target(memory, {.options = kPut, .threshold = 0, .unlink = PTL_UNLINK});
  job->settle();
  EXPECT_TRUE(alive(entry.md, 1));
  EXPECT_EQ(kinds(1), "");
}

TEST_F(Pitfalls, UpdateToThresholdZeroDoesNotUnlink) {
  Bytes memory(8);
  const Entry entry = target(memory, {.options = kPut, .threshold = 5, .unlink = PTL_UNLINK});
  ASSERT_EQ(update(entry.md, md(memory, {.options = kPut, .threshold = 0}, 1), PTL_EQ_NONE),
            PTL_OK);
  EXPECT_TRUE(alive(entry.md, 1));
  EXPECT_EQ(kinds(1), "");
}

TEST_F(Pitfalls, UpdateActivatesAnInactiveMd) {
  Bytes memory(8), data = pattern(8);
  const Entry entry = target(memory, {.options = kPut, .threshold = 0});
  ASSERT_EQ(update(entry.md, md(memory, {.options = kPut, .threshold = 1}, 1), PTL_EQ_NONE),
            PTL_OK);
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(memory, data);
}

TEST_F(Pitfalls, UnlinkWaitsForTheLastPendingOperation) {
  start({.processes = 3});
  Bytes memory(8192), large = pattern(4096), small = pattern(8);
  const Entry entry = target(memory, {.options = kPut, .threshold = 2, .unlink = PTL_UNLINK});
  // opens the session, so that the next put overtakes nothing
  ASSERT_EQ(put(source(small, {}, 2), {.portal = 9}, 2), PTL_OK);
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  std::string seen;
  while (seen.empty()) {  // the large put has matched and its data are under way
    job->settle(0ns);
    ASSERT_TRUE(job->network().advance_to_next());
    seen = kinds(1);
  }
  ASSERT_EQ(seen, "PUT_START");
  job->kill(0, transport::Death::kSilent);  // its remaining data will not come
  ASSERT_EQ(put(source(small, {}, 2), {}, 2), PTL_OK);
  // its threshold reached zero, but another operation ends later
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
  EXPECT_TRUE(alive(entry.md, 1));
  job->run(30s);
  EXPECT_EQ(kinds(1), "PUT_END!PEER_DEAD UNLINK");
  EXPECT_FALSE(alive(entry.md, 1));
}

TEST_F(Pitfalls, ExactlyMaxSizeLeftIsStillActive) {
  Bytes memory(16), data = pattern(8);
  const Entry entry =
      target(memory, {.options = kPut | PTL_MD_MAX_SIZE, .unlink = PTL_UNLINK, .max_size = 8});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_TRUE(alive(entry.md, 1));
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END UNLINK");
}

TEST_F(Pitfalls, OneByteLessThanMaxSizeIsInactive) {
  Bytes memory(15), data = pattern(8);
  const Entry entry = target(memory, {.options = kPut | PTL_MD_MAX_SIZE, .max_size = 8});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  Bytes one = pattern(1);
  ASSERT_EQ(put(source(one)), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
  EXPECT_EQ(drops(1), 1U);
  EXPECT_TRUE(alive(entry.md, 1));  // retained: inactive, not gone
}

TEST_F(Pitfalls, FullMdDoesNotUnderflow) {
  Bytes memory(8), data = pattern(8);
  const Entry entry = target(
      memory,
      {.options = kPut | PTL_MD_MAX_SIZE | PTL_MD_TRUNCATE, .unlink = PTL_UNLINK, .max_size = 1});
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END UNLINK");
  EXPECT_FALSE(alive(entry.md, 1));
}

TEST_F(Pitfalls, MaxSizeIsIgnoredWithRemoteOffsets) {
  Bytes memory(8), data = pattern(8);
  const Entry entry = target(memory, {.options = kPut | PTL_MD_MAX_SIZE | PTL_MD_MANAGE_REMOTE,
                                      .unlink = PTL_UNLINK,
                                      .max_size = 4});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END PUT_START PUT_END");
  EXPECT_TRUE(alive(entry.md, 1));
}

TEST_F(Pitfalls, LocalOffsetAdvancesByTheManipulatedLength) {
  Bytes memory(10), data = pattern(4);
  target(memory, {.options = kPut | PTL_MD_TRUNCATE});
  const ptl_handle_md_t from = source(data);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(
      story(1),
      "PUT_START 4/4@0 PUT_END 4/4@0 PUT_START 4/4@4 PUT_END 4/4@4 PUT_START 2/4@8 PUT_END 2/4@8");
}

TEST_F(Pitfalls, LocalOffsetAdvancesAtMatchTime) {
  start({.processes = 3});
  Bytes memory(8192), large = pattern(4000), other = pattern(4000, 9);
  target(memory, {.options = kPut});
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  ASSERT_EQ(post_put(source(other, {}, 2), {}, 2), PTL_OK);
  job->settle();
  const Events events = take(1);
  ASSERT_EQ(events.size(), 4U);
  // two at 0, two at 4000
  EXPECT_EQ(events[0].offset + events[1].offset + events[2].offset + events[3].offset, 2 * 4000U);
  const bool first_is_large = events[0].initiator.nid == job->id(0).nid;
  EXPECT_EQ(part(memory, first_is_large ? 0 : 4000, 4000), large);
  EXPECT_EQ(part(memory, first_is_large ? 4000 : 0, 4000), other);
}

TEST_F(Pitfalls, FailedTransferDoesNotGiveTheRoomBack) {
  start({.processes = 3});
  Bytes memory(8192), large = pattern(4000), small = pattern(8);
  target(memory, {.options = kPut});
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  while (job->network().advance_to_next() && kinds(1) != "PUT_START") {
    job->settle(0ns);
  }
  job->kill(0, transport::Death::kNoticed);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT_END!PEER_DEAD");
  ASSERT_EQ(put(source(small, {}, 2), {}, 2), PTL_OK);
  EXPECT_EQ(story(1), "PUT_START 8/8@4000 PUT_END 8/8@4000");
}

TEST_F(Pitfalls, InitiatorRoleIgnoresTheLocalOffset) {
  Bytes memory(8), data = pattern(8), incoming = pattern(2, 7);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  const Entry mine = target(data, {.options = kPut}, {}, 0);
  // the local offset of `mine` is 2 now
  ASSERT_EQ(put(source(incoming, {}, 1), {.to = 0}, 1), PTL_OK);
  ASSERT_EQ(put(mine.md), PTL_OK);
  EXPECT_EQ(memory, data);
  std::ranges::copy(pattern(8, 5), memory.begin());
  ASSERT_EQ(get(mine.md), PTL_OK);
  EXPECT_EQ(data, memory);
  ASSERT_EQ(put(source(incoming, {}, 1), {.to = 0}, 1), PTL_OK);
  EXPECT_EQ(part(data, 2, 2), incoming);  // unchanged: the initiator's role does not move it
}

TEST_F(Pitfalls, RemoteOffsetCountsWithManageRemote) {
  Bytes memory(8), data = pattern(2);
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from, {.offset = 5}), PTL_OK);
  ASSERT_EQ(put(from, {.offset = 0}), PTL_OK);
  EXPECT_EQ(story(1), "PUT_START 2/2@5 PUT_END 2/2@5 PUT_START 2/2@0 PUT_END 2/2@0");
}

TEST_F(Pitfalls, RemoteOffsetIsIgnoredWithALocalOne) {
  Bytes memory(8), data = pattern(2);
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data), {.offset = 1ULL << 40}), PTL_OK);
  EXPECT_EQ(story(1), "PUT_START 2/2@0 PUT_END 2/2@0");
}

TEST_F(Pitfalls, HostileRemoteOffsetsDoNotOverflow) {
  Bytes memory(8), data = pattern(4);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE});
  const ptl_handle_md_t from = source(data);
  for (const ptl_size_t offset : std::vector<ptl_size_t>{UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 3,
                                                         UINT64_MAX - 7, 1ULL << 63, 9ULL << 60}) {
    ASSERT_EQ(put(from, {.offset = offset}), PTL_OK);
    ASSERT_EQ(get(from, {.offset = offset}), PTL_OK);
  }
  EXPECT_EQ(drops(1), 12U);
  EXPECT_EQ(memory, Bytes(8));
}

TEST_F(Pitfalls, UpdateRewindsTheLocalOffset) {
  Bytes memory(8), data = pattern(4);
  const Entry entry = target(memory, {.options = kPut});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  take(1);
  ASSERT_EQ(update(entry.md, md(memory, {.options = kPut}, 1), PTL_EQ_NONE), PTL_OK);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(story(1), "PUT_START 4/4@0 PUT_END 4/4@0");
}

TEST_F(Pitfalls, UpdateDoesNotChangeTheUnlinkOp) {
  Bytes memory(8), data = pattern(4);
  const Entry entry = target(memory, {.options = kPut, .threshold = 0, .unlink = PTL_UNLINK});
  ASSERT_EQ(update(entry.md, md(memory, {.options = kPut, .threshold = 1}, 1), PTL_EQ_NONE),
            PTL_OK);
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END UNLINK");
}

TEST_F(Pitfalls, UpdateComesTooLateForAnMdWhoseAutoUnlinkIsDue) {
  Bytes memory(8192), large = pattern(4096);
  const Entry entry = target(memory, {.options = kPut, .threshold = 1, .unlink = PTL_UNLINK});
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  ASSERT_TRUE(run_until_put_starts());
  EXPECT_TRUE(alive(entry.md, 1));
  // its END is owed
  EXPECT_EQ(update(entry.md, md(memory, {.options = kPut}, 1), queue(1)), PTL_MD_NO_UPDATE);
  EXPECT_EQ(update(entry.md, md(memory, {.options = kPut}, 1), PTL_EQ_NONE), PTL_MD_INVALID);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT_END UNLINK");
}

TEST_F(Pitfalls, UpdateChecksItsMdLikeAttach) {
  Bytes memory(8);
  const Entry entry = target(memory, {.options = kPut});
  ptl_md_t bad = md(memory, {.options = kPut}, 1);
  bad.start = nullptr;
  EXPECT_EQ(update(entry.md, bad, PTL_EQ_NONE), PTL_MD_ILLEGAL);
  bad = md(memory, {.options = kPut}, 1);
  bad.eq_handle = PTL_HANDLE_NONE;
  EXPECT_EQ(update(entry.md, bad, PTL_EQ_NONE), PTL_EQ_INVALID);
  EXPECT_EQ(state_of(entry.md, 1).start, memory.data());
}

TEST_F(Pitfalls, IovecIsOneFlatSpaceOfBytes) {
  std::vector<Bytes> pieces{Bytes(3), Bytes(0), Bytes(5), Bytes(4)};
  Bytes data = pattern(6);
  attach(iovec_md(pieces, {.options = kPut | PTL_MD_MANAGE_REMOTE}, 1));
  ASSERT_EQ(put(source(data), {.offset = 2}), PTL_OK);
  EXPECT_EQ(story(1), "PUT_START 6/6@2 PUT_END 6/6@2");
  EXPECT_EQ(part(pieces[0], 2, 1), part(data, 0, 1));
  EXPECT_EQ(pieces[2], part(data, 1, 5));
  EXPECT_EQ(pieces[3], Bytes(4));
}

TEST_F(Pitfalls, IovecLengthIsEntriesInTheMdAndBytesElsewhere) {
  std::vector<Bytes> pieces{pattern(3), pattern(5, 2)};
  Bytes memory(8);
  target(memory, {.options = kPut});
  ASSERT_EQ(put(bind(iovec_md(pieces, {}, 0))), PTL_OK);
  const Events events = take(0);
  ASSERT_EQ(story(events), "SEND_START 8/8@0 SEND_END 8/8@0");
  EXPECT_EQ(events[0].md.length, 2U);
  EXPECT_EQ(part(memory, 0, 3), pieces[0]);
  EXPECT_EQ(part(memory, 3, 5), pieces[1]);
}

TEST_F(Pitfalls, IovecArrayIsCopied) {
  std::vector<Bytes> pieces{Bytes(4), Bytes(4)};
  Bytes data = pattern(8);
  const ptl_md_t description = iovec_md(pieces, {.options = kPut}, 1);
  attach(description);
  auto* list = static_cast<ptl_md_iovec_t*>(description.start);
  list[0] = {nullptr, 99};
  list[1] = {nullptr, 99};
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(pieces[0], part(data, 0, 4));
  EXPECT_EQ(pieces[1], part(data, 4, 4));
}

TEST_F(Pitfalls, LaterChangesToTheCallersMdHaveNoEffect) {
  Bytes memory(8), data = pattern(8);
  ptl_md_t description = md(memory, {.options = kPut}, 1);
  attach(description);
  description = {};
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(memory, data);
}

TEST_F(Pitfalls, WaitingForAReplyOrAnAckIsNotPending) {
  Bytes data = pattern(8);
  ASSERT_EQ(put(source(data), {}), PTL_OK);  // the session is open now
  const ptl_handle_md_t getting = source(data);
  const ptl_handle_md_t putting = source(data);
  ASSERT_EQ(post_get(getting), PTL_OK);
  ASSERT_EQ(post_put(putting, {.ack = true}), PTL_OK);
  EXPECT_EQ(unlink_md(getting, 0), PTL_OK);
  EXPECT_EQ(unlink_md(putting, 0), PTL_OK);
}

TEST_F(Pitfalls, LateAnswersAreRecognisedThoughTheSlotIsUsedAgain) {
  constexpr ptl_ni_limits_t kOneMd{.max_mes = 8,
                                   .max_mds = 1,
                                   .max_eqs = 8,
                                   .max_ac_index = 1,
                                   .max_pt_index = 8,
                                   .max_md_iovecs = 8,
                                   .max_me_list = 8,
                                   .max_getput_md = 64};
  start({.limits = kOneMd});
  Bytes memory = pattern(8), old(8), innocent(8);
  target(memory, {.options = kGet});
  const ptl_handle_md_t opening = source(old);
  ASSERT_EQ(get(opening, {.portal = 5}), PTL_OK);  // opens the session; nobody answers
  ASSERT_EQ(unlink_md(opening, 0), PTL_OK);
  const ptl_handle_md_t first = source(old);
  ASSERT_EQ(post_get(first), PTL_OK);
  ASSERT_EQ(unlink_md(first, 0), PTL_OK);
  const ptl_handle_md_t second = source(innocent);  // takes the only slot
  EXPECT_NE(second, first);
  job->settle();
  EXPECT_EQ(innocent, Bytes(8));
  EXPECT_EQ(old, Bytes(8));
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(Pitfalls, InitiatingNeedsNoOption) {
  Bytes memory = pattern(8), data(8);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t plain = source(data, {.options = 0});
  ASSERT_EQ(get(plain), PTL_OK);
  EXPECT_EQ(data, memory);
  ASSERT_EQ(put(plain), PTL_OK);
  ASSERT_EQ(get_put(plain, plain), PTL_OK);
  EXPECT_EQ(drops(1), 0U);
}

}  // namespace
}  // namespace lintel::testing
