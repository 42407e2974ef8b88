// Section 3.16: triggered operations: when they start, in which order, and what happens to those
// that never start.

#include "tests/protocol4/atomic_numbers.h"
#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class Triggered4 : public Portals4Test {
 protected:
  void arrange() {
    encode(PTL_INT64_T, {3}, data);
    encode(PTL_INT64_T, {6}, memory);
    append(memory, {.options = kBoth | kNoLink});
    md = bind(data, {.quiet = true});
    get_md = bind(fetched, {.quiet = true});
    trigger = counter(0);
    other = counter(0);
  }
  // The hdr_data of the messages that have arrived at process 1.
  std::vector<ptl_hdr_data_t> arrived() {
    std::vector<ptl_hdr_data_t> all;
    for (const ptl_event_t& event : take(1)) all.push_back(event.hdr_data);
    return all;
  }
  Bytes data = Bytes(8), memory = Bytes(8), fetched = Bytes(8);
  Md md, get_md;
  ptl_handle_ct_t trigger = PTL_CT_NONE, other = PTL_CT_NONE;
};

// ---- Every operation

struct Operation4 {
  const char* name;
  int (*start)(const Md& md, const Md& get_md, ptl_process_t target, ptl_handle_ct_t changed,
               ptl_handle_ct_t trigger, ptl_size_t threshold);
  const char* at_target;  // its events
  int there, here;        // the elements afterwards
  const char* changed;
};

constexpr std::int64_t kOperand = 6;

const Operation4 kOperations[] = {
    {"Put",
     [](const Md& md, const Md&, ptl_process_t to, ptl_handle_ct_t, ptl_handle_ct_t trigger,
        ptl_size_t threshold) {
       return PtlTriggeredPut(md.handle, 0, 8, PTL_NO_ACK_REQ, to, kPortal, kBits, 0, nullptr, 0,
                              trigger, threshold);
     },
     "PUT 8/8@0", 3, 0, "0+0"},
    {"Get",
     [](const Md&, const Md& get_md, ptl_process_t to, ptl_handle_ct_t, ptl_handle_ct_t trigger,
        ptl_size_t threshold) {
       return PtlTriggeredGet(get_md.handle, 0, 8, to, kPortal, kBits, 0, nullptr, trigger,
                              threshold);
     },
     "GET 8/8@0", 6, 6, "0+0"},
    {"Atomic",
     [](const Md& md, const Md&, ptl_process_t to, ptl_handle_ct_t, ptl_handle_ct_t trigger,
        ptl_size_t threshold) {
       return PtlTriggeredAtomic(md.handle, 0, 8, PTL_NO_ACK_REQ, to, kPortal, kBits, 0, nullptr, 0,
                                 PTL_SUM, PTL_INT64_T, trigger, threshold);
     },
     "ATOMIC 8/8@0", 9, 0, "0+0"},
    {"FetchAtomic",
     [](const Md& md, const Md& get_md, ptl_process_t to, ptl_handle_ct_t, ptl_handle_ct_t trigger,
        ptl_size_t threshold) {
       return PtlTriggeredFetchAtomic(get_md.handle, 0, md.handle, 0, 8, to, kPortal, kBits, 0,
                                      nullptr, 0, PTL_PROD, PTL_INT64_T, trigger, threshold);
     },
     "FETCH_ATOMIC 8/8@0", 18, 6, "0+0"},
    {"Swap",
     [](const Md& md, const Md& get_md, ptl_process_t to, ptl_handle_ct_t, ptl_handle_ct_t trigger,
        ptl_size_t threshold) {
       std::int64_t operand = kOperand;  // read in the call
       const int code =
           PtlTriggeredSwap(get_md.handle, 0, md.handle, 0, 8, to, kPortal, kBits, 0, nullptr, 0,
                            &operand, PTL_CSWAP, PTL_INT64_T, trigger, threshold);
       operand = 0;
       return code;
     },
     "FETCH_ATOMIC 8/8@0", 3, 6, "0+0"},
    {"CTInc",
     [](const Md&, const Md&, ptl_process_t, ptl_handle_ct_t changed, ptl_handle_ct_t trigger,
        ptl_size_t threshold) {
       return PtlTriggeredCTInc(changed, {0, 4}, trigger, threshold);
     },
     "", 6, 0, "0+4"},
    {"CTSet",
     [](const Md&, const Md&, ptl_process_t, ptl_handle_ct_t changed, ptl_handle_ct_t trigger,
        ptl_size_t threshold) {
       return PtlTriggeredCTSet(changed, {2, 5}, trigger, threshold);
     },
     "", 6, 0, "2+5"},
};

