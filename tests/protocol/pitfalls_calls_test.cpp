// Rules that are often got wrong: calls. tests/system/application_bypass_test.cpp shows that a
// process which never calls Portals is served, because that needs a progress thread.

#include <atomic>
#include <set>
#include <thread>

#include "portals/api3/handle.h"
#include "tests/protocol/pitfalls.h"

namespace lintel::testing {
namespace {

TEST_F(Pitfalls, AttachAnyGivesNoPortalToTwoThreads) {
  constexpr std::size_t kEach = 60;
  std::vector<ptl_pt_index_t> taken(2 * kEach);
  const auto take_portals = [&](std::size_t first) {
    for (std::size_t i = first; i < first + kEach; ++i) {
      ptl_handle_me_t me = PTL_INVALID_HANDLE;
      EXPECT_EQ(PtlMEAttachAny(job->ni(), &taken[i], kAnyone, 0, 0, PTL_RETAIN, &me), PTL_OK);
    }
  };
  std::thread other(take_portals, 0);
  take_portals(kEach);
  other.join();
  EXPECT_EQ(std::set<ptl_pt_index_t>(taken.begin(), taken.end()).size(), 2 * kEach);
}

TEST_F(Pitfalls, WaitingMakesProgressOfItsOwn) {
  start({.real_time = true});
  Bytes memory(8), data = pattern(8);
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  while (kinds(1).empty()) job->settle();  // the session is open
  job->settle();                           // and the network is idle
  ASSERT_EQ(post_put(from, {.hdr_data = 1}), PTL_OK);
  job->poll(0);  // it is under way
  job->as(1);
  ptl_event_t event;
  ASSERT_EQ(PtlEQWait(queue(1), &event), PTL_OK);  // nobody but this call polls process 1
  EXPECT_EQ(event.type, PTL_EVENT_PUT_START);
  int which = -1;
  ptl_handle_eq_t queues[] = {queue(1)};
  ASSERT_EQ(PtlEQPoll(queues, 1, 1000, &event, &which), PTL_OK);
  EXPECT_EQ(event.type, PTL_EVENT_PUT_END);
}

TEST_F(Pitfalls, SpinningOnGetMakesProgress) {
  Bytes memory(8), data = pattern(8);
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  take(1);
  ASSERT_EQ(post_put(from), PTL_OK);
  job->as(1);
  ptl_event_t event;
  int code = PTL_EQ_EMPTY;
  while ((code = PtlEQGet(queue(1), &event)) == PTL_EQ_EMPTY)
    ASSERT_TRUE(job->network().advance_to_next());
  EXPECT_EQ(code, PTL_OK);
}

class EventQueuePoll : public Pitfalls {
 protected:
  EventQueuePoll() {
    for (ptl_handle_eq_t& each : queues)
      EXPECT_EQ(PtlEQAlloc(job->ni(), 4, PTL_EQ_HANDLER_NONE, &each), PTL_OK);
    target(memory, {.options = kPut}, {}, 1);
  }
  // Leaves two events in the queue.
  void fill(ptl_handle_eq_t queue) {
    ptl_md_t description = md(data, {}, 0);
    description.eq_handle = queue;
    ASSERT_EQ(put(bind(description)), PTL_OK);
  }
  ptl_handle_eq_t queues[3]{};
  ptl_event_t event{};
  int which = -1;
  Bytes memory = Bytes(64), data = pattern(4);
};

TEST_F(EventQueuePoll, TimeoutZeroTestsEachQueueOnce) {
  EXPECT_EQ(PtlEQPoll(queues, 3, 0, &event, &which), PTL_EQ_EMPTY);
  fill(queues[2]);
  ASSERT_EQ(PtlEQPoll(queues, 3, 0, &event, &which), PTL_OK);
  EXPECT_EQ(which, 2);
  EXPECT_EQ(event.type, PTL_EVENT_SEND_START);
}

TEST_F(EventQueuePoll, AllHandlesAreLookedAtThoughAnEventIsThere) {
  fill(queues[0]);
  queues[1] = PTL_EQ_NONE;
  EXPECT_EQ(PtlEQPoll(queues, 3, 0, &event, &which), PTL_EQ_INVALID);
  EXPECT_EQ(which, 1);
  EXPECT_EQ(PtlEQPoll(queues, 0, 0, &event, &which), PTL_EQ_INVALID);
  EXPECT_EQ(PtlEQPoll(queues, -1, 0, &event, &which), PTL_EQ_INVALID);
}

TEST_F(EventQueuePoll, WhichIsValidWithDropped) {
  for (int i = 0; i < 3; ++i) fill(queues[1]);
  ASSERT_EQ(PtlEQPoll(queues, 3, 0, &event, &which), PTL_EQ_DROPPED);
  EXPECT_EQ(which, 1);
}

TEST_F(EventQueuePoll, QueuesAreScannedInOrderAndRotationReachesTheLater) {
  fill(queues[0]);
  fill(queues[2]);
  ASSERT_EQ(PtlEQPoll(queues, 3, 0, &event, &which), PTL_OK);
  EXPECT_EQ(which, 0);
  ptl_handle_eq_t rotated[] = {queues[1], queues[2], queues[0]};
  ASSERT_EQ(PtlEQPoll(rotated, 3, 0, &event, &which), PTL_OK);
  EXPECT_EQ(which, 1);
}

TEST_F(Pitfalls, TimeoutExpires) {
  start({.real_time = true});
  ptl_handle_eq_t queues[] = {queue(0)};
  ptl_event_t event;
  int which = -1;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(PtlEQPoll(queues, 1, 5, &event, &which), PTL_EQ_EMPTY);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 5ms);
}

// ---- Handlers

struct HandlerState {
  int runs = 0;
  int codes = PTL_OK;
  ptl_event_t last{};
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  ptl_process_id_t peer{};
};
HandlerState handler_state;

void reentering_handler(ptl_event_t* event) {
  HandlerState& state = handler_state;
  ++state.runs;
  state.last = *event;
  if (state.runs > 1) return;
  ptl_handle_me_t me = PTL_INVALID_HANDLE;
  state.codes += PtlPut(state.md, PTL_NO_ACK_REQ, state.peer, kPortal, 0, kBits, 0, 0);
  state.codes += PtlGet(state.md, state.peer, kPortal, 0, kBits, 0);
  state.codes += PtlMEAttach(state.ni, 9, kAnyone, 0, 0, PTL_UNLINK, PTL_INS_AFTER, &me);
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
  state.codes += PtlMDAttach(me, {nullptr, 0, 1, 0, kPut, nullptr, PTL_EQ_NONE}, PTL_RETAIN, &md);
  state.codes += PtlMDUnlink(md);
}

TEST_F(Pitfalls, HandlerRunsOncePerEventInTheCallThatReturnsItAndMayCallBack) {
  Bytes memory(64), data = pattern(4);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  ptl_handle_eq_t with_handler = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 16, reentering_handler, &with_handler), PTL_OK);
  ptl_md_t description = md(data, {}, 0);
  description.eq_handle = with_handler;
  const ptl_handle_md_t from = bind(description);
  handler_state = {.md = from, .ni = job->ni(), .peer = job->id(1)};
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(handler_state.runs, 0);
  ptl_event_t event;
  ASSERT_EQ(PtlEQGet(with_handler, &event), PTL_OK);
  EXPECT_EQ(handler_state.runs, 1);
  EXPECT_EQ(handler_state.codes, PTL_OK);
  EXPECT_EQ(handler_state.last.sequence, event.sequence);
  job->settle();
  EXPECT_EQ(kinds(job->events(with_handler)), "SEND_END SEND_START SEND_END REPLY_START REPLY_END");
  EXPECT_EQ(handler_state.runs, 6);
}

