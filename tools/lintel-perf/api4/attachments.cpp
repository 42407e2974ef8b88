#include "attachments.h"

#include <algorithm>

#include "portals4_call.h"

namespace lintel::perf::api4 {

BoundMemory::BoundMemory(ptl_handle_ni_t ni, std::span<const Piece> memory, ptl_handle_eq_t queue) : memory_(memory) {
  ptl_md_t md{};
  memory_.describe(md);
  md.eq_handle = queue;
  md.ct_handle = PTL_CT_NONE;
  ptl_handle_md_t handle = PTL_INVALID_HANDLE;
  check_call(PtlMDBind(ni, &md, &handle), "PtlMDBind");
  md_.fill(handle);
}

BoundMemory::BoundMemory(ptl_handle_ni_t ni, std::span<const Piece> memory, const std::array<ptl_handle_ct_t, 3>& counters)
    : memory_(memory) {
  static constexpr std::array kCounts{PTL_MD_EVENT_CT_SEND, PTL_MD_EVENT_CT_ACK, PTL_MD_EVENT_CT_REPLY};  // in the order of Moment
  for (std::size_t i = 0; i < md_.size(); ++i) {
    ptl_md_t md{};
    md.options = PTL_MD_EVENT_SUCCESS_DISABLE | kCounts[i];
    memory_.describe(md);
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = counters[i];
    const int code = PtlMDBind(ni, &md, &md_[i]);
    if (code != PTL_OK) detach();
    check_call(code, "PtlMDBind");
  }
}

// Those that were released before are no more, which is no reason to try again.
bool BoundMemory::detach() {
  return std::none_of(md_.begin(), md_.end(), [](ptl_handle_md_t md) { return PtlMDRelease(md) == PTL_IN_USE; });
}

ptl_me_t open_entry(ptl_process_t peer, Place place) {
  ptl_me_t me{};
  me.ct_handle = PTL_CT_NONE;
  me.uid = PTL_UID_ANY;
  me.options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_NO_TRUNCATE | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE;
  me.match_id = peer;
  me.match_bits = place.bits;
  return me;
}

ExposedMemory::ExposedMemory(ptl_handle_ni_t ni, ptl_pt_index_t portal, std::span<const Piece> memory, ptl_me_t me) : memory_(memory) {
  memory_.describe(me);
  check_call(PtlMEAppend(ni, portal, &me, PTL_PRIORITY_LIST, nullptr, &me_), "PtlMEAppend");
}

bool ExposedMemory::detach() { return PtlMEUnlink(me_) != PTL_IN_USE; }

}  // namespace lintel::perf::api4