class Triggered4Each : public Triggered4, public ::testing::WithParamInterface<Operation4> {
 protected:
  int post(ptl_size_t threshold) {
    return GetParam().start(md, get_md, job->id(1), other, trigger, threshold);
  }
  void expect_done() {
    EXPECT_EQ(story(1), GetParam().at_target);
    EXPECT_EQ(decode(PTL_INT64_T, memory, 1), std::vector<int>{GetParam().there});
    EXPECT_EQ(decode(PTL_INT64_T, fetched, 1), std::vector<int>{GetParam().here});
    EXPECT_EQ(count(other, 0), GetParam().changed);
  }
  void expect_nothing() {
    job->settle();
    EXPECT_EQ(kinds(1), "");
    EXPECT_EQ(count(other, 0), "0+0");
  }
};

INSTANTIATE_TEST_SUITE_P(All, Triggered4Each, ::testing::ValuesIn(kOperations),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(Triggered4Each, ThresholdZeroStartsInTheCall) {
  arrange();
  ASSERT_EQ(post(0), PTL_OK);
  job->settle();
  expect_done();
}

TEST_P(Triggered4Each, ThresholdAlreadyReachedStartsInTheCall) {
  for (const ptl_ct_event_t reached :
       {ptl_ct_event_t{3, 0}, ptl_ct_event_t{7, 0}, ptl_ct_event_t{0, 3}, ptl_ct_event_t{2, 1}}) {
    start({});
    arrange();
    std::ranges::fill(fetched, std::uint8_t{0});
    ASSERT_EQ(PtlCTSet(trigger, reached), PTL_OK);
    ASSERT_EQ(post(3), PTL_OK);
    job->settle();
    expect_done();
  }
}

TEST_P(Triggered4Each, StartsWhenTheThresholdIsReachedAndOnlyOnce) {
  arrange();
  ASSERT_EQ(post(2), PTL_OK);
  expect_nothing();
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  expect_nothing();
  ASSERT_EQ(PtlCTInc(trigger, {0, 1}), PTL_OK);  // failures count too
  job->settle();
  expect_done();
  ASSERT_EQ(PtlCTSet(other, {0, 0}), PTL_OK);
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  ASSERT_EQ(PtlCTSet(trigger, {0, 0}), PTL_OK);
  ASSERT_EQ(PtlCTSet(trigger, {9, 0}), PTL_OK);
  expect_nothing();
}

TEST_P(Triggered4Each, CancelledOnesNeverStart) {
  arrange();
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  ASSERT_EQ(post(2), PTL_OK);
  ASSERT_EQ(PtlCTCancelTriggered(trigger), PTL_OK);
  EXPECT_EQ(count(trigger, 0), "1+0");
  ASSERT_EQ(PtlCTInc(trigger, {5, 0}), PTL_OK);
  expect_nothing();
  EXPECT_EQ(release(md), PTL_OK);
  EXPECT_EQ(release(get_md), PTL_OK);
}

TEST_P(Triggered4Each, OnesOfAFreedCounterNeverStart) {
  arrange();
  ASSERT_EQ(post(1), PTL_OK);
  ASSERT_EQ(PtlCTFree(trigger), PTL_OK);
  const ptl_handle_ct_t next = counter(0);
  ASSERT_EQ(PtlCTInc(next, {5, 0}), PTL_OK);
  expect_nothing();
  EXPECT_EQ(release(md), PTL_OK);
  EXPECT_EQ(release(get_md), PTL_OK);
}

TEST_P(Triggered4Each, AsManyAsGrantedWaitOnEachCounter) {
  ptl_ni_limits_t limits{};
  limits.max_triggered_ops = 5;
  start({.limits = limits});
  arrange();
  ASSERT_EQ(job->limits().max_triggered_ops, 5);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(post(1), PTL_OK);
  EXPECT_EQ(post(1), PTL_NO_SPACE);
  EXPECT_EQ(post(1000), PTL_NO_SPACE);
  const ptl_handle_ct_t another = counter(0);
  EXPECT_EQ(GetParam().start(md, get_md, job->id(1), other, another, 1), PTL_OK)
      << "each counter has room for as many";
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  EXPECT_EQ(post(1000), PTL_OK) << "those that have started do not count";
}

// ---- Memory and MDs

TEST_F(Triggered4, MdsAreInUseWhileTheOperationWaits) {
  arrange();
  ASSERT_EQ(post_put(md, {.trigger = Trigger{trigger, 1}}), PTL_OK);
  ASSERT_EQ(post_get(get_md, {.trigger = Trigger{trigger, 1}}), PTL_OK);
  EXPECT_EQ(release(md), PTL_IN_USE);
  EXPECT_EQ(release(get_md), PTL_IN_USE);
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  job->settle();
  EXPECT_EQ(release(md), PTL_OK);
  EXPECT_EQ(release(get_md), PTL_OK);
}

TEST_F(Triggered4, MemoryIsReadWhenTheOperationStarts) {
  for (const unsigned options : {0U, PTL_MD_VOLATILE}) {
    start({});
    arrange();
    const Md sent = bind(data, {.options = options, .quiet = true});
    ASSERT_EQ(post_put(sent, {.trigger = Trigger{trigger, 1}}), PTL_OK);
    encode(PTL_INT64_T, {44}, data);
    ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
    if (options == PTL_MD_VOLATILE) encode(PTL_INT64_T, {55}, data);
    job->settle();
    EXPECT_EQ(decode(PTL_INT64_T, memory, 1), std::vector<int>{44});
  }
}

TEST_F(Triggered4, EventsAndCountsAreThoseOfThePlainCall) {
  arrange();
  const ptl_handle_ct_t acks = counter(0);
  int mine = 0;
  const Md loud = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks});
  ASSERT_EQ(
      post_put(loud,
               {.ack = PTL_ACK_REQ, .hdr_data = 8, .user = &mine, .trigger = Trigger{trigger, 1}}),
      PTL_OK);
  EXPECT_EQ(kinds(0), "");
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  job->settle();
  const Events events = take(0);
  EXPECT_EQ(kinds(events), "SEND ACK");
  EXPECT_EQ(only(events, PTL_EVENT_ACK).user_ptr, &mine);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).hdr_data, 8U);
  EXPECT_EQ(count(acks, 0), "1+0");
}