// ---- Library and interface

TEST_F(Pitfalls, SecondNIInitGivesTheSameHandleAndOneFiniEndsIt) {
  ptl_handle_ni_t again = PTL_INVALID_HANDLE;
  ptl_ni_limits_t actual{};
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, &actual, &again), PTL_OK);
  EXPECT_EQ(again, job->ni());
  EXPECT_EQ(actual.max_pt_index, 127);
  EXPECT_TRUE(alive(queue(0), 0));
  ASSERT_EQ(PtlNIFini(again), PTL_OK);
  EXPECT_EQ(PtlNIFini(again), PTL_NI_INVALID);
}

TEST_F(Pitfalls, SecondNIInitIgnoresWhatIsDesired) {
  ptl_handle_ni_t again = PTL_INVALID_HANDLE;
  ptl_ni_limits_t desired{.max_mes = 1,
                          .max_mds = 1,
                          .max_eqs = 1,
                          .max_ac_index = 1,
                          .max_pt_index = 1,
                          .max_md_iovecs = 1,
                          .max_me_list = 1,
                          .max_getput_md = 1};
  ptl_ni_limits_t actual{};
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, &desired, &actual, &again), PTL_OK);
  EXPECT_EQ(actual.max_pt_index, 127);
  EXPECT_EQ(actual.max_mds, 65536);
}

TEST_F(Pitfalls, RepeatedInitWritesMaxInterfaces) {
  for (int i = 0; i < 2; ++i) {
    int interfaces = 0;
    ASSERT_EQ(PtlInit(&interfaces), PTL_OK);
    EXPECT_GE(interfaces, 1);
  }
}

