#pragma once
// How operations to one peer start through Portals 4, however their completion is learnt.

#include <portals4.h>

#include <cstdint>

#include "operations.h"
#include "portals4_call.h"

namespace lintel::perf::api4 {

// Each starts one operation of the whole length. They return false if there is no room, and throw Failure on any other refusal.
class Initiator {
 public:
  Initiator(ProcessName peer, std::uint64_t length) : peer_{.phys = {peer.nid, peer.pid}}, length_(length) {}

  ptl_process_t peer() const { return peer_; }

  bool put(ptl_handle_md_t from, ptl_ack_req_t ack, Place place) const {
    return started(PtlPut(from, 0, length_, ack, peer_, place.portal, place.bits, 0, nullptr, 0), "PtlPut");
  }
  bool get(ptl_handle_md_t into, Place place) const {
    return started(PtlGet(into, 0, length_, peer_, place.portal, place.bits, 0, nullptr), "PtlGet");
  }
  bool swap(ptl_handle_md_t into, ptl_handle_md_t from, Place place) const {
    const ptl_datatype_t type = length_ % 8 == 0 ? PTL_UINT64_T : PTL_UINT8_T;
    const int code = PtlSwap(into, 0, from, 0, length_, peer_, place.portal, place.bits, 0, nullptr, 0, nullptr, PTL_SWAP, type);
    return started(code, "PtlSwap");
  }
  bool add(ptl_handle_md_t from, ptl_ack_req_t ack, Place place) const {
    const int code = PtlAtomic(from, 0, length_, ack, peer_, place.portal, place.bits, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T);
    return started(code, "PtlAtomic");
  }
  bool fetch_add(ptl_handle_md_t into, ptl_handle_md_t from, Place place) const {
    const int code = PtlFetchAtomic(into, 0, from, 0, length_, peer_, place.portal, place.bits, 0, nullptr, 0, PTL_SUM, PTL_UINT64_T);
    return started(code, "PtlFetchAtomic");
  }

 private:
  static bool started(int code, const char* call) {
    if (code == PTL_OK) [[likely]]
      return true;
    if (code != PTL_NO_SPACE) check_call(code, call);
    return false;
  }

  ptl_process_t peer_;
  std::uint64_t length_;
};

}  // namespace lintel::perf::api4
