// Section 3.16: invalid triggered operations: the call reports the error, as the plain function
// does.

#include "tests/protocol4/atomic_numbers.h"
#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

// ---- What the plain function refuses, the triggered one refuses in the call

class TriggeredRefusal4 : public Portals4Test {
 protected:
  TriggeredRefusal4() {
    start({.session = {.max_peers = 1}, .limits = limits()});
    trigger = counter(0);
    md = bind(data);
    get_md = bind(fetched);
    to = job->id(1);
    // the only peer that the table has room for
    EXPECT_EQ(PtlPut(md.handle, 0, 8, PTL_NO_ACK_REQ, to, kPortal, kBits, 0, nullptr, 0), PTL_OK);
    job->settle();
    take(0);
  }
  static ptl_ni_limits_t limits() {
    ptl_ni_limits_t wanted{};
    wanted.max_msg_size = 64;
    wanted.max_atomic_size = 16;
    wanted.max_fetch_atomic_size = 24;
    return wanted;
  }
  // Checks that the plain and the triggered function return `code`, and that no event reports it
  // later.
  void expect_both(int code, const char* what, int plain, int triggered) {
    EXPECT_EQ(plain, code) << what;
    EXPECT_EQ(triggered, code) << what;
  }
  void try_all(ptl_process_t target, ptl_size_t length, ptl_size_t local, ptl_size_t get_local,
               int put, int atomic, int fetch) {
    const auto p = md.handle, g = get_md.handle;
    const auto t = trigger;
    const ptl_size_t far = 1000;
    expect_both(put, "put",
                PtlPut(p, local, length, PTL_NO_ACK_REQ, target, kPortal, kBits, 0, nullptr, 0),
                PtlTriggeredPut(p, local, length, PTL_NO_ACK_REQ, target, kPortal, kBits, 0,
                                nullptr, 0, t, far));
    expect_both(put, "get", PtlGet(g, local, length, target, kPortal, kBits, 0, nullptr),
                PtlTriggeredGet(g, local, length, target, kPortal, kBits, 0, nullptr, t, far));
    expect_both(atomic, "atomic",
                PtlAtomic(p, local, length, PTL_NO_ACK_REQ, target, kPortal, kBits, 0, nullptr, 0,
                          PTL_SUM, PTL_INT8_T),
                PtlTriggeredAtomic(p, local, length, PTL_NO_ACK_REQ, target, kPortal, kBits, 0,
                                   nullptr, 0, PTL_SUM, PTL_INT8_T, t, far));
    expect_both(fetch, "fetch atomic",
                PtlFetchAtomic(g, get_local, p, local, length, target, kPortal, kBits, 0, nullptr,
                               0, PTL_SUM, PTL_INT8_T),
                PtlTriggeredFetchAtomic(g, get_local, p, local, length, target, kPortal, kBits, 0,
                                        nullptr, 0, PTL_SUM, PTL_INT8_T, t, far));
    expect_both(fetch, "swap",
                PtlSwap(g, get_local, p, local, length, target, kPortal, kBits, 0, nullptr, 0,
                        nullptr, PTL_SWAP, PTL_INT8_T),
                PtlTriggeredSwap(g, get_local, p, local, length, target, kPortal, kBits, 0, nullptr,
                                 0, nullptr, PTL_SWAP, PTL_INT8_T, t, far));
  }

  Bytes data = pattern(100), fetched = Bytes(100);
  Md md, get_md;
  ptl_process_t to{};
  ptl_handle_ct_t trigger = PTL_CT_NONE;
};

TEST_F(TriggeredRefusal4, TargetThatIsNoAddress) {
  ptl_process_t stranger = to;
  stranger.phys.nid += 7;
  try_all(stranger, 8, 0, 0, PTL_ARG_INVALID, PTL_ARG_INVALID, PTL_ARG_INVALID);
  EXPECT_EQ(kinds(0), "");
}

