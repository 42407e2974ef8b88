// Sections 3.10, 3.15, 3.16: operations that fail under way, because a process dies or an interface
// is closed. Every owed event and count still comes.

#include <sys/mman.h>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class Failures4 : public Portals4Test {
 protected:
  Bytes large = pattern(200000), there = Bytes(200000);
};

// ---- A process dies while data move

TEST_F(Failures4, PutWhoseTargetDiesIsToldOnceToWhoWaitsForItsAck) {
  for (const transport::Death death : {transport::Death::kNoticed, transport::Death::kSilent}) {
    start({});
    const ptl_handle_ct_t acks = counter(0);
    append(there, {.options = kPut | kNoLink});
    const Md md = bind(large, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks});
    put_until_landing(md, {.ack = PTL_ACK_REQ});
    job->kill(1, death);
    job->run(120s);
    const std::string told = kinds(0);
    EXPECT_TRUE(told == "SEND!UNDELIVERABLE" || told == "SEND ACK!UNDELIVERABLE") << told;
    EXPECT_EQ(count(acks, 0), "0+1");
    EXPECT_EQ(release(md), PTL_OK);
  }
}

TEST_F(Failures4, GetWhoseTargetDiesFails) {
  const ptl_handle_ct_t replies = counter(0);
  append(large, {.options = kGet | kNoLink});
  const Md md = bind(there, {.options = PTL_MD_EVENT_CT_REPLY, .counter = replies});
  ASSERT_EQ(post_get(md), PTL_OK);
  while (job->landing(1, kPortal) == 0) {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  job->kill(1, transport::Death::kNoticed);
  job->run(120s);
  EXPECT_EQ(kinds(0), "REPLY!UNDELIVERABLE");
  EXPECT_EQ(count(replies, 0), "0+1");
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Failures4, PutWhoseInitiatorDiesFailsAtTheTarget) {
  const ptl_handle_ct_t came = counter(1);
  const ptl_handle_me_t entry =
      append(there, {.options = kPut | kNoLink | PTL_ME_EVENT_CT_COMM, .counter = came});
  put_until_landing(bind(large));
  EXPECT_EQ(unlink(entry), PTL_IN_USE);
  job->kill(0, transport::Death::kNoticed);
  job->run(120s);
  EXPECT_EQ(kinds(1), "PUT!UNDELIVERABLE");
  EXPECT_EQ(count(came, 1), "0+1");
  EXPECT_EQ(unlink(entry), PTL_OK);
}

TEST_F(Failures4, EveryOperationUnderWayWithADeadPeerEnds) {
  start({.processes = 3});
  Bytes small(8), fetched(8);
  append(there, {.options = kBoth | kNoLink});
  append(small, {.options = kBoth | kNoLink}, 2);
  const ptl_handle_ct_t ct = counter(0);
  const unsigned counted = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;
  const Md big = bind(large, {.options = counted, .counter = ct, .quiet = true}),
           in = bind(fetched, {.options = counted, .counter = ct, .quiet = true});
  ASSERT_EQ(put(big, {.length = 8}), PTL_OK);  // opens the session
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(post_put(big, {.ack = PTL_CT_ACK_REQ}), PTL_OK);
    ASSERT_EQ(post_put(big, {.ack = PTL_CT_ACK_REQ, .length = 8}), PTL_OK);
    ASSERT_EQ(post_get(big), PTL_OK);
    ASSERT_EQ(post_get(in), PTL_OK);
    ASSERT_EQ(post_fetch_atomic(in, big, PTL_SUM, PTL_INT64_T, {.length = 8}), PTL_OK);
    ASSERT_EQ(post_atomic(big, PTL_SUM, PTL_INT64_T, {.ack = PTL_CT_ACK_REQ, .length = 8}), PTL_OK);
  }
  job->kill(1, transport::Death::kNoticed);
  job->run(120s);
  EXPECT_EQ(count(ct, 0), "0+30");
  EXPECT_EQ(put(in, {.to = 2, .ack = PTL_CT_ACK_REQ}), PTL_OK);
  EXPECT_EQ(count(ct, 0), "1+30") << "the others go on";
  EXPECT_EQ(release(big), PTL_OK);
  EXPECT_EQ(release(in), PTL_OK);
}

