#include "liveness.h"

#include <exception>
#include <optional>

#include "interface.h"

namespace lintel::perf {
namespace {

constexpr ptl_match_bits_t kProbeBits = 0x50524f4245ULL;  // beside ControlChannel's bits there
constexpr auto kLook = std::chrono::milliseconds(200);
constexpr auto kProbeAfter = std::chrono::seconds(1);

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

PeerProbe::Sign PeerProbe::look() {
  if (!pending_) {
    check_call(PtlPut(md_, PTL_ACK_REQ, peer_, kControlPortal, 0, kProbeBits, 0, 0),
               "PtlPut of a probe");
    pending_ = true;
    sent_at_ = Clock::now();
  }
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
  check_call(PtlMEAttach(ni, kControlPortal, {PTL_NID_ANY, PTL_PID_ANY}, kProbeBits, 0, PTL_UNLINK,
                         PTL_INS_BEFORE, &me),
             "PtlMEAttach");
  ptl_md_t md{};
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = PTL_EQ_NONE;
  check_call(PtlMDAttach(me, md, PTL_RETAIN, nullptr), "PtlMDAttach");
}

std::string death_of(ptl_process_id_t peer) {
  return fmt::format("the other process, {}, died or cannot be reached any more", to_string(peer));
}

Watch::Watch(ptl_handle_ni_t ni, ptl_process_id_t peer, Operations& operations, Seconds limit)
    : operations_(operations), thread_([this, ni, peer, limit] {
        try {
          run(ni, peer, limit);
        } catch (const std::exception& error) {
          operations_.stop(error.what());
        }
      }) {}

Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watch::run(ptl_handle_ni_t ni, ptl_process_id_t peer, Seconds limit) {
  std::optional<PeerProbe> probe;  // made only for a peer that has gone silent
  std::uint64_t seen = operations_.seen();
  Clock::time_point since = Clock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [this] { return done_; })) {
    const auto now = Clock::now();
    if (operations_.seen() != seen) {
      seen = operations_.seen();
      since = now;
      continue;
    }
    const auto silent = now - since;
    if (silent < kProbeAfter) continue;
    if (!probe) probe.emplace(ni, peer);
    if (probe->look() == PeerProbe::Sign::kDead) return operations_.stop(death_of(peer));
    if (silent > limit) {
      return operations_.stop(
          fmt::format("nothing came from {} for {:.0f} s; expected progress within that time "
                      "(--deadline)",
                      to_string(peer), limit.count()));
    }
  }
}

}  // namespace lintel::perf