TEST_F(Pitfalls, HandlesOfAnInterfaceThatWasShutGiveTheirOwnError) {
  Bytes memory(8);
  const Entry entry = target(memory, {.options = kPut}, {}, 0);
  const ptl_handle_eq_t eq = queue(0);
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  ptl_event_t event;
  EXPECT_EQ(PtlMDUnlink(entry.md), PTL_MD_INVALID);
  EXPECT_EQ(PtlMEUnlink(entry.me), PTL_ME_INVALID);
  EXPECT_EQ(PtlEQFree(eq), PTL_EQ_INVALID);
  EXPECT_EQ(PtlEQGet(eq, &event), PTL_EQ_INVALID);
  EXPECT_EQ(put(entry.md), PTL_MD_INVALID);
}

TEST_F(Pitfalls, OldHandlesStayInvalidWhenTheInterfaceOpensAgain) {
  Bytes memory(8);
  const Entry entry = target(memory, {.options = kPut}, {}, 0);
  const ptl_handle_eq_t eq = queue(0);
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_OK);
  ptl_handle_eq_t fresh = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &fresh), PTL_OK);
  ptl_md_t description = md(memory, {.options = kPut, .quiet = true}, 0);
  const Entry other = attach(description, {}, PTL_RETAIN, 0);
  EXPECT_NE(fresh, eq);
  EXPECT_EQ(PtlMDUnlink(entry.md), PTL_MD_INVALID);
  EXPECT_EQ(PtlMEUnlink(entry.me), PTL_ME_INVALID);
  EXPECT_TRUE(alive(other.md, 0));
}

// ---- Unlinking

TEST_F(Pitfalls, RetryingUnlinkAloneMakesProgress) {
  Bytes memory(1 << 16), data = pattern(60000);
  target(memory, {.options = kPut});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(post_put(from), PTL_OK);
  ASSERT_EQ(PtlMDUnlink(from), PTL_MD_IN_USE);
  int tries = 0;
  while (PtlMDUnlink(from) == PTL_MD_IN_USE) {
    job->poll(1);
    job->network().advance_to_next();
    ASSERT_LT(++tries, 1000);
  }
  EXPECT_FALSE(alive(from, 0));
}

TEST_F(Pitfalls, RetryingUnlinkOfTheEntryAloneMakesProgress) {
  Bytes memory(1 << 16), data = pattern(60000);
  const Entry entry = target(memory, {.options = kPut});
  ASSERT_EQ(post_put(source(data)), PTL_OK);
  ASSERT_TRUE(run_until_put_starts());
  ASSERT_EQ(unlink_me(entry.me), PTL_ME_IN_USE);
  int tries = 0;
  while (unlink_me(entry.me) == PTL_ME_IN_USE) {
    job->poll(0);
    job->network().advance_to_next();
    ASSERT_LT(++tries, 1000);
  }
  EXPECT_EQ(kinds(1), "PUT_END");
}

TEST_F(Pitfalls, FireAndForgetFreesItsResources) {
  Bytes memory(8), data = pattern(4);
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(post_put(source(data, {.threshold = 1, .unlink = PTL_UNLINK, .quiet = true})),
              PTL_OK);
  job->settle();
  EXPECT_EQ(status(0, PTL_SR_MDS_CUR), 0U);
}

TEST_F(Pitfalls, FireAndForgetOfALargeMessageFreesItsResources) {
  Bytes memory(8192), data = pattern(4000);
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data, {.threshold = 1, .unlink = PTL_UNLINK, .quiet = true})), PTL_OK);
  EXPECT_EQ(status(0, PTL_SR_MDS_CUR), 0U);
  EXPECT_EQ(part(memory, 0, 4000), data);
}

// ---- Names and numbers

static_assert(PTL_NOACK_REQ == PTL_NO_ACK_REQ);

TEST(PitfallsOfHandles, SentinelsAreDistinctAndNameNothing) {
  using namespace lintel::api3;
  EXPECT_NE(PTL_INVALID_HANDLE, PTL_EQ_NONE);
  EXPECT_NE(PTL_INVALID_HANDLE, PTL_HANDLE_NONE);
  EXPECT_NE(PTL_EQ_NONE, PTL_HANDLE_NONE);
  for (const ptl_handle_any_t sentinel :
       {PTL_INVALID_HANDLE, PTL_EQ_NONE, PTL_HANDLE_NONE, ptl_handle_any_t{0}}) {
    const HandleKind kind = decode(sentinel).kind;
    EXPECT_TRUE(kind != HandleKind::kInterface && kind != HandleKind::kEntry &&
                kind != HandleKind::kDescriptor && kind != HandleKind::kQueue);
  }
}