TEST_F(Failures4, AFailureGoesDownAChainOfTriggers) {
  Bytes data(8);
  const ptl_handle_ct_t acks = counter(0), next = counter(0);
  const Md md = bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks, .quiet = true});
  ASSERT_EQ(PtlTriggeredCTInc(next, {0, 1}, acks, 1), PTL_OK);
  ASSERT_EQ(post_put(md, {.to = 50, .ack = PTL_CT_ACK_REQ, .trigger = Trigger{counter(0), 0}}),
            PTL_OK);
  job->run(120s);
  EXPECT_EQ(count(next, 0), "0+1");
}

// ---- The interface is closed

TEST_F(Failures4, ShuttingAnInterfaceForgetsWhatIsArmed) {
  Bytes data = pattern(8);
  append(there, {.options = kBoth | kNoLink});
  const ptl_handle_ct_t trigger = counter(0), second = counter(0);
  const Md md = bind(data, {.quiet = true});
  for (ptl_size_t threshold = 1; threshold < 50; ++threshold) {
    ASSERT_EQ(post_put(md, {.trigger = Trigger{trigger, threshold}}), PTL_OK);
    ASSERT_EQ(PtlTriggeredCTInc(second, {1, 0}, trigger, threshold), PTL_OK);
    ASSERT_EQ(PtlTriggeredCTInc(trigger, {1, 0}, second, threshold + 100), PTL_OK);
  }
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  job->settle();
  EXPECT_EQ(kinds(1), "");
}

TEST_F(Failures4, ShuttingAnInterfaceFailsWhatOthersWantFromIt) {
  append(there, {.options = kBoth | kNoLink});
  const ptl_handle_ct_t ct = counter(0);
  const Md md =
      bind(large,
           {.options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY, .counter = ct, .quiet = true});
  put_until_landing(md, {.ack = PTL_CT_ACK_REQ});
  ASSERT_EQ(post_get(md, {.length = 8}), PTL_OK);
  job->as(1);
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  job->as(0);
  job->run(120s);
  ptl_ct_event_t value{};
  ASSERT_EQ(PtlCTGet(ct, &value), PTL_OK);
  EXPECT_EQ(value.success + value.failure, 2U) << value.success << " succeeded";
  EXPECT_EQ(release(md), PTL_OK);
}

// ---- Memory of the target that is not there

// Two pages of process 1, the second of which may be made inaccessible.
class InaccessibleMemory : public Portals4Test {
 protected:
  static constexpr std::size_t kPage = 4096;

  InaccessibleMemory() {
    start_with(PTL_TARGET_BIND_INACCESSIBLE);
    void* const pages =
        ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(pages, MAP_FAILED);
    first = static_cast<std::uint8_t*>(pages);
    second = first + kPage;
  }
  ~InaccessibleMemory() override { ::munmap(first, 2 * kPage); }

  void start_with(unsigned features) {
    ptl_ni_limits_t wanted{};
    wanted.features = features;
    start({.limits = wanted});
  }
  // An entry over the whole address space, so that offsets are addresses.
  void expose(unsigned options = kBoth) {
    Bytes none;
    ptl_me_t all = me(none, {.options = options | PTL_ME_EVENT_LINK_DISABLE});
    all.start = nullptr;
    all.length = PTL_SIZE_MAX;
    append(all);
  }
  static ptl_size_t address(const std::uint8_t* place) {
    return reinterpret_cast<std::uintptr_t>(place);
  }
  void protect_second(int protection) { ASSERT_EQ(::mprotect(second, kPage, protection), 0); }

  std::uint8_t* first = nullptr;
  std::uint8_t* second = nullptr;
  Bytes data = pattern(64);
};