TEST_F(Triggered4, ErrorsOfThePlainCallAreFoundInTheCall) {
  arrange();
  EXPECT_EQ(post_put(md, {.length = 9, .trigger = Trigger{trigger, 1}}), PTL_ARG_INVALID);
  // it has no queue
  EXPECT_EQ(post_put(md, {.ack = PTL_ACK_REQ, .trigger = Trigger{trigger, 1}}), PTL_ARG_INVALID);
  EXPECT_EQ(post_atomic(md, PTL_SWAP, PTL_INT64_T, {.trigger = Trigger{trigger, 1}}),
            PTL_ARG_INVALID);
  EXPECT_EQ(PtlTriggeredCTInc(other, {1, 1}, trigger, 1), PTL_ARG_INVALID);
  EXPECT_EQ(release(md), PTL_OK);
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  EXPECT_EQ(count(other, 0), "0+0");
}

// ---- Order

TEST_F(Triggered4, ThoseDueTogetherStartByThresholdThenByCall) {
  arrange();
  const std::pair<ptl_size_t, ptl_hdr_data_t> posted[] = {{5, 50}, {2, 20}, {5, 51}, {1, 10},
                                                          {9, 90}, {2, 21}, {5, 52}, {1, 11}};
  for (const auto& [threshold, name] : posted)
    ASSERT_EQ(post_put(md, {.hdr_data = name, .trigger = Trigger{trigger, threshold}}), PTL_OK);
  ASSERT_EQ(PtlCTSet(trigger, {6, 0}), PTL_OK);
  job->settle();
  EXPECT_EQ(arrived(), (std::vector<ptl_hdr_data_t>{10, 11, 20, 21, 50, 51, 52}));
  ASSERT_EQ(PtlCTInc(trigger, {3, 0}), PTL_OK);
  job->settle();
  EXPECT_EQ(arrived(), std::vector<ptl_hdr_data_t>{90});
}

TEST_F(Triggered4, CounterOperationsAreOrderedToo) {
  arrange();
  ASSERT_EQ(PtlTriggeredCTInc(other, {5, 0}, trigger, 3), PTL_OK);
  ASSERT_EQ(PtlTriggeredCTSet(other, {100, 0}, trigger, 2), PTL_OK);
  ASSERT_EQ(PtlTriggeredCTSet(other, {7, 0}, trigger, 1), PTL_OK);
  ASSERT_EQ(PtlTriggeredCTInc(other, {0, 1}, trigger, 3), PTL_OK);
  ASSERT_EQ(PtlCTInc(trigger, {3, 0}), PTL_OK);
  EXPECT_EQ(count(other, 0), "105+1");
}

