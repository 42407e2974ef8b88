#include "peer_probe.h"

#include "interface.h"
#include "portals_call.h"

namespace lintel::perf {
namespace {

constexpr ptl_match_bits_t kProbeBits = 0x50524f4245ULL;  // beside ControlChannel's bits on the same portal

}  // namespace

PeerProbe::PeerProbe(ptl_handle_ni_t ni, ptl_process_id_t peer) : peer_(peer) {
  check_call(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
  ptl_md_t md{};
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = eq_;
  check_call(PtlMDBind(ni, md, PTL_RETAIN, &md_), "PtlMDBind");
}

PeerProbe::~PeerProbe() {
  PtlMDUnlink(md_);  // a busy one goes with the interface; it has no memory
  PtlEQFree(eq_);
}

void PeerProbe::send() {
  check_call(PtlPut(md_, PTL_ACK_REQ, peer_, kControlPortal, 0, kProbeBits, 0, 0), "PtlPut of a probe");
  pending_ = true;
}

PeerProbe::Sign PeerProbe::look() {
  ptl_event_t event{};
  for (;;) {
    const int code = PtlEQGet(eq_, &event);
    if (code != PTL_OK && code != PTL_EQ_DROPPED) return Sign::kPending;
    if (event.ni_fail_type != PTL_NI_OK) return Sign::kDead;
    if (event.type == PTL_EVENT_ACK) {
      pending_ = false;
      return Sign::kAlive;
    }
  }
}

void accept_probes(ptl_handle_ni_t ni) {
  ptl_handle_me_t me = PTL_INVALID_HANDLE;
  check_call(PtlMEAttach(ni, kControlPortal, {PTL_NID_ANY, PTL_PID_ANY}, kProbeBits, 0, PTL_UNLINK, PTL_INS_BEFORE, &me), "PtlMEAttach");
  ptl_md_t md{};
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = PTL_EQ_NONE;
  check_call(PtlMDAttach(me, md, PTL_RETAIN, nullptr), "PtlMDAttach");
}

}  // namespace lintel::perf