TEST_F(TriggeredRefusal4, EachOperationHasItsOwnLimit) {
  try_all(to, 16, 0, 0, PTL_OK, PTL_OK, PTL_OK);
  try_all(to, 17, 0, 0, PTL_OK, PTL_ARG_INVALID, PTL_OK);
  try_all(to, 24, 0, 0, PTL_OK, PTL_ARG_INVALID, PTL_OK);
  try_all(to, 25, 0, 0, PTL_OK, PTL_ARG_INVALID, PTL_ARG_INVALID);
  try_all(to, 64, 0, 0, PTL_OK, PTL_ARG_INVALID, PTL_ARG_INVALID);
  try_all(to, 65, 0, 0, PTL_ARG_INVALID, PTL_ARG_INVALID, PTL_ARG_INVALID);
  job->settle();
}

TEST_F(TriggeredRefusal4, RegionThatIsNotInTheMd) {
  try_all(to, 8, 92, 92, PTL_OK, PTL_OK, PTL_OK);
  try_all(to, 8, 93, 92, PTL_ARG_INVALID, PTL_ARG_INVALID, PTL_ARG_INVALID);
  try_all(to, 8, 92, 93, PTL_OK, PTL_OK, PTL_ARG_INVALID);
  try_all(to, 8, PTL_SIZE_MAX, 0, PTL_ARG_INVALID, PTL_ARG_INVALID, PTL_ARG_INVALID);
  try_all(to, 8, 92, PTL_SIZE_MAX, PTL_OK, PTL_OK, PTL_ARG_INVALID);
  job->settle();
}

// The specification limits atomics by max_atomic_size only.
TEST_F(TriggeredRefusal4, AtomicsMayBeLargerThanMessages) {
  ptl_ni_limits_t wanted{};
  wanted.max_msg_size = 4;
  start({.limits = wanted});
  Bytes there(8);
  append(there, {.options = kBoth | kNoLink});
  const Md from = bind(there, {.quiet = true}), into = bind(fetched, {.quiet = true});
  EXPECT_EQ(put(from, {.length = 8}), PTL_ARG_INVALID);
  EXPECT_EQ(atomic(from, PTL_SUM, PTL_INT64_T), PTL_OK);
  EXPECT_EQ(fetch_atomic(into, from, PTL_SUM, PTL_INT64_T), PTL_OK);
  EXPECT_EQ(kinds(1), "ATOMIC FETCH_ATOMIC");
}

TEST_F(TriggeredRefusal4, IncrementOfBothMembers) {
  const ptl_handle_ct_t changed = counter(0);
  EXPECT_EQ(PtlCTInc(changed, {1, 1}), PTL_ARG_INVALID);
  EXPECT_EQ(PtlTriggeredCTInc(changed, {1, 1}, trigger, 1), PTL_ARG_INVALID);
  EXPECT_EQ(PtlTriggeredCTSet(changed, {1, 1}, trigger, 1), PTL_OK);
  EXPECT_EQ(increment(trigger, {1, 0}, 0), PTL_OK);
  EXPECT_EQ(count(changed, 0), "1+1");
}

TEST_F(TriggeredRefusal4, CounterThatIsNoneOfThisInterface) {
  const ptl_handle_ct_t changed = counter(0), gone = counter(0);
  ASSERT_EQ(PtlCTFree(gone), PTL_OK);
  for (const ptl_handle_ct_t bad : {PTL_CT_NONE, PTL_INVALID_HANDLE, gone, md.handle}) {
    EXPECT_EQ(PtlTriggeredCTInc(changed, {1, 0}, bad, 1), PTL_ARG_INVALID) << bad;
    EXPECT_EQ(PtlTriggeredCTInc(bad, {1, 0}, trigger, 1), PTL_ARG_INVALID) << bad;
    EXPECT_EQ(
        PtlTriggeredPut(md.handle, 0, 8, PTL_NO_ACK_REQ, to, kPortal, kBits, 0, nullptr, 0, bad, 1),
        PTL_ARG_INVALID)
        << bad;
  }
}

}  // namespace
}  // namespace lintel::testing