// ---- Chains

TEST_F(Triggered4, ChainsOfCountersOfAnyDepth) {
  constexpr std::size_t kLinks = 2000;
  std::vector<ptl_handle_ct_t> chain;
  for (std::size_t i = 0; i <= kLinks; ++i) chain.push_back(counter(0));
  for (std::size_t i = 0; i < kLinks; ++i)
    ASSERT_EQ(PtlTriggeredCTInc(chain[i + 1], {1, 0}, chain[i], 1), PTL_OK);
  EXPECT_EQ(count(chain.back(), 0), "0+0");
  ASSERT_EQ(PtlCTInc(chain.front(), {1, 0}), PTL_OK);
  EXPECT_EQ(count(chain.back(), 0), "1+0");
}

TEST_F(Triggered4, ACounterMayChangeItself) {
  const ptl_handle_ct_t ct = counter(0);
  for (ptl_size_t threshold = 1; threshold <= 10; ++threshold)
    ASSERT_EQ(PtlTriggeredCTInc(ct, {1, 0}, ct, threshold), PTL_OK);
  ASSERT_EQ(PtlTriggeredCTSet(ct, {1000, 0}, ct, 11), PTL_OK);
  ASSERT_EQ(PtlCTInc(ct, {1, 0}), PTL_OK);
  EXPECT_EQ(count(ct, 0), "1000+0");
}

TEST_F(Triggered4, APutToOneselfStartsTheNext) {
  constexpr ptl_size_t kTurns = 200;
  Bytes ball = pattern(8), landing(8);
  const ptl_handle_ct_t landed = counter(0);
  append(landing,
         {.options = kPut | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM, .counter = landed},
         0);
  const Md source = bind(ball, {.quiet = true});
  for (ptl_size_t turn = 1; turn < kTurns; ++turn)
    ASSERT_EQ(post_put(source, {.to = 0, .trigger = Trigger{landed, turn}}), PTL_OK);
  ASSERT_EQ(put(source, {.to = 0}), PTL_OK);
  EXPECT_EQ(count(landed, 0), std::to_string(kTurns) + "+0");
}

// ---- What triggers them

TEST_F(Triggered4, TheTargetsCountSetsThemOffWithoutAnyCallThere) {
  arrange();
  Bytes answer = pattern(8, 5), received(8);
  const ptl_handle_ct_t came = counter(1);
  append(received, {.options = kPut | kNoLink | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
                    .bits = 1,
                    .counter = came});
  append(fetched, {.options = kPut | kNoLink}, 0);
  ASSERT_EQ(post_put(bind(answer, {.quiet = true}, 1), {.to = 0, .trigger = Trigger{came, 2}}, 1),
            PTL_OK);
  ASSERT_EQ(put(md, {.bits = 1}), PTL_OK);
  EXPECT_EQ(fetched, Bytes(8));
  ASSERT_EQ(put(md, {.bits = 1}), PTL_OK);
  EXPECT_EQ(fetched, answer);
  EXPECT_EQ(kinds(0), "PUT");
}

TEST_F(Triggered4, FailuresSetThemOff) {
  arrange();
  const ptl_handle_ct_t acks = counter(0);
  const Md refused = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks, .quiet = true});
  ASSERT_EQ(PtlTriggeredCTInc(other, {1, 0}, acks, 1), PTL_OK);
  ASSERT_EQ(put(refused, {.ack = PTL_CT_ACK_REQ, .portal = 3}), PTL_OK);
  EXPECT_EQ(count(acks, 0) + " " + count(other, 0), "0+1 1+0");
}

TEST_F(Triggered4, ATriggeredPutThatFailsTellsItsCounter) {
  arrange();
  const ptl_handle_ct_t acks = counter(0);
  const Md refused = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks, .quiet = true});
  ASSERT_EQ(post_put(refused, {.ack = PTL_CT_ACK_REQ, .portal = 3, .trigger = Trigger{trigger, 1}}),
            PTL_OK);
  ASSERT_EQ(PtlTriggeredCTInc(other, {1, 0}, acks, 1), PTL_OK);
  ASSERT_EQ(PtlCTInc(trigger, {1, 0}), PTL_OK);
  job->settle();
  EXPECT_EQ(count(acks, 0) + " " + count(other, 0), "0+1 1+0");
}

}  // namespace
}  // namespace lintel::testing
