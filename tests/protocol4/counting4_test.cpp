// Section 3.14: counting events as numbers: get, set, increment, wait and poll. triggered4_test.cpp
// has what they trigger.

#include <thread>

#include "portals/api4/handle.h"
#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class Counting4 : public Portals4Test {
 protected:
  static std::string text(const ptl_ct_event_t& value) {
    return std::to_string(value.success) + "+" + std::to_string(value.failure);
  }
  ptl_handle_ct_t counter_of(ptl_ct_event_t value) {
    const ptl_handle_ct_t ct = counter(0);
    EXPECT_EQ(set_counter(ct, value, 0), PTL_OK);
    return ct;
  }
  // Returns the code of PtlCTPoll with one counter and timeout 0.
  static int look(ptl_handle_ct_t ct, ptl_size_t test) {
    ptl_ct_event_t value;
    unsigned which = 0;
    return PtlCTPoll(&ct, &test, 1, 0, &value, &which);
  }
};

TEST_F(Counting4, BeginsAtZero) { EXPECT_EQ(count(counter(0), 0), "0+0"); }

TEST_F(Counting4, SetReplacesBothMembers) {
  const ptl_handle_ct_t ct = counter_of({5, 6});
  EXPECT_EQ(count(ct, 0), "5+6");
  EXPECT_EQ(PtlCTSet(ct, {1, 0}), PTL_OK);
  EXPECT_EQ(count(ct, 0), "1+0");
}

TEST_F(Counting4, IncrementAddsToOneMember) {
  const ptl_handle_ct_t ct = counter_of({5, 6});
  EXPECT_EQ(PtlCTInc(ct, {3, 0}), PTL_OK);
  EXPECT_EQ(count(ct, 0), "8+6");
  EXPECT_EQ(PtlCTInc(ct, {0, 4}), PTL_OK);
  EXPECT_EQ(count(ct, 0), "8+10");
  EXPECT_EQ(PtlCTInc(ct, {0, 0}), PTL_OK);
  EXPECT_EQ(PtlCTInc(ct, {1, 1}), PTL_ARG_INVALID);
  EXPECT_EQ(count(ct, 0), "8+10");
}

TEST_F(Counting4, MembersWrap) {
  const ptl_handle_ct_t ct = counter_of({UINT64_MAX, UINT64_MAX});
  EXPECT_EQ(PtlCTInc(ct, {2, 0}), PTL_OK);
  EXPECT_EQ(PtlCTInc(ct, {0, 3}), PTL_OK);
  EXPECT_EQ(count(ct, 0), "1+2");
}

TEST_F(Counting4, WaitReturnsWhenSuccessHasReachedTheTest) {
  const ptl_handle_ct_t ct = counter_of({5, 0});
  for (const ptl_size_t test : {0U, 4U, 5U}) {
    ptl_ct_event_t value{};
    EXPECT_EQ(PtlCTWait(ct, test, &value), PTL_OK);
    EXPECT_EQ(text(value), "5+0");
  }
  EXPECT_EQ(look(ct, 6), PTL_CT_NONE_REACHED);
}

TEST_F(Counting4, AnyFailureEndsAWaitUntilItIsCleared) {
  const ptl_handle_ct_t ct = counter_of({0, 1});
  ptl_ct_event_t value{};
  EXPECT_EQ(PtlCTWait(ct, 100, &value), PTL_OK);
  EXPECT_EQ(text(value), "0+1");
  EXPECT_EQ(look(ct, 100), PTL_OK);
  ASSERT_EQ(PtlCTSet(ct, {50, 0}), PTL_OK);
  EXPECT_EQ(look(ct, 100), PTL_CT_NONE_REACHED);
}

// Triggers compare the sum of successes and failures. Waits compare successes only.
TEST_F(Counting4, FailuresDoNotAddToTheTest) {
  const ptl_handle_ct_t ct = counter_of({3, 0});
  EXPECT_EQ(look(ct, 4), PTL_CT_NONE_REACHED);
}

TEST_F(Counting4, PollTellsTheFirstThatHasReachedItsTest) {
  const ptl_handle_ct_t cts[] = {counter_of({1, 0}), counter_of({2, 0}), counter_of({3, 0})};
  ptl_ct_event_t value{};
  unsigned which = 99;
  const ptl_size_t second_and_third[] = {2, 2, 2};
  EXPECT_EQ(PtlCTPoll(cts, second_and_third, 3, PTL_TIME_FOREVER, &value, &which), PTL_OK);
  EXPECT_EQ(which, 1U);
  EXPECT_EQ(text(value), "2+0");
  const ptl_size_t third[] = {2, 3, 3};
  EXPECT_EQ(PtlCTPoll(cts, third, 3, 0, &value, &which), PTL_OK);
  EXPECT_EQ(which, 2U);
}

