// Portal table entries: allocation, disabling and enabling by the program, freeing.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class PortalTable4 : public Portals4Test {
 protected:
  static JobOptions4 with_indices_up_to(int largest) {
    ptl_ni_limits_t limits{};
    limits.max_pt_index = largest;
    return {.limits = limits};
  }
  int allocate_without_queue(unsigned options, ptl_pt_index_t wanted) {
    job->as(1);
    ptl_pt_index_t index = 0;
    const int code = PtlPTAlloc(job->ni(), options, PTL_EQ_NONE, wanted, &index);
    job->as(0);
    return code;
  }
  ptl_pt_index_t made = 77;
  Bytes memory = Bytes(8);
  Bytes data = pattern(8);
};

TEST_F(PortalTable4, WantedIndexIsGivenUpToTheLargest) {
  start(with_indices_up_to(16));
  ASSERT_EQ(allocate_portal(0, 16, made), PTL_OK);
  EXPECT_EQ(made, 16U);
  EXPECT_EQ(allocate_portal(0, 17, made), PTL_ARG_INVALID);
}

TEST_F(PortalTable4, IndexThatIsTakenIsInUse) {
  EXPECT_EQ(allocate_portal(0, kPortal, made), PTL_PT_IN_USE);
  EXPECT_EQ(made, 77U);
}

TEST_F(PortalTable4, AnyIsFullWhenEveryIndexIsTaken) {
  start(with_indices_up_to(2));
  ASSERT_EQ(allocate_portal(0, 2, made), PTL_OK);
  ASSERT_EQ(allocate_portal(0, PTL_PT_ANY, made), PTL_OK);
  EXPECT_EQ(made, 1U);
  EXPECT_EQ(allocate_portal(0, PTL_PT_ANY, made), PTL_PT_FULL);
}

TEST_F(PortalTable4, FlowControlNeedsAQueue) {
  EXPECT_EQ(allocate_without_queue(PTL_PT_FLOWCTRL, 5), PTL_PT_EQ_NEEDED);
  EXPECT_EQ(allocate_without_queue(0, 5), PTL_OK);
}

TEST_F(PortalTable4, UnknownOptionIsInvalid) {
  EXPECT_EQ(allocate_portal(0x20, 5, made), PTL_ARG_INVALID);
}

TEST_F(PortalTable4, MessageToAnIndexThatIsNotAllocatedIsDropped) {
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .portal = 5}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
  EXPECT_EQ(drops(1), 1);
}

TEST_F(PortalTable4, GetFromAnIndexBeyondTheTargetsLargestIsDropped) {
  start(with_indices_up_to(16));
  ASSERT_EQ(get(bind(data), {.portal = 17}), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY!DROPPED");
  EXPECT_EQ(drops(1), 1);
}

TEST_F(PortalTable4, AllocatedDisabledItTakesNothingUntilEnabled) {
  start({}, {.options = PTL_PT_ALLOC_DISABLED});
  append(memory);
  const Md from = bind(data);
  ASSERT_EQ(put(from, {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!PT_DISABLED");
  ASSERT_EQ(enable(), PTL_OK);
  ASSERT_EQ(put(from, {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(kinds(1), "LINK PUT");
}

TEST_F(PortalTable4, DisabledByTheProgramItRefusesWithoutAnyEvent) {
  append(memory, {.options = kBoth});
  take(1);
  ASSERT_EQ(disable(), PTL_OK);
  const Md mine = bind(data);
  ASSERT_EQ(put(mine, {.ack = PTL_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(mine), PTL_OK);
  ASSERT_EQ(atomic(mine, PTL_SUM, PTL_UINT8_T, {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!PT_DISABLED REPLY!PT_DISABLED SEND ACK!PT_DISABLED");
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(memory, Bytes(8));
}

TEST_F(PortalTable4, RefusedMessageLeavesItsLengthAtZero) {
  ASSERT_EQ(disable(), PTL_OK);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(only(take(0), PTL_EVENT_ACK).mlength, 0U);
}

TEST_F(PortalTable4, EntriesSurviveDisablingAndEnabling) {
  append(memory);
  ASSERT_EQ(disable(), PTL_OK);
  ASSERT_EQ(enable(), PTL_OK);
  ASSERT_EQ(put(bind(data)), PTL_OK);
  EXPECT_EQ(memory, data);
}

TEST_F(PortalTable4, EntriesMayBeAppendedWhileItIsDisabled) {
  ASSERT_EQ(disable(), PTL_OK);
  append(memory);
  ASSERT_EQ(enable(), PTL_OK);
  ASSERT_EQ(put(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT");
}

TEST_F(PortalTable4, DisablingOneLeavesTheOthers) {
  ASSERT_EQ(allocate_portal(0, 3, made), PTL_OK);
  append(memory, {.portal = 3});
  ASSERT_EQ(disable(), PTL_OK);
  ASSERT_EQ(put(bind(data), {.portal = 3}), PTL_OK);
  EXPECT_EQ(memory, data);
}

TEST_F(PortalTable4, DisableEnableAndFreeWantAnAllocatedIndex) {
  EXPECT_EQ(disable(5), PTL_ARG_INVALID);
  EXPECT_EQ(enable(5), PTL_ARG_INVALID);
  EXPECT_EQ(free_portal(5), PTL_ARG_INVALID);
}

TEST_F(PortalTable4, FreeWithAnEntryOnEitherListIsRefused) {
  for (const ptl_list_t list : {PTL_PRIORITY_LIST, PTL_OVERFLOW_LIST}) {
    const ptl_handle_me_t entry = append(memory, {.list = list});
    EXPECT_EQ(free_portal(), PTL_PT_IN_USE);
    ASSERT_EQ(unlink(entry), PTL_OK);
  }
  EXPECT_EQ(free_portal(), PTL_OK);
}

TEST_F(PortalTable4, FreeWhileAMessageIsLandingIsRefused) {
  Bytes large = pattern(4096), room(4096);
  append(room, {.options = kPut | PTL_ME_USE_ONCE});
  put_until_landing(bind(large));
  EXPECT_EQ(free_portal(), PTL_PT_IN_USE);
  job->settle();
  EXPECT_EQ(free_portal(), PTL_OK);
}

TEST_F(PortalTable4, FreedIndexDropsAndMayBeAllocatedAgain) {
  ASSERT_EQ(free_portal(), PTL_OK);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
  ASSERT_EQ(allocate_portal(0, PTL_PT_ANY, made), PTL_OK);
  EXPECT_EQ(made, kPortal);
}

TEST_F(PortalTable4, FreedIndexForgetsItsUnexpectedHeaders) {
  append_overflow(memory, {.options = kPut | PTL_ME_USE_ONCE});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  ASSERT_EQ(free_portal(), PTL_OK);  // the entry has unlinked itself
  ASSERT_EQ(allocate_portal(0, kPortal, made), PTL_OK);
  take(1);
  ASSERT_EQ(search(PTL_SEARCH_ONLY), PTL_OK);
  EXPECT_EQ(kinds(1), "SEARCH!NO_MATCH");
}

TEST_F(PortalTable4, WithoutAQueueMessagesArriveAllTheSame) {
  start({}, {.quiet = true});
  append(memory, {.options = kPut | PTL_ME_USE_ONCE});
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(memory, data);
}

}  // namespace
}  // namespace lintel::testing
