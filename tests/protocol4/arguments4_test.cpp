// Section 3.4 and the errors of every function: before PtlInit, with each invalid handle in each
// place, and with each other argument out of range. A refused call leaves its output parameters,
// and the objects it would change, as they were.

#include "tests/protocol4/arguments4_operations.h"

namespace lintel::testing {
namespace {

class EveryFunction4 : public Portals4Test, public ::testing::WithParamInterface<Function4> {
 protected:
  Handles good(const W& world) const {
    Handles handles{};
    for (std::size_t i = 0; i < GetParam().handles.size(); ++i)
      handles[i] = world.good(GetParam().handles[i]);
    return handles;
  }
  // Whether everything still works.
  void expect_good(W& world) {
    if (GetParam().when_good == kWouldWait) return;
    EXPECT_EQ(GetParam().call(world, good(world)), GetParam().when_good);
    job->settle();
  }
};

INSTANTIATE_TEST_SUITE_P(Administration, EveryFunction4, ::testing::ValuesIn(administration()),
                         [](const auto& instance) { return std::string(instance.param.name); });
INSTANTIATE_TEST_SUITE_P(Memory, EveryFunction4, ::testing::ValuesIn(memory_functions()),
                         [](const auto& instance) { return std::string(instance.param.name); });
INSTANTIATE_TEST_SUITE_P(DataMovement, EveryFunction4, ::testing::ValuesIn(data_movement()),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(EveryFunction4, GoodArguments) {
  W world(job->ni());
  expect_good(world);
}

TEST_P(EveryFunction4, BeforeInitGivesNoInit) {
  W world(job->ni());
  job.reset();
  EXPECT_EQ(GetParam().call(world, good(world)), PTL_NO_INIT);
  EXPECT_EQ(GetParam().call(world, {PTL_INVALID_HANDLE, PTL_INVALID_HANDLE, PTL_INVALID_HANDLE}),
            PTL_NO_INIT);
}

TEST_P(EveryFunction4, WrongHandleInAnyPlaceIsInvalid) {
  W world(job->ni());
  out = {};
  const std::size_t places = GetParam().handles.size();
  for (std::size_t place = 0; place < places; ++place) {
    for (const ptl_handle_any_t handle : world.wrong(GetParam().handles[place], places > 1)) {
      Handles handles = good(world);
      handles[place] = handle;
      EXPECT_EQ(GetParam().call(world, handles), PTL_ARG_INVALID)
          << std::hex << handle << " in place " << place;
    }
  }
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(PtlMDRelease(world.second_md), PTL_OK) << "nothing was begun";
  expect_good(world);
}

TEST_P(EveryFunction4, AnyOtherArgumentOutOfItsRangeIsInvalid) {
  W world(job->ni());
  out = {};
  for (const auto& [what, call] : GetParam().otherwise) {
    EXPECT_EQ(call(world), PTL_ARG_INVALID) << what;
    EXPECT_TRUE(out.untouched()) << what;
  }
  expect_good(world);
}

// ---- The rest

using Arguments4 = Portals4Test;

TEST_F(Arguments4, FunctionsWithoutHandlesBeforeInit) {
  job.reset();
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                      nullptr, &ni),
            PTL_NO_INIT);
  EXPECT_EQ(PtlAtomicSync(), PTL_NO_INIT);
  PtlAbort();
  PtlFini();
  EXPECT_EQ(PtlHandleIsEqual(7, 7), 1);
  EXPECT_EQ(PtlHandleIsEqual(PTL_EQ_NONE, PTL_CT_NONE), 0);
}

TEST_F(Arguments4, HandleOfAnInterfaceThatWasShutIsInvalidForAnyObject) {
  W world(job->ni());
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  for (const ptl_handle_any_t handle : {world.ni, world.eq, world.ct, world.md, world.me})
    EXPECT_EQ(PtlNIHandle(handle, &ni), PTL_ARG_INVALID);
  for (const ptl_handle_any_t handle :
       {world.other_ni, world.other_eq, world.other_ct, world.other_md, world.le}) {
    EXPECT_EQ(PtlNIHandle(handle, &ni), PTL_OK);
    EXPECT_EQ(ni, world.other_ni);
  }
}

TEST_F(Arguments4, ObjectsOfAnInterfaceOpenedAgainHaveOtherHandles) {
  W world(job->ni());
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE, found = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                      nullptr, &ni),
            PTL_OK);
  const ptl_handle_any_t made[] = {W::queue(ni), W::counter(ni),
                                   world.bind(ni, PTL_EQ_NONE, PTL_CT_NONE)};
  for (const ptl_handle_any_t handle : made) EXPECT_EQ(PtlNIHandle(handle, &found), PTL_OK);
  for (const ptl_handle_any_t handle : {world.eq, world.ct, world.md, world.me})
    EXPECT_EQ(PtlNIHandle(handle, &found), PTL_ARG_INVALID);
}

TEST_F(Arguments4, FlowControlNeedsAQueue) {
  ptl_pt_index_t index = 4711;
  EXPECT_EQ(PtlPTAlloc(job->ni(), PTL_PT_FLOWCTRL, PTL_EQ_NONE, PTL_PT_ANY, &index),
            PTL_PT_EQ_NEEDED);
  EXPECT_EQ(PtlPTAlloc(job->ni(), 0, queue(0), kPortal, &index), PTL_PT_IN_USE);
  EXPECT_EQ(index, 4711U);
}

TEST_F(Arguments4, CounterOfAnEntryIsLookedAtOnlyIfItCounts) {
  Bytes memory(8);
  for (const ptl_handle_ct_t ct :
       {PTL_INVALID_HANDLE, ptl_handle_ct_t{0}, job->ni(), PTL_CT_NONE}) {
    ptl_handle_me_t made = PTL_INVALID_HANDLE;
    EXPECT_EQ(try_append(me(memory, {.options = kPut, .counter = ct}), {}, made, 0), PTL_OK);
    EXPECT_EQ(try_append(me(memory, {.options = kPut | PTL_ME_EVENT_CT_BYTES, .counter = ct}), {},
                         made, 0),
              PTL_OK);
  }
}

TEST_F(Arguments4, AQueueOfMoreThanThereIsMemoryForIsNoSpace) {
  ptl_handle_eq_t eq = PTL_EQ_NONE;
  EXPECT_EQ(PtlEQAlloc(job->ni(), PTL_SIZE_MAX, &eq), PTL_NO_SPACE);
  EXPECT_EQ(PtlEQAlloc(job->ni(), PTL_SIZE_MAX / sizeof(ptl_event_t), &eq), PTL_NO_SPACE);
  EXPECT_EQ(eq, PTL_EQ_NONE);
}

}  // namespace
}  // namespace lintel::testing