TEST_F(Counting4, PollWithoutSuccessTouchesNothing) {
  const ptl_handle_ct_t cts[] = {counter_of({1, 0}), counter_of({2, 0})};
  const ptl_size_t tests[] = {2, 3};
  ptl_ct_event_t value{7, 8};
  unsigned which = 99;
  EXPECT_EQ(PtlCTPoll(cts, tests, 2, 0, &value, &which), PTL_CT_NONE_REACHED);
  EXPECT_EQ(text(value), "7+8");
  EXPECT_EQ(which, 99U);
}

TEST_F(Counting4, PollEndsOnAFailure) {
  const ptl_handle_ct_t cts[] = {counter_of({0, 0}), counter_of({0, 1})};
  const ptl_size_t tests[] = {9, 9};
  ptl_ct_event_t value{};
  unsigned which = 99;
  EXPECT_EQ(PtlCTPoll(cts, tests, 2, PTL_TIME_FOREVER, &value, &which), PTL_OK);
  EXPECT_EQ(which, 1U);
  EXPECT_EQ(text(value), "0+1");
}

// Even if another counter would end the call: an invalid handle is always an error.
TEST_F(Counting4, PollOfABadHandleIsInvalidWhateverTheOthersSay) {
  ptl_handle_ni_t other = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                      nullptr, &other),
            PTL_OK);
  ptl_handle_ct_t foreign = PTL_CT_NONE, freed = counter(0);
  ASSERT_EQ(PtlCTAlloc(other, &foreign), PTL_OK);
  ASSERT_EQ(PtlCTFree(freed), PTL_OK);
  const ptl_handle_ct_t good = counter_of({5, 0});
  for (const ptl_handle_ct_t bad : {foreign, freed, PTL_CT_NONE, PTL_INVALID_HANDLE, queue(0)}) {
    for (const ptl_size_t test : {ptl_size_t{1}, ptl_size_t{100}}) {
      const ptl_handle_ct_t cts[] = {good, bad};
      const ptl_size_t tests[] = {test, 0};
      ptl_ct_event_t value{};
      unsigned which = 0;
      EXPECT_EQ(PtlCTPoll(cts, tests, 2, 0, &value, &which), PTL_ARG_INVALID)
          << std::hex << bad << ", test " << test;
    }
  }
}

TEST_F(Counting4, AsManyAsGrantedAndFreedOnesComeBack) {
  ptl_ni_limits_t limits{};
  limits.max_cts = 3;
  start({.limits = limits});
  ptl_handle_ct_t cts[4]{};
  for (int i = 0; i < 3; ++i) ASSERT_EQ(PtlCTAlloc(job->ni(), &cts[i]), PTL_OK);
  EXPECT_EQ(PtlCTAlloc(job->ni(), &cts[3]), PTL_NO_SPACE);
  ASSERT_EQ(PtlCTSet(cts[1], {4, 4}), PTL_OK);
  ASSERT_EQ(PtlCTFree(cts[1]), PTL_OK);
  EXPECT_EQ(PtlCTFree(cts[1]), PTL_ARG_INVALID);
  ASSERT_EQ(PtlCTAlloc(job->ni(), &cts[3]), PTL_OK);
  EXPECT_EQ(count(cts[3], 0), "0+0");
  ptl_ct_event_t value{};
  EXPECT_EQ(PtlCTGet(cts[1], &value), PTL_ARG_INVALID);
}

