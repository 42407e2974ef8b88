// Full events: members of each kind, order, suppression; and which messages an entry accepts.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class FullEvents : public Portals4Test {
 protected:
  Call tagged(ptl_ack_req_t ack = PTL_NO_ACK_REQ) {
    return {.ack = ack, .offset = 3, .hdr_data = 0xfeedfacecafebeef, .user = &operation_user};
  }
  // Members that all events of a message have in common at the target.
  void expect_message(const ptl_event_t& event, ptl_size_t length) {
    EXPECT_EQ(event.start, memory.data() + 3);
    EXPECT_EQ(event.user_ptr, &entry_user);
    EXPECT_EQ(event.match_bits, kBits);
    EXPECT_EQ(event.rlength, length);
    EXPECT_EQ(event.mlength, length);
    EXPECT_EQ(event.remote_offset, 3U);
    EXPECT_EQ(event.initiator.phys.nid, job->id(0).phys.nid);
    EXPECT_EQ(event.initiator.phys.pid, job->id(0).phys.pid);
    EXPECT_EQ(event.uid, 1000U);
    EXPECT_EQ(event.pt_index, kPortal);
    EXPECT_EQ(event.ptl_list, PTL_PRIORITY_LIST);
    EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
  }
  void expect_answer(const ptl_event_t& event, ptl_size_t length) {
    EXPECT_EQ(event.user_ptr, &operation_user);
    EXPECT_EQ(event.mlength, length);
    EXPECT_EQ(event.remote_offset, 3U);
    EXPECT_EQ(event.ptl_list, PTL_PRIORITY_LIST);
    EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
  }
  void target() { append(memory, {.options = kBoth, .user = &entry_user}); }

  Bytes memory = Bytes(8192);
  Bytes data = pattern(16);
  int entry_user = 0, operation_user = 0;
};

TEST_F(FullEvents, OfAPut) {
  target();
  ASSERT_EQ(put(bind(data), tagged(PTL_ACK_REQ)), PTL_OK);
  const Events at_target = take(1);
  expect_message(only(at_target, PTL_EVENT_PUT), 16);
  EXPECT_EQ(only(at_target, PTL_EVENT_PUT).hdr_data, 0xfeedfacecafebeefU);
  const Events here = take(0);
  ASSERT_EQ(kinds(here), "SEND ACK");
  EXPECT_EQ(here[0].user_ptr, &operation_user);
  expect_answer(here[1], 16);
}

TEST_F(FullEvents, OfAPutThatMovesByWrites) {
  target();
  Bytes large = pattern(8000);
  ASSERT_EQ(put(bind(large), tagged(PTL_ACK_REQ)), PTL_OK);
  expect_message(only(take(1), PTL_EVENT_PUT), 8000);
  const Events here = take(0);
  ASSERT_EQ(kinds(here), "SEND ACK");
  expect_answer(here[1], 8000);
}

TEST_F(FullEvents, OfAGet) {
  target();
  for (const std::size_t length : {16U, 8000U}) {
    Bytes room(length);
    ASSERT_EQ(get(bind(room), tagged()), PTL_OK);
    expect_message(only(take(1), PTL_EVENT_GET), length);
    const Events here = take(0);
    ASSERT_EQ(kinds(here), "REPLY");
    expect_answer(here[0], length);
  }
}

TEST_F(FullEvents, OfAnAtomic) {
  target();
  ASSERT_EQ(atomic(bind(data), PTL_MAX, PTL_UINT16_T, tagged(PTL_ACK_REQ)), PTL_OK);
  const ptl_event_t event = only(take(1), PTL_EVENT_ATOMIC);
  expect_message(event, 16);
  EXPECT_EQ(event.hdr_data, 0xfeedfacecafebeefU);
  EXPECT_EQ(event.atomic_operation, PTL_MAX);
  EXPECT_EQ(event.atomic_type, PTL_UINT16_T);
  const Events here = take(0);
  ASSERT_EQ(kinds(here), "SEND ACK");
  expect_answer(here[1], 16);
}

