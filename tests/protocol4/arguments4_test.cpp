// Section 3.4 and the errors of every function: before PtlInit, with each wrong handle in each place, and with each other argument out of its range. A call
// that is refused leaves its output parameters, and what it was to change, as they were.

#include "tests/protocol4/argument_functions.h"

namespace lintel::testing {
namespace {

// ---- Data movement. On their first MD: a call with this region and this ack.
using Moves = int (*)(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack);

std::vector<std::pair<const char*, std::function<int(W& w)>>> bad_regions(Moves call) {
  return {{"beyond the end", [=](W& w) { return call(w, w.md, 64, 8, PTL_NO_ACK_REQ); }},
          {"longer than the rest", [=](W& w) { return call(w, w.md, 60, 8, PTL_NO_ACK_REQ); }},
          {"longer than all", [=](W& w) { return call(w, w.md, 0, 72, PTL_NO_ACK_REQ); }},
          {"offset as large as can be", [=](W& w) { return call(w, w.md, PTL_SIZE_MAX, 8, PTL_NO_ACK_REQ); }},
          {"length as large as can be", [=](W& w) { return call(w, w.md, 8, PTL_SIZE_MAX - 7, PTL_NO_ACK_REQ); }}};
}

std::vector<std::pair<const char*, std::function<int(W& w)>>> bad_regions_and_acks(Moves call) {
  auto all = bad_regions(call);
  all.insert(all.end(), {{"unknown ack", [=](W& w) { return call(w, w.md, 0, 8, 4); }},
                         {"ack out of range", [=](W& w) { return call(w, w.md, 0, 8, 255); }},
                         {"ack without a queue", [=](W& w) { return call(w, w.bind(w.ni, PTL_EQ_NONE, w.ct), 0, 8, PTL_ACK_REQ); }},
                         {"ack without a counter", [=](W& w) { return call(w, w.bind(w.ni, w.eq, PTL_CT_NONE), 0, 8, PTL_CT_ACK_REQ); }}});
  for (const ptl_ack_req_t ack : {PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
    all.emplace_back("unreliable with an ack", [=](W& w) {
      ptl_md_t described = w.description(w.eq, w.ct);
      described.options |= PTL_MD_UNRELIABLE;
      ptl_handle_md_t md = PTL_INVALID_HANDLE;
      EXPECT_EQ(PtlMDBind(w.ni, &described, &md), PTL_OK);
      return call(w, md, 0, 8, ack);
    });
  }
  return all;
}

constexpr ptl_size_t kNever4 = PTL_SIZE_MAX;  // a threshold

int put(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack) {
  return PtlPut(md, offset, length, ack, w.self, kPortal, 0, 0, nullptr, 0);
}
int triggered_put(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack) {
  return PtlTriggeredPut(md, offset, length, ack, w.self, kPortal, 0, 0, nullptr, 0, w.ct, kNever4);
}
int get(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t) {
  return PtlGet(md, offset, length, w.self, kPortal, 0, 0, nullptr);
}
int triggered_get(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t) {
  return PtlTriggeredGet(md, offset, length, w.self, kPortal, 0, 0, nullptr, w.ct, kNever4);
}
int atomic(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack) {
  return PtlAtomic(md, offset, length, ack, w.self, kPortal, 0, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T);
}
int triggered_atomic(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t ack) {
  return PtlTriggeredAtomic(md, offset, length, ack, w.self, kPortal, 0, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T, w.ct, kNever4);
}
int fetch_into(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t) {
  return PtlFetchAtomic(md, offset, w.second_md, 0, length, w.self, kPortal, 0, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T);
}
int triggered_fetch_from(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t) {
  return PtlTriggeredFetchAtomic(w.second_md, 0, md, offset, length, w.self, kPortal, 0, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T, w.ct,
                                 kNever4);
}
int swap_from(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t) {
  return PtlSwap(w.second_md, 0, md, offset, length, w.self, kPortal, 0, 0, nullptr, 0, nullptr, PTL_SWAP, PTL_UINT64_T);
}
int triggered_swap_into(W& w, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, ptl_ack_req_t) {
  return PtlTriggeredSwap(md, offset, w.second_md, 0, length, w.self, kPortal, 0, 0, nullptr, 0, nullptr, PTL_SWAP, PTL_UINT64_T, w.ct,
                          kNever4);
}

const std::vector<Function4>& data_movement() {
  static const std::vector<Function4> all{
      {"PtlPut", {kMd}, [](W& w, const Handles& h) { return put(w, h[0], 0, 8, PTL_ACK_REQ); }, bad_regions_and_acks(put)},
      {"PtlGet", {kMd}, [](W& w, const Handles& h) { return get(w, h[0], 0, 8, 0); }, bad_regions(get)},
      {"PtlAtomic", {kMd}, [](W& w, const Handles& h) { return atomic(w, h[0], 0, 8, PTL_ACK_REQ); }, bad_regions_and_acks(atomic)},
      {"PtlFetchAtomic",
       {kMd, kMd},
       [](W& w, const Handles& h) { return PtlFetchAtomic(h[0], 0, h[1], 8, 8, w.self, kPortal, 0, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T); },
       bad_regions(fetch_into)},
      {"PtlSwap",
       {kMd, kMd},
       [](W& w, const Handles& h) {
         return PtlSwap(h[0], 0, h[1], 8, 8, w.self, kPortal, 0, 0, nullptr, 0, nullptr, PTL_SWAP, PTL_UINT64_T);
       },
       bad_regions(swap_from)},
      {"PtlTriggeredPut",
       {kMd, kCounter},
       [](W& w, const Handles& h) { return PtlTriggeredPut(h[0], 0, 8, PTL_NO_ACK_REQ, w.self, kPortal, 0, 0, nullptr, 0, h[1], kNever4); },
       bad_regions_and_acks(triggered_put)},
      {"PtlTriggeredGet",
       {kMd, kCounter},
       [](W& w, const Handles& h) { return PtlTriggeredGet(h[0], 0, 8, w.self, kPortal, 0, 0, nullptr, h[1], 0); },
       bad_regions(triggered_get)},
      {"PtlTriggeredAtomic",
       {kMd, kCounter},
       [](W& w, const Handles& h) {
         return PtlTriggeredAtomic(h[0], 0, 8, PTL_NO_ACK_REQ, w.self, kPortal, 0, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T, h[1], kNever4);
       },
       bad_regions_and_acks(triggered_atomic)},
      {"PtlTriggeredFetchAtomic",
       {kMd, kMd, kCounter},
       [](W& w, const Handles& h) {
         return PtlTriggeredFetchAtomic(h[0], 0, h[1], 8, 8, w.self, kPortal, 0, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T, h[2], 0);
       },
       bad_regions(triggered_fetch_from)},
      {"PtlTriggeredSwap",
       {kMd, kMd, kCounter},
       [](W& w, const Handles& h) {
         return PtlTriggeredSwap(h[0], 0, h[1], 8, 8, w.self, kPortal, 0, 0, nullptr, 0, nullptr, PTL_SWAP, PTL_UINT64_T, h[2], kNever4);
       },
       bad_regions(triggered_swap_into)},
      {"PtlTriggeredCTInc",
       {kCounter, kCounter},
       [](W&, const Handles& h) { return PtlTriggeredCTInc(h[0], kOne, h[1], 0); },
       {{"both members", [](W& w) { return PtlTriggeredCTInc(w.ct, kBothMembers, w.second_ct, 0); }}}},
      {"PtlTriggeredCTSet",
       {kCounter, kCounter},
       [](W&, const Handles& h) { return PtlTriggeredCTSet(h[0], kBothMembers, h[1], kNever4); }},
  };
  return all;
}

class EveryFunction4 : public Portals4Test, public ::testing::WithParamInterface<Function4> {
 protected:
  Handles good(const W& world) const {
    Handles handles{};
    for (std::size_t i = 0; i < GetParam().handles.size(); ++i) handles[i] = world.good(GetParam().handles[i]);
    return handles;
  }
  // Whether it is as good as ever.
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
  EXPECT_EQ(GetParam().call(world, {PTL_INVALID_HANDLE, PTL_INVALID_HANDLE, PTL_INVALID_HANDLE}), PTL_NO_INIT);
}

TEST_P(EveryFunction4, WrongHandleInAnyPlaceIsInvalid) {
  W world(job->ni());
  out = {};
  const std::size_t places = GetParam().handles.size();
  for (std::size_t place = 0; place < places; ++place) {
    for (const ptl_handle_any_t handle : world.wrong(GetParam().handles[place], places > 1)) {
      Handles handles = good(world);
      handles[place] = handle;
      EXPECT_EQ(GetParam().call(world, handles), PTL_ARG_INVALID) << std::hex << handle << " in place " << place;
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

// ---- What is left

using Arguments4 = Portals4Test;

TEST_F(Arguments4, FunctionsWithoutHandlesBeforeInit) {
  job.reset();
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_NO_INIT);
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
  for (const ptl_handle_any_t handle : {world.other_ni, world.other_eq, world.other_ct, world.other_md, world.le}) {
    EXPECT_EQ(PtlNIHandle(handle, &ni), PTL_OK);
    EXPECT_EQ(ni, world.other_ni);
  }
}

TEST_F(Arguments4, ObjectsOfAnInterfaceOpenedAgainHaveOtherHandles) {
  W world(job->ni());
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE, found = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_OK);
  const ptl_handle_any_t made[] = {W::queue(ni), W::counter(ni), world.bind(ni, PTL_EQ_NONE, PTL_CT_NONE)};
  for (const ptl_handle_any_t handle : made) EXPECT_EQ(PtlNIHandle(handle, &found), PTL_OK);
  for (const ptl_handle_any_t handle : {world.eq, world.ct, world.md, world.me}) EXPECT_EQ(PtlNIHandle(handle, &found), PTL_ARG_INVALID);
}

TEST_F(Arguments4, FlowControlNeedsAQueue) {
  ptl_pt_index_t index = 4711;
  EXPECT_EQ(PtlPTAlloc(job->ni(), PTL_PT_FLOWCTRL, PTL_EQ_NONE, PTL_PT_ANY, &index), PTL_PT_EQ_NEEDED);
  EXPECT_EQ(PtlPTAlloc(job->ni(), 0, queue(0), kPortal, &index), PTL_PT_IN_USE);
  EXPECT_EQ(index, 4711U);
}

TEST_F(Arguments4, CounterOfAnEntryIsLookedAtOnlyIfItCounts) {
  Bytes memory(8);
  for (const ptl_handle_ct_t ct : {PTL_INVALID_HANDLE, ptl_handle_ct_t{0}, job->ni(), PTL_CT_NONE}) {
    ptl_handle_me_t made = PTL_INVALID_HANDLE;
    EXPECT_EQ(try_append(me(memory, {.options = kPut, .counter = ct}), {}, made, 0), PTL_OK);
    EXPECT_EQ(try_append(me(memory, {.options = kPut | PTL_ME_EVENT_CT_BYTES, .counter = ct}), {}, made, 0), PTL_OK);
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