// What an MD or entry counts after its counter is freed is lost. The next counter in the same slot
// does not get it.
TEST_F(Counting4, AFreedCounterIsNotCountedInAnyMore) {
  Bytes data = pattern(16), memory(16);
  const ptl_handle_ct_t mine = counter(0), theirs = counter(1);
  append(memory, {.options = kPut | PTL_ME_EVENT_CT_COMM, .counter = theirs});
  const Md md =
      bind(data, {.options = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK, .counter = mine});
  ASSERT_EQ(post_put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  ASSERT_EQ(PtlCTFree(mine), PTL_OK);
  job->as(1);
  ASSERT_EQ(PtlCTFree(theirs), PTL_OK);
  const ptl_handle_ct_t next_mine = counter(0), next_theirs = counter(1);
  job->settle();
  EXPECT_EQ(memory, data);
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(count(next_mine, 0) + " " + count(next_theirs, 1), "0+0 0+0");
}

// ---- Calls that wait, in real time

class Counting4Waiting : public Counting4 {
 protected:
  Counting4Waiting() { start({.processes = 1, .real_time = true}); }
  // Waits until another thread sleeps on the counter.
  void await_sleeper(ptl_handle_ct_t ct) {
    portals::Process& process = job->process(0);
    const auto decoded = api4::decode(ct);
    while (true) {
      {
        const MutexLock lock(process.lock());
        if (process.interface(api4::engine_kind(decoded.interface))
                ->triggers.counter(decoded.id)
                ->sleepers > 0)
          return;
      }
      std::this_thread::yield();
    }
  }
  // Returns the code of PtlCTWait for one success in another thread, where `act` happens after that
  // thread has gone to sleep.
  template <class Act>
  int waiting_during(Act&& act) {
    const ptl_handle_ct_t ct = counter(0);
    int code = -1;
    std::thread waiter([&] { code = PtlCTWait(ct, 1, &seen); });
    await_sleeper(ct);
    act(ct);
    waiter.join();
    return code;
  }
  ptl_ct_event_t seen{};
};

TEST_F(Counting4Waiting, PollWaitsForItsTime) {
  const ptl_handle_ct_t ct = counter(0);
  const ptl_size_t test = 1;
  ptl_ct_event_t value{};
  unsigned which = 0;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(PtlCTPoll(&ct, &test, 1, 20, &value, &which), PTL_CT_NONE_REACHED);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
}

TEST_F(Counting4Waiting, IncrementWakes) {
  EXPECT_EQ(waiting_during([](ptl_handle_ct_t ct) {
              EXPECT_EQ(PtlCTInc(ct, {1, 0}), PTL_OK);
            }),
            PTL_OK);
  EXPECT_EQ(text(seen), "1+0");
}

TEST_F(Counting4Waiting, FailureWakes) {
  EXPECT_EQ(waiting_during([](ptl_handle_ct_t ct) {
              EXPECT_EQ(PtlCTSet(ct, {0, 3}), PTL_OK);
            }),
            PTL_OK);
  EXPECT_EQ(text(seen), "0+3");
}

TEST_F(Counting4Waiting, ATriggeredIncrementWakes) {
  const ptl_handle_ct_t trigger = counter(0);
  EXPECT_EQ(waiting_during([&](ptl_handle_ct_t ct) {
              EXPECT_EQ(PtlTriggeredCTInc(ct, {1, 0}, trigger, 1), PTL_OK);
              EXPECT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
            }),
            PTL_OK);
}

TEST_F(Counting4Waiting, FreeingTheCounterEndsTheWait) {
  EXPECT_EQ(waiting_during([](ptl_handle_ct_t ct) { EXPECT_EQ(PtlCTFree(ct), PTL_OK); }),
            PTL_ABORTED);
}

TEST_F(Counting4Waiting, ShuttingTheInterfaceEndsTheWait) {
  EXPECT_EQ(waiting_during([&](ptl_handle_ct_t) { EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK); }),
            PTL_ABORTED);
}

TEST_F(Counting4Waiting, AbortEndsTheWaitAndEveryLaterOne) {
  EXPECT_EQ(waiting_during([](ptl_handle_ct_t) { PtlAbort(); }), PTL_ABORTED);
  const ptl_handle_ct_t ct = counter_of({5, 0});
  EXPECT_EQ(PtlCTWait(ct, 1, &seen), PTL_ABORTED);
  EXPECT_EQ(PtlCTWait(PTL_INVALID_HANDLE, 1, &seen), PTL_ABORTED) << "handles are not looked at";
  EXPECT_EQ(look(ct, 1), PTL_ABORTED);
  EXPECT_EQ(look(PTL_INVALID_HANDLE, 1), PTL_ABORTED);
  EXPECT_EQ(count(ct, 0), "5+0") << "other functions go on";
}

TEST_F(Counting4Waiting, AbortEndsWaitsForEventsToo) {
  PtlAbort();
  ptl_event_t event;
  unsigned which = 0;
  const ptl_handle_eq_t good = queue(0), bad = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlEQWait(good, &event), PTL_ABORTED);
  EXPECT_EQ(PtlEQWait(bad, &event), PTL_ABORTED);
  for (const ptl_time_t timeout : {ptl_time_t{0}, ptl_time_t{5}, PTL_TIME_FOREVER}) {
    EXPECT_EQ(PtlEQPoll(&good, 1, timeout, &event, &which), PTL_ABORTED) << timeout;
    EXPECT_EQ(PtlEQPoll(&bad, 1, timeout, &event, &which), PTL_ABORTED) << timeout;
  }
  EXPECT_EQ(PtlEQGet(good, &event), PTL_EQ_EMPTY) << "it does not wait";
}

TEST_F(Counting4Waiting, AbortLastsUntilTheLastFini) {
  PtlAbort();
  job.reset();
  PtlAbort();  // not initialised: no effect
  start({.processes = 1});
  const ptl_handle_ct_t ct = counter_of({1, 0});
  EXPECT_EQ(look(ct, 1), PTL_OK);
}

}  // namespace
}  // namespace lintel::testing