TEST_F(InaccessibleMemory, PutThatTouchesAnyOfItFailsAndChangesNothing) {
  expose();
  ASSERT_EQ(::munmap(second, kPage), 0);
  const Bytes before(first, first + kPage);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .offset = address(second) - 32}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!SEGV");
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(Bytes(first, first + kPage), before);
  EXPECT_EQ(drops(1), 1);
}

TEST_F(InaccessibleMemory, PutUpToItsEdgeSucceeds) {
  expose();
  ASSERT_EQ(::munmap(second, kPage), 0);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .offset = address(second) - 64}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(Bytes(second - 64, second), data);
}

TEST_F(InaccessibleMemory, GetFailsAndBringsNothing) {
  expose();
  ASSERT_EQ(::munmap(second, kPage), 0);
  Bytes here(64);
  ASSERT_EQ(get(bind(here), {.offset = address(second)}), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY!SEGV");
  EXPECT_EQ(here, Bytes(64));
}

TEST_F(InaccessibleMemory, LargePutAndGetFailBeforeAnyDataMove) {
  expose();
  ASSERT_EQ(::munmap(second, kPage), 0);
  Bytes large = pattern(kPage + 8);
  const Md md = bind(large);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .offset = address(first)}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!SEGV");
  ASSERT_EQ(get(md, {.offset = address(first)}), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY!SEGV");
  EXPECT_EQ(large, pattern(kPage + 8));
}

TEST_F(InaccessibleMemory, MemoryThatIsReadOnlyIsReadAndNotWritten) {
  expose();
  second[0] = 7;
  protect_second(PROT_READ);
  Bytes here(1);
  const Md md = bind(here);
  ASSERT_EQ(get(md, {.offset = address(second)}), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY");
  EXPECT_EQ(here[0], 7);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .offset = address(second)}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!SEGV");
  ASSERT_EQ(atomic(md, PTL_SUM, PTL_UINT8_T, {.ack = PTL_ACK_REQ, .offset = address(second)}),
            PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!SEGV");
  ASSERT_EQ(fetch_atomic(md, md, PTL_SUM, PTL_UINT8_T, {.offset = address(second)}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND REPLY!SEGV");
  ASSERT_EQ(swap(md, md, nullptr, PTL_SWAP, PTL_UINT8_T, {.offset = address(second)}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND REPLY!SEGV");
  EXPECT_EQ(second[0], 7);
  EXPECT_EQ(kinds(1), "GET");
}

TEST_F(InaccessibleMemory, CountsAsAFailure) {
  expose();
  protect_second(PROT_NONE);
  const ptl_handle_ct_t acks = counter(0);
  ASSERT_EQ(put(bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = acks}),
                {.ack = PTL_CT_ACK_REQ, .offset = address(second)}),
            PTL_OK);
  EXPECT_EQ(count(acks, 0), "0+1");
}

TEST_F(InaccessibleMemory, OperationsOfNoBytesTouchNothing) {
  expose();
  protect_second(PROT_NONE);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .offset = address(second), .length = 0}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
}

// A use-once entry is still there for the next message.
TEST_F(InaccessibleMemory, RefusedMessageUsesNothingUp) {
  expose(kPut | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
  protect_second(PROT_NONE);
  const Md md = bind(data);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .offset = address(second)}), PTL_OK);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .offset = address(first)}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!SEGV SEND ACK");
  EXPECT_EQ(kinds(1), "PUT");
}

TEST_F(InaccessibleMemory, FirstTouchOfAPageByAPeerSucceeds) {
  expose();
  ASSERT_EQ(::madvise(first, 2 * kPage, MADV_DONTNEED), 0);
  Bytes large = pattern(2 * kPage);
  ASSERT_EQ(put(bind(large), {.ack = PTL_ACK_REQ, .offset = address(first)}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(Bytes(first, first + 2 * kPage), large);
}

}  // namespace
}  // namespace lintel::testing