TEST_F(FullEvents, OfAFetchAtomicAndASwap) {
  target();
  Bytes old(16);
  const Md get_md = bind(old), put_md = bind(data);
  ASSERT_EQ(fetch_atomic(get_md, put_md, PTL_BXOR, PTL_UINT64_T, tagged()), PTL_OK);
  ASSERT_EQ(swap(get_md, put_md, nullptr, PTL_SWAP, PTL_INT32_T, tagged()), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "LINK FETCH_ATOMIC FETCH_ATOMIC");
  for (const std::size_t i : {1U, 2U}) {
    expect_message(events[i], 16);
    EXPECT_EQ(events[i].hdr_data, 0xfeedfacecafebeefU);
  }
  EXPECT_EQ(events[1].atomic_operation, PTL_BXOR);
  EXPECT_EQ(events[1].atomic_type, PTL_UINT64_T);
  EXPECT_EQ(events[2].atomic_operation, PTL_SWAP);
  EXPECT_EQ(events[2].atomic_type, PTL_INT32_T);
  const Events here = take(0);
  ASSERT_EQ(kinds(here), "SEND REPLY SEND REPLY");
  expect_answer(here[1], 16);
  expect_answer(here[3], 16);
}

TEST_F(FullEvents, EventsOfAFetchGoToTheQueueOfTheirMd) {
  target();
  Bytes old(16);
  const Md put_md = bind(data);
  ASSERT_EQ(fetch_atomic(bind(old, {.quiet = true}), put_md, PTL_SUM, PTL_UINT8_T), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND");
  ASSERT_EQ(fetch_atomic(bind(old), bind(data, {.quiet = true}), PTL_SUM, PTL_UINT8_T), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY");
}

TEST_F(FullEvents, OfTheListsCarryTheirEntryAndPortal) {
  append_overflow(memory, {.options = kPut | PTL_ME_USE_ONCE, .user = &entry_user});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  ASSERT_EQ(search(PTL_SEARCH_DELETE, {.options = kPut | PTL_ME_USE_ONCE}), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "LINK PUT AUTO_UNLINK PUT_OVERFLOW AUTO_FREE");
  for (const std::size_t i : {0U, 2U, 4U}) {
    EXPECT_EQ(events[i].user_ptr, &entry_user);
    EXPECT_EQ(events[i].pt_index, kPortal);
    EXPECT_EQ(events[i].ni_fail_type, PTL_NI_OK);
  }
}

TEST_F(FullEvents, OnALogicalInterfaceTheInitiatorIsARank) {
  start({.processes = 3, .interface = PTL_NI_NO_MATCHING | PTL_NI_LOGICAL});
  target();
  ASSERT_EQ(put(bind(data, {}, 2), {}, 2), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).initiator.rank, 2U);
}

TEST_F(FullEvents, OfZeroBytesAreComplete) {
  target();
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .length = 0, .hdr_data = 99}), PTL_OK);
  ASSERT_EQ(get(bind(data), {.length = 0}), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(story(events), "LINK PUT 0/0@0 GET 0/0@0");
  EXPECT_EQ(events[1].hdr_data, 99U);
  EXPECT_EQ(story(0), "SEND ACK 0@0 REPLY 0@0");
}

TEST_F(FullEvents, SendComesBeforeAckWhateverTheLength) {
  target();
  for (const std::size_t length : {0U, 1U, 1024U, 1025U, 8000U}) {
    Bytes sent = pattern(length);
    ASSERT_EQ(put(bind(sent), {.ack = PTL_ACK_REQ}), PTL_OK);
    EXPECT_EQ(kinds(0), "SEND ACK") << length;
  }
}

TEST_F(FullEvents, UnlinkIsToldAfterTheMessageAndLinkBeforeIt) {
  append(memory, {.options = kBoth | PTL_ME_USE_ONCE});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT AUTO_UNLINK");
}

