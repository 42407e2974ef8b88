#pragma once
// ArgumentsWorld: process 0 with four kinds of interface and some objects of each kind, for tests
// that pass wrong arguments to every function.

#include <array>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {

// What a handle must name to be a valid argument.
enum class Names {
  kAnyInterface,
  kMatching,     // interface
  kNonMatching,  // interface
  kLogical,      // interface
  kQueue,
  kQueueOrNone,
  kCounter,
  kCounterOrNone,
  kMd,
  kMe,
  kLe,
  kAnything,
};

// All members are valid. A test makes one of them invalid.
struct ArgumentsWorld {
  // The main interface is matching and physical, the other one non-matching and physical. Each has
  // one object of every kind.
  ptl_handle_ni_t ni, other_ni, logical_ni;
  ptl_handle_eq_t eq, other_eq, gone_eq;
  ptl_handle_ct_t ct, second_ct, other_ct, gone_ct;
  ptl_handle_md_t md, second_md, other_md, gone_md;
  ptl_handle_me_t me, gone_me;
  ptl_handle_le_t le, gone_le;
  ptl_pt_index_t spare = 3;  // a portal without entries, on both interfaces
  ptl_process_t self;
  std::array<std::uint8_t, 64> memory{};

  // Makes everything as the current process, which has the main interface open and kPortal
  // allocated there.
  explicit ArgumentsWorld(ptl_handle_ni_t main) : ni(main) {
    EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY,
                        nullptr, nullptr, &other_ni),
              PTL_OK);
    EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, nullptr,
                        nullptr, &logical_ni),
              PTL_OK);
    EXPECT_EQ(PtlGetPhysId(ni, &self), PTL_OK);
    EXPECT_EQ(PtlSetMap(logical_ni, 1, &self), PTL_OK);
    ptl_pt_index_t made = 0;
    EXPECT_EQ(PtlPTAlloc(ni, 0, PTL_EQ_NONE, spare, &made), PTL_OK);
    EXPECT_EQ(PtlPTAlloc(other_ni, 0, PTL_EQ_NONE, kPortal, &made), PTL_OK);
    EXPECT_EQ(PtlPTAlloc(other_ni, 0, PTL_EQ_NONE, spare, &made), PTL_OK);
    gone_eq = queue(ni);
    gone_ct = counter(ni);
    gone_md = bind(ni, PTL_EQ_NONE, PTL_CT_NONE);
    const ptl_me_t me_made = match_entry(PTL_CT_NONE);
    EXPECT_EQ(PtlMEAppend(ni, kPortal, &me_made, PTL_PRIORITY_LIST, nullptr, &gone_me), PTL_OK);
    const ptl_le_t le_made = list_entry(PTL_CT_NONE);
    EXPECT_EQ(PtlLEAppend(other_ni, kPortal, &le_made, PTL_PRIORITY_LIST, nullptr, &gone_le),
              PTL_OK);
    EXPECT_EQ(PtlEQFree(gone_eq), PTL_OK);
    EXPECT_EQ(PtlCTFree(gone_ct), PTL_OK);
    EXPECT_EQ(PtlMDRelease(gone_md), PTL_OK);
    EXPECT_EQ(PtlMEUnlink(gone_me), PTL_OK);
    EXPECT_EQ(PtlLEUnlink(gone_le), PTL_OK);
    eq = queue(ni);
    other_eq = queue(other_ni);
    ct = counter(ni);
    second_ct = counter(ni);
    other_ct = counter(other_ni);
    md = bind(ni, eq, ct);
    second_md = bind(ni, eq, ct);
    other_md = bind(other_ni, other_eq, other_ct);
    EXPECT_EQ(PtlMEAppend(ni, kPortal, &me_made, PTL_PRIORITY_LIST, nullptr, &me), PTL_OK);
    EXPECT_EQ(PtlLEAppend(other_ni, kPortal, &le_made, PTL_PRIORITY_LIST, nullptr, &le), PTL_OK);
  }

  static ptl_handle_eq_t queue(ptl_handle_ni_t on) {
    ptl_handle_eq_t made = PTL_EQ_NONE;
    EXPECT_EQ(PtlEQAlloc(on, 16, &made), PTL_OK);
    return made;
  }
  static ptl_handle_ct_t counter(ptl_handle_ni_t on) {
    ptl_handle_ct_t made = PTL_CT_NONE;
    EXPECT_EQ(PtlCTAlloc(on, &made), PTL_OK);
    return made;
  }
  ptl_md_t description(ptl_handle_eq_t eq_handle, ptl_handle_ct_t ct_handle) {
    return {memory.data(), memory.size(), PTL_MD_EVENT_CT_SEND, eq_handle, ct_handle};
  }
  ptl_handle_md_t bind(ptl_handle_ni_t on, ptl_handle_eq_t eq_handle, ptl_handle_ct_t ct_handle) {
    const ptl_md_t described = description(eq_handle, ct_handle);
    ptl_handle_md_t made = PTL_INVALID_HANDLE;
    EXPECT_EQ(PtlMDBind(on, &described, &made), PTL_OK);
    return made;
  }
  ptl_le_t list_entry(ptl_handle_ct_t ct_handle) {
    return {memory.data(), memory.size(), ct_handle, PTL_UID_ANY,
            PTL_LE_OP_PUT | PTL_LE_EVENT_CT_COMM};
  }
  ptl_me_t match_entry(ptl_handle_ct_t ct_handle) {
    ptl_me_t made{};
    made.start = memory.data();
    made.length = memory.size();
    made.ct_handle = ct_handle;
    made.uid = PTL_UID_ANY;
    made.options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM;
    made.match_id.phys = {PTL_NID_ANY, PTL_PID_ANY};
    return made;
  }

  ptl_handle_any_t good(Names what) const {
    switch (what) {
      case Names::kAnyInterface:
      case Names::kMatching: return ni;
      case Names::kNonMatching: return other_ni;
      case Names::kLogical: return logical_ni;
      case Names::kQueue:
      case Names::kQueueOrNone: return eq;
      case Names::kCounter:
      case Names::kCounterOrNone: return ct;
      case Names::kMd: return md;
      case Names::kMe: return me;
      case Names::kLe: return le;
      case Names::kAnything: break;
    }
    return ct;
  }

  // Every handle that is not valid where `what` is expected. `with_others`: another handle in the
  // call determines the interface.
  std::vector<ptl_handle_any_t> wrong(Names what, bool with_others) const {
    std::vector<ptl_handle_any_t> all{PTL_INVALID_HANDLE,
                                      0,
                                      1,
                                      ni + 1,
                                      ni + (1U << 11),
                                      eq + 1,
                                      ct + 1,
                                      md + 1,
                                      me + 1,
                                      eq + (500U << 11),
                                      ct + (500U << 11),
                                      md + (500U << 11),
                                      me + (500U << 11),
                                      0xa0000001,
                                      0xe0000001,
                                      gone_eq,
                                      gone_ct,
                                      gone_md,
                                      gone_me,
                                      gone_le};
    const bool queue = what == Names::kQueue || what == Names::kQueueOrNone,
               counter = what == Names::kCounter || what == Names::kCounterOrNone;
    const auto add_unless = [&](bool right, std::initializer_list<ptl_handle_any_t> handles) {
      if (!right) all.insert(all.end(), handles);
    };
    const bool any = what == Names::kAnything;
    add_unless(what == Names::kQueueOrNone, {PTL_EQ_NONE});
    add_unless(what == Names::kCounterOrNone, {PTL_CT_NONE});
    add_unless(any || queue, {eq});
    add_unless(any || counter, {ct});
    add_unless(any || what == Names::kMd, {md});
    add_unless(any || what == Names::kMe, {me});
    add_unless(any || what == Names::kLe, {le});
    add_unless(any || what == Names::kAnyInterface || what == Names::kMatching, {ni});
    add_unless(any || what == Names::kAnyInterface || what == Names::kNonMatching, {other_ni});
    add_unless(
        any || what == Names::kAnyInterface || what == Names::kMatching || what == Names::kLogical,
        {logical_ni});
    if (with_others) add_unless(any, {other_eq, other_ct, other_md});
    return all;
  }
};

}  // namespace lintel::testing