TEST(PitfallsOfHandles, EncodingKeepsKindInterfaceSlotAndGeneration) {
  using namespace lintel::api3;
  // An interface has fewer objects than there are slots: portals/engine/values/handle.h.
  const SlotId largest{(1U << portals::kSlotBits) - 2, (1U << portals::kGenerationBits) - 1};
  for (const HandleKind kind :
       {HandleKind::kInterface, HandleKind::kEntry, HandleKind::kDescriptor, HandleKind::kQueue}) {
    for (const std::uint32_t interface : {0U, 3U}) {
      for (const SlotId id : {SlotId{0, 1}, largest, SlotId{4711, 42}, SlotId{200000, 511}}) {
        const ptl_handle_any_t handle = encode(kind, interface, id);
        EXPECT_EQ(decode(handle).kind, kind);
        EXPECT_EQ(decode(handle).interface, interface);
        EXPECT_EQ(decode(handle).id, id);
        EXPECT_TRUE(handle != PTL_INVALID_HANDLE && handle != PTL_EQ_NONE &&
                    handle != PTL_HANDLE_NONE);
      }
    }
  }
}

TEST_F(Pitfalls, HandlesCompareAsNumbers) {
  EXPECT_EQ(PtlHandleIsEqual(queue(0), queue(0)), PTL_OK);
  EXPECT_EQ(PtlHandleIsEqual(queue(0), PTL_EQ_NONE), PTL_FAIL);
}

// ---- Teardown

class Teardown : public Pitfalls, public ::testing::WithParamInterface<bool> {};

TEST_P(Teardown, BlockedWaiterReturns) {
  start({.processes = 1, .real_time = true});
  portals::Process& process = job->process(0);
  std::atomic<int> code{-1};
  std::thread waiter([&] {
    ptl_event_t event;
    code = PtlEQWait(queue(0), &event);
  });
  for (bool asleep = false; !asleep;) {
    std::this_thread::yield();
    const MutexLock lock(process.lock());
    asleep =
        process.interface(api3::kInterfaceKind)->events.queue(api3::decode(queue(0)).id)->sleepers >
        0;
  }
  ASSERT_EQ(GetParam() ? PtlNIFini(job->ni()) : PtlEQFree(queue(0)), PTL_OK);
  waiter.join();
  EXPECT_EQ(code, PTL_EQ_INVALID);
}
INSTANTIATE_TEST_SUITE_P(FreeAndFini, Teardown, ::testing::Bool());

TEST_F(Pitfalls, TeardownWithTrafficOfEveryKindInFlight) {
  Bytes memory(8192), data = pattern(4000), small = pattern(4);
  for (const std::size_t rank : {0U, 1U})
    target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE}, {}, rank);
  for (const std::size_t rank : {0U, 1U}) {
    ASSERT_EQ(post_put(source(data, {}, rank), {.to = 1 - rank, .ack = true}, rank), PTL_OK);
    ASSERT_EQ(post_get(source(data, {}, rank), {.to = 1 - rank}, rank), PTL_OK);
    ASSERT_EQ(post_put(source(small, {}, rank), {.to = 1 - rank, .ack = true}, rank), PTL_OK);
  }
  for (int i = 0; i < 8; ++i) {
    job->network().advance_to_next();
    job->settle(0ns);
  }
  EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK);
}

TEST_F(Pitfalls, TeardownWithAnswersThatNeverGotRoom) {
  JobOptions options;
  options.network.max_in_flight = 2;
  start(options);
  Bytes nothing;
  target(nothing, {.options = kPut});
  const ptl_handle_md_t from = source(nothing);
  ASSERT_EQ(put(from, {.ack = true}), PTL_OK);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(post_put(from, {.ack = true}), PTL_OK);
  // process 0 never polls again, so the acks of process 1 fill the path to it
  for (int i = 0; i < 10; ++i) {
    job->network().advance_to_next();
    job->poll(1);
  }
  EXPECT_EQ(job->process(1).dump().find("waiting messages 0\n"), std::string::npos);
  job->as(1);
  EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK);
}

// ---- Operations on oneself

TEST_F(Pitfalls, SelfPutFromAnMdToItself) {
  Bytes memory = pattern(8);
  const Entry mine = target(memory, {.options = kPut, .threshold = 2, .unlink = PTL_UNLINK}, {}, 0);
  ASSERT_EQ(put(mine.md, {.to = 0}), PTL_OK);
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "SEND_START SEND_END PUT_START PUT_END UNLINK");
  EXPECT_EQ(events[1].md.threshold, 1);  // charged as source
  EXPECT_EQ(events[3].md.threshold, 0);  // charged as target
}

}  // namespace
}  // namespace lintel::testing