TEST_F(FullEvents, OfAnMdMayBeDisabled) {
  struct Case {
    unsigned option;
    const char* told;
  };
  target();
  for (const Case& c : {Case{0, "SEND ACK REPLY"}, Case{PTL_MD_EVENT_SEND_DISABLE, "ACK REPLY"},
                        Case{PTL_MD_EVENT_SUCCESS_DISABLE, ""}}) {
    const Md mine = bind(data, {.options = c.option});
    ASSERT_EQ(put(mine, {.ack = PTL_ACK_REQ}), PTL_OK);
    ASSERT_EQ(get(mine), PTL_OK);
    EXPECT_EQ(kinds(0), c.told);
  }
}

TEST_F(FullEvents, FailuresAreToldThoughSuccessesAreNot) {
  const Md mine = bind(data, {.options = PTL_MD_EVENT_SUCCESS_DISABLE});
  ASSERT_EQ(put(mine, {.ack = PTL_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(mine), PTL_OK);
  EXPECT_EQ(kinds(0), "ACK!DROPPED REPLY!DROPPED");
}

TEST_F(FullEvents, OfAProcessWithItselfAreAllThere) {
  Bytes own(64);
  append(own, {.options = kBoth | PTL_ME_USE_ONCE}, 0);
  ASSERT_EQ(put(bind(data), {.to = 0, .ack = PTL_ACK_REQ}), PTL_OK);
  const Events events = take(0);
  ASSERT_EQ(events.size(), 5U) << kinds(events);
  EXPECT_EQ(only(events, PTL_EVENT_PUT).initiator.phys.nid, job->id(0).phys.nid);
  EXPECT_EQ(how_many(events, PTL_EVENT_SEND), 1U);
  EXPECT_EQ(how_many(events, PTL_EVENT_ACK), 1U);
  EXPECT_EQ(how_many(events, PTL_EVENT_AUTO_UNLINK), 1U);
}

// ---- Users

class Users : public FullEvents {
 protected:
  Users() { start({.users = {500, 501}}); }
  int put_acked() { return put(bind(data), {.ack = PTL_ACK_REQ}); }
};

TEST_F(Users, MessagesCarryTheSendersUser) {
  target();
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).uid, 500U);
  job->as(0);
  ptl_uid_t own = 0;
  ASSERT_EQ(PtlGetUid(job->ni(), &own), PTL_OK);
  EXPECT_EQ(own, 500U);
}

TEST_F(Users, EntryForTheSenderTakesItsMessage) {
  append(memory, {.uid = 500});
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
}

TEST_F(Users, EntryForAnotherIsAViolation) {
  append(memory, {.options = kBoth, .uid = 502});
  take(1);
  ASSERT_EQ(put_acked(), PTL_OK);
  ASSERT_EQ(get(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!PERM_VIOLATION REPLY!PERM_VIOLATION");
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(status(1, PTL_SR_PERMISSION_VIOLATIONS), 2);
  EXPECT_EQ(status(1, PTL_SR_OPERATION_VIOLATIONS), 0);
  EXPECT_EQ(drops(1), 0);
  EXPECT_EQ(memory, Bytes(8192));
}

TEST_F(Users, PermissionIsLookedAtBeforeTheOperation) {
  append(memory, {.options = kGet, .uid = 502});
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!PERM_VIOLATION");
}

TEST_F(Users, ViolationCountsAsOneFailureAtTheInitiator) {
  append(memory, {.uid = 502});
  const ptl_handle_ct_t counted = counter(0);
  const Md mine = bind(
      data,
      {.options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES, .counter = counted, .quiet = true});
  ASSERT_EQ(put(mine, {.ack = PTL_CT_ACK_REQ}), PTL_OK);
  EXPECT_EQ(count(counted, 0), "0+1");
}

}  // namespace
}  // namespace lintel::testing
