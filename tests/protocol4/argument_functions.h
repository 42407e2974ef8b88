#pragma once
// Every function of portals4.h that manages objects, with valid arguments and with each one made
// invalid. Functions that move data: arguments4_operations.h.

#include <functional>

#include "tests/protocol4/argument_world.h"

namespace lintel::testing {

using enum Names;
using W = ArgumentsWorld;
using Handles = std::array<ptl_handle_any_t, 3>;

// Output parameters.
struct Outputs {
  ptl_handle_any_t handle = 4711;
  ptl_pt_index_t index = 4711;
  ptl_sr_value_t value = 4711;
  ptl_uid_t uid = 4711;
  ptl_process_t id{4711};
  ptl_size_t size = 4711;
  ptl_event_t event{};
  ptl_ct_event_t count{4711, 4711};
  unsigned which = 4711;
  bool untouched() const {
    return handle == 4711 && index == 4711 && value == 4711 && uid == 4711 && id.rank == 4711 &&
           size == 4711 && event.mlength == 0 && count.success == 4711 && count.failure == 4711 &&
           which == 4711;
  }
};
inline Outputs out;

struct Function4 {
  const char* name;
  // which handles the members of `h` must name
  std::vector<Names> handles;
  // calls it with arguments that are valid except for `h`
  std::function<int(W& w, const Handles& h)> call;
  // calls with valid handles and one other argument invalid
  std::vector<std::pair<const char*, std::function<int(W& w)>>> otherwise{};
  int when_good = PTL_OK;
};
inline constexpr int kWouldWait = -1;  // for `when_good`: do not call

template <class Change>
inline int bind_with(W& w, Change&& change) {
  ptl_md_t md = w.description(w.eq, w.ct);
  change(md);
  return PtlMDBind(w.ni, &md, &out.handle);
}
template <class Change>
inline int append_me_with(W& w, Change&& change) {
  ptl_me_t me = w.match_entry(w.ct);
  change(me);
  return PtlMEAppend(w.ni, kPortal, &me, PTL_PRIORITY_LIST, nullptr, &out.handle);
}
template <class Change>
inline int search_me_with(W& w, Change&& change) {
  ptl_me_t me = w.match_entry(w.ct);
  change(me);
  return PtlMESearch(w.ni, kPortal, &me, PTL_SEARCH_ONLY, nullptr);
}
template <class Change>
inline int search_le_with(W& w, Change&& change) {
  ptl_le_t le = w.list_entry(w.other_ct);
  change(le);
  return PtlLESearch(w.other_ni, kPortal, &le, PTL_SEARCH_ONLY, nullptr);
}
template <class Change>
inline int append_le_with(W& w, Change&& change) {
  ptl_le_t le = w.list_entry(w.other_ct);
  change(le);
  return PtlLEAppend(w.other_ni, kPortal, &le, PTL_PRIORITY_LIST, nullptr, &out.handle);
}

inline constexpr ptl_ct_event_t kOne{1, 0}, kBothMembers{1, 1};
inline std::vector<ptl_iovec_t> kPieces(4096);

inline const std::vector<Function4>& administration() {
  static const ptl_process_t somebody{7};
  static const std::vector<Function4> all{
      {"PtlNIFini", {kAnyInterface}, [](W&, const Handles& h) { return PtlNIFini(h[0]); }},
      {"PtlNIStatus",
       {kAnyInterface},
       [](W&, const Handles& h) { return PtlNIStatus(h[0], PTL_SR_DROP_COUNT, &out.value); },
       {{"unknown register", [](W& w) { return PtlNIStatus(w.ni, PTL_SR_LAST, &out.value); }},
        {"register out of range", [](W& w) { return PtlNIStatus(w.ni, UINT32_MAX, &out.value); }},
        {"null", [](W& w) { return PtlNIStatus(w.ni, PTL_SR_DROP_COUNT, nullptr); }}}},
      {"PtlNIHandle",
       {kAnything},
       [](W&, const Handles& h) { return PtlNIHandle(h[0], &out.handle); },
       {{"null", [](W& w) { return PtlNIHandle(w.eq, nullptr); }}}},
      {"PtlSetMap",
       {kLogical},
       [](W&, const Handles& h) { return PtlSetMap(h[0], 1, &somebody); },
       {{"null", [](W& w) { return PtlSetMap(w.logical_ni, 1, nullptr); }},
        {"no ranks", [](W& w) { return PtlSetMap(w.logical_ni, 0, &somebody); }},
        {"more ranks than have numbers",
         [](W& w) { return PtlSetMap(w.logical_ni, PTL_RANK_ANY, &somebody); }}},
       PTL_IGNORED},
      {"PtlGetMap",
       {kLogical},
       [](W&, const Handles& h) { return PtlGetMap(h[0], 1, &out.id, &out.size); },
       {{"null", [](W& w) { return PtlGetMap(w.logical_ni, 1, nullptr, &out.size); }}}},
      {"PtlGetUid",
       {kAnyInterface},
       [](W&, const Handles& h) { return PtlGetUid(h[0], &out.uid); },
       {{"null", [](W& w) { return PtlGetUid(w.ni, nullptr); }}}},
      {"PtlGetId",
       {kAnyInterface},
       [](W&, const Handles& h) { return PtlGetId(h[0], &out.id); },
       {{"null", [](W& w) { return PtlGetId(w.ni, nullptr); }}}},
      {"PtlGetPhysId",
       {kAnyInterface},
       [](W&, const Handles& h) { return PtlGetPhysId(h[0], &out.id); },
       {{"null", [](W& w) { return PtlGetPhysId(w.ni, nullptr); }}}},
      {"PtlPTAlloc",
       {kAnyInterface, kQueueOrNone},
       [](W&, const Handles& h) { return PtlPTAlloc(h[0], 0, h[1], PTL_PT_ANY, &out.index); },
       {{"unknown option",
         [](W& w) { return PtlPTAlloc(w.ni, 0x20, w.eq, PTL_PT_ANY, &out.index); }},
        {"unknown options",
         [](W& w) {
           return PtlPTAlloc(w.ni, ~PTL_PT_ALLOC_OPTIONS_MASK, w.eq, PTL_PT_ANY, &out.index);
         }},
        {"index beyond the table",
         [](W& w) { return PtlPTAlloc(w.ni, 0, w.eq, 1U << 20, &out.index); }},
        {"nearly any index",
         [](W& w) { return PtlPTAlloc(w.ni, 0, w.eq, PTL_PT_ANY - 1, &out.index); }},
        {"null", [](W& w) { return PtlPTAlloc(w.ni, 0, w.eq, PTL_PT_ANY, nullptr); }}}},
      {"PtlPTFree",
       {kAnyInterface},
       [](W& w, const Handles& h) { return PtlPTFree(h[0], w.spare); },
       {{"not allocated", [](W& w) { return PtlPTFree(w.ni, 5); }},
        {"any", [](W& w) { return PtlPTFree(w.ni, PTL_PT_ANY); }}}},
      {"PtlPTDisable",
       {kAnyInterface},
       [](W& w, const Handles& h) { return PtlPTDisable(h[0], w.spare); },
       {{"not allocated", [](W& w) { return PtlPTDisable(w.ni, 5); }},
        {"any", [](W& w) { return PtlPTDisable(w.ni, PTL_PT_ANY); }}}},
      {"PtlPTEnable",
       {kAnyInterface},
       [](W& w, const Handles& h) { return PtlPTEnable(h[0], w.spare); },
       {{"not allocated", [](W& w) { return PtlPTEnable(w.ni, 5); }},
        {"any", [](W& w) { return PtlPTEnable(w.ni, PTL_PT_ANY); }}}},
      {"PtlEQAlloc",
       {kAnyInterface},
       [](W&, const Handles& h) { return PtlEQAlloc(h[0], 4, &out.handle); },
       {{"null", [](W& w) { return PtlEQAlloc(w.ni, 4, nullptr); }}}},
      {"PtlEQFree", {kQueue}, [](W&, const Handles& h) { return PtlEQFree(h[0]); }},
      {"PtlEQGet",
       {kQueue},
       [](W&, const Handles& h) { return PtlEQGet(h[0], &out.event); },
       {{"null", [](W& w) { return PtlEQGet(w.eq, nullptr); }}},
       PTL_EQ_EMPTY},
      {"PtlEQWait",
       {kQueue},
       [](W&, const Handles& h) { return PtlEQWait(h[0], &out.event); },
       {{"null", [](W& w) { return PtlEQWait(w.eq, nullptr); }}},
       kWouldWait},
      {"PtlEQPoll",
       {kQueue, kQueue},
       [](W&, const Handles& h) { return PtlEQPoll(h.data(), 2, 0, &out.event, &out.which); },
       {{"none", [](W& w) { return PtlEQPoll(&w.eq, 0, 0, &out.event, &out.which); }},
        {"null queues", [](W&) { return PtlEQPoll(nullptr, 1, 0, &out.event, &out.which); }},
        {"null event", [](W& w) { return PtlEQPoll(&w.eq, 1, 0, nullptr, &out.which); }},
        {"null which", [](W& w) { return PtlEQPoll(&w.eq, 1, 0, &out.event, nullptr); }}},
       PTL_EQ_EMPTY},
      {"PtlCTAlloc",
       {kAnyInterface},
       [](W&, const Handles& h) { return PtlCTAlloc(h[0], &out.handle); },
       {{"null", [](W& w) { return PtlCTAlloc(w.ni, nullptr); }}}},
      {"PtlCTFree", {kCounter}, [](W&, const Handles& h) { return PtlCTFree(h[0]); }},
      {"PtlCTCancelTriggered",
       {kCounter},
       [](W&, const Handles& h) { return PtlCTCancelTriggered(h[0]); }},
      {"PtlCTGet",
       {kCounter},
       [](W&, const Handles& h) { return PtlCTGet(h[0], &out.count); },
       {{"null", [](W& w) { return PtlCTGet(w.ct, nullptr); }}}},
      {"PtlCTWait",
       {kCounter},
       [](W&, const Handles& h) { return PtlCTWait(h[0], 0, &out.count); },
       {{"null", [](W& w) { return PtlCTWait(w.ct, 0, nullptr); }}}},
      {"PtlCTPoll",
       {kCounter, kCounter},
       [](W&, const Handles& h) {
         const ptl_size_t tests[] = {1, 1};
         return PtlCTPoll(h.data(), tests, 2, 0, &out.count, &out.which);
       },
       {{"none", [](W& w) { return PtlCTPoll(&w.ct, &out.size, 0, 0, &out.count, &out.which); }},
        {"null counters",
         [](W&) { return PtlCTPoll(nullptr, &out.size, 1, 0, &out.count, &out.which); }},
        {"null tests",
         [](W& w) { return PtlCTPoll(&w.ct, nullptr, 1, 0, &out.count, &out.which); }},
        {"null event", [](W& w) { return PtlCTPoll(&w.ct, &out.size, 1, 0, nullptr, &out.which); }},
        {"null which",
         [](W& w) { return PtlCTPoll(&w.ct, &out.size, 1, 0, &out.count, nullptr); }}},
       PTL_CT_NONE_REACHED},
      {"PtlCTSet", {kCounter}, [](W&, const Handles& h) { return PtlCTSet(h[0], kBothMembers); }},
      {"PtlCTInc",
       {kCounter},
       [](W&, const Handles& h) { return PtlCTInc(h[0], kOne); },
       {{"both members", [](W& w) { return PtlCTInc(w.ct, kBothMembers); }}}},
      {"PtlStartBundle",
       {kAnyInterface},
       [](W&, const Handles& h) { return PtlStartBundle(h[0]); }},
      {"PtlEndBundle", {kAnyInterface}, [](W&, const Handles& h) { return PtlEndBundle(h[0]); }},
  };
  return all;
}

inline const std::vector<Function4>& memory_functions() {
  static const std::vector<Function4> all{
      {"PtlMDBind",
       {kAnyInterface, kQueueOrNone, kCounterOrNone},
       [](W& w, const Handles& h) {
         const ptl_md_t md = w.description(h[1], h[2]);
         return PtlMDBind(h[0], &md, &out.handle);
       },
       {{"null md", [](W& w) { return PtlMDBind(w.ni, nullptr, &out.handle); }},
        {"null handle",
         [](W& w) {
           const ptl_md_t md = w.description(w.eq, w.ct);
           return PtlMDBind(w.ni, &md, nullptr);
         }},
        {"unknown option",
         [](W& w) { return bind_with(w, [](ptl_md_t& md) { md.options |= 0x200; }); }},
        {"unknown options",
         [](W& w) {
           return bind_with(w, [](ptl_md_t& md) { md.options |= ~PTL_MD_OPTIONS_MASK; });
         }},
        {"no pieces",
         [](W& w) {
           return bind_with(w, [](ptl_md_t& md) {
             md = {nullptr, 1, PTL_IOVEC, PTL_EQ_NONE, PTL_CT_NONE};
           });
         }},
        {"too many pieces",
         [](W& w) {
           return bind_with(w, [](ptl_md_t& md) {
             md = {kPieces.data(), kPieces.size(), PTL_IOVEC, PTL_EQ_NONE, PTL_CT_NONE};
           });
         }}}},
      {"PtlMDRelease", {kMd}, [](W&, const Handles& h) { return PtlMDRelease(h[0]); }},
      {"PtlLEAppend",
       {kNonMatching},
       [](W& w, const Handles& h) {
         const ptl_le_t le = w.list_entry(w.other_ct);
         return PtlLEAppend(h[0], kPortal, &le, PTL_OVERFLOW_LIST, nullptr, &out.handle);
       },
       {{"null le",
         [](W& w) {
           return PtlLEAppend(w.other_ni, kPortal, nullptr, PTL_PRIORITY_LIST, nullptr,
                              &out.handle);
         }},
        {"null handle",
         [](W& w) {
           const ptl_le_t le = w.list_entry(w.other_ct);
           return PtlLEAppend(w.other_ni, kPortal, &le, PTL_PRIORITY_LIST, nullptr, nullptr);
         }},
        {"unknown list",
         [](W& w) {
           const ptl_le_t le = w.list_entry(w.other_ct);
           return PtlLEAppend(w.other_ni, kPortal, &le, 2, nullptr, &out.handle);
         }},
        {"portal not allocated",
         [](W& w) {
           const ptl_le_t le = w.list_entry(w.other_ct);
           return PtlLEAppend(w.other_ni, 5, &le, PTL_PRIORITY_LIST, nullptr, &out.handle);
         }},
        {"portal beyond the table",
         [](W& w) {
           const ptl_le_t le = w.list_entry(w.other_ct);
           return PtlLEAppend(w.other_ni, PTL_PT_ANY, &le, PTL_PRIORITY_LIST, nullptr, &out.handle);
         }},
        {"option of MEs",
         [](W& w) {
           return append_le_with(w, [](ptl_le_t& le) { le.options |= PTL_ME_MANAGE_LOCAL; });
         }},
        {"unknown option",
         [](W& w) { return append_le_with(w, [](ptl_le_t& le) { le.options |= 1U << 31; }); }},
        {"counter of another interface",
         [](W& w) { return append_le_with(w, [&](ptl_le_t& le) { le.ct_handle = w.ct; }); }},
        {"counter that is gone",
         [](W& w) { return append_le_with(w, [&](ptl_le_t& le) { le.ct_handle = w.gone_ct; }); }},
        {"too many pieces",
         [](W& w) {
           return append_le_with(w, [](ptl_le_t& le) {
             le.start = kPieces.data();
             le.length = kPieces.size();
             le.options |= PTL_IOVEC;
           });
         }}}},
      {"PtlMEAppend",
       {kMatching, kCounterOrNone},
       [](W& w, const Handles& h) {
         const ptl_me_t me = w.match_entry(h[1]);
         return PtlMEAppend(h[0], kPortal, &me, PTL_OVERFLOW_LIST, nullptr, &out.handle);
       },
       {{"null me",
         [](W& w) {
           return PtlMEAppend(w.ni, kPortal, nullptr, PTL_PRIORITY_LIST, nullptr, &out.handle);
         }},
        {"null handle",
         [](W& w) {
           const ptl_me_t me = w.match_entry(w.ct);
           return PtlMEAppend(w.ni, kPortal, &me, PTL_PRIORITY_LIST, nullptr, nullptr);
         }},
        {"unknown list",
         [](W& w) {
           const ptl_me_t me = w.match_entry(w.ct);
           return PtlMEAppend(w.ni, kPortal, &me, 255, nullptr, &out.handle);
         }},
        {"portal not allocated",
         [](W& w) {
           const ptl_me_t me = w.match_entry(w.ct);
           return PtlMEAppend(w.ni, 5, &me, PTL_PRIORITY_LIST, nullptr, &out.handle);
         }},
        {"unknown option",
         [](W& w) { return append_me_with(w, [](ptl_me_t& me) { me.options |= 0x100000; }); }},
        {"unknown options",
         [](W& w) { return append_me_with(w, [](ptl_me_t& me) { me.options = ~0U; }); }},
        {"no pieces",
         [](W& w) {
           return append_me_with(w, [](ptl_me_t& me) {
             me.start = nullptr;
             me.length = 1;
             me.options |= PTL_IOVEC;
           });
         }},
        {"too many pieces",
         [](W& w) {
           return append_me_with(w, [](ptl_me_t& me) {
             me.start = kPieces.data();
             me.length = kPieces.size();
             me.options |= PTL_IOVEC;
           });
         }}}},
      {"PtlLEUnlink", {kLe}, [](W&, const Handles& h) { return PtlLEUnlink(h[0]); }},
      {"PtlMEUnlink", {kMe}, [](W&, const Handles& h) { return PtlMEUnlink(h[0]); }},
      {"PtlLESearch",
       {kNonMatching},
       [](W& w, const Handles& h) {
         const ptl_le_t le = w.list_entry(w.other_ct);
         return PtlLESearch(h[0], kPortal, &le, PTL_SEARCH_ONLY, nullptr);
       },
       {{"null",
         [](W& w) { return PtlLESearch(w.other_ni, kPortal, nullptr, PTL_SEARCH_ONLY, nullptr); }},
        {"unknown operation",
         [](W& w) {
           const ptl_le_t le = w.list_entry(w.other_ct);
           return PtlLESearch(w.other_ni, kPortal, &le, 2, nullptr);
         }},
        {"portal not allocated",
         [](W& w) {
           const ptl_le_t le = w.list_entry(w.other_ct);
           return PtlLESearch(w.other_ni, 5, &le, PTL_SEARCH_ONLY, nullptr);
         }},
        {"option of MEs",
         [](W& w) {
           return search_le_with(w, [](ptl_le_t& le) { le.options |= PTL_ME_NO_TRUNCATE; });
         }},
        {"unknown option",
         [](W& w) { return search_le_with(w, [](ptl_le_t& le) { le.options |= 1U << 31; }); }},
        {"counter of another interface",
         [](W& w) { return search_le_with(w, [&](ptl_le_t& le) { le.ct_handle = w.ct; }); }},
        {"counter that is gone",
         [](W& w) { return search_le_with(w, [&](ptl_le_t& le) { le.ct_handle = w.gone_ct; }); }}}},
      {"PtlMESearch",
       {kMatching, kCounterOrNone},
       [](W& w, const Handles& h) {
         const ptl_me_t me = w.match_entry(h[1]);
         return PtlMESearch(h[0], kPortal, &me, PTL_SEARCH_DELETE, nullptr);
       },
       {{"null",
         [](W& w) { return PtlMESearch(w.ni, kPortal, nullptr, PTL_SEARCH_ONLY, nullptr); }},
        {"unknown operation",
         [](W& w) {
           const ptl_me_t me = w.match_entry(w.ct);
           return PtlMESearch(w.ni, kPortal, &me, 255, nullptr);
         }},
        {"portal beyond the table",
         [](W& w) {
           const ptl_me_t me = w.match_entry(w.ct);
           return PtlMESearch(w.ni, 1U << 20, &me, PTL_SEARCH_ONLY, nullptr);
         }},
        {"unknown option",
         [](W& w) { return search_me_with(w, [](ptl_me_t& me) { me.options |= 0x100000; }); }},
        {"unknown options",
         [](W& w) { return search_me_with(w, [](ptl_me_t& me) { me.options = ~0U; }); }},
        {"counter of another interface",
         [](W& w) {
           return search_me_with(w, [&](ptl_me_t& me) { me.ct_handle = w.other_ct; });
         }}}},
  };
  return all;
}

}  // namespace lintel::testing
