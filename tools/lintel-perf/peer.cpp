#include "peer.h"

#include <algorithm>
#include <optional>

#include "interface.h"
#include "protocol.h"

namespace lintel::perf {
namespace {

using nlohmann::json;

constexpr ptl_match_bits_t kProbeBits = 0x50524f4245ULL;  // beside ControlChannel's bits there
constexpr auto kLook = std::chrono::milliseconds(200);
constexpr auto kProbeAfter = std::chrono::seconds(1);

class Probe {
 public:
  enum class Result { kPending, kAlive, kDead };

  Probe(ptl_handle_ni_t ni, ptl_process_id_t peer) : peer_(peer) {
    check_call(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
    ptl_md_t md{};
    md.threshold = PTL_MD_THRESH_INF;
    md.options = PTL_MD_EVENT_START_DISABLE;
    md.eq_handle = eq_;
    check_call(PtlMDBind(ni, md, PTL_RETAIN, &md_), "PtlMDBind");
  }
  ~Probe() {
    PtlMDUnlink(md_);  // a busy one goes with the interface; it has no memory
    PtlEQFree(eq_);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // Sends one unless one is pending, and looks, without blocking, what became of it.
  Result look() {
    if (!pending_) {
      check_call(PtlPut(md_, PTL_ACK_REQ, peer_, kControlPortal, 0, kProbeBits, 0, 0),
                 "PtlPut of a probe");
      pending_ = true;
      sent_at_ = Clock::now();
    }
    ptl_event_t event{};
    for (;;) {
      const int code = PtlEQGet(eq_, &event);
      if (code != PTL_OK && code != PTL_EQ_DROPPED) return Result::kPending;
      if (event.ni_fail_type != PTL_NI_OK) return Result::kDead;
      if (event.type != PTL_EVENT_ACK) continue;
      pending_ = false;
      return Result::kAlive;
    }
  }
  Clock::time_point sent_at() const { return sent_at_; }

 private:
  ptl_process_id_t peer_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
  bool pending_ = false;
  Clock::time_point sent_at_{};
};

}  // namespace

Seconds time_for(std::uint64_t bytes) {
  static constexpr double kSlowBytesPerSecond = 50e6;
  return Seconds(static_cast<double>(bytes) / kSlowBytesPerSecond);
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

Peer::Peer(ptl_handle_ni_t ni, ControlChannel& control, ptl_process_id_t id, Seconds deadline,
           Seconds patience)
    : ni_(ni),
      control_(control),
      id_(id),
      deadline_(deadline),
      patience_(patience),
      thread_([this] {
        try {
          look_for_life();
        } catch (const std::exception& error) {
          const std::lock_guard lock(mutex_);
          stop(error.what());
        }
      }) {}

Peer::~Peer() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Peer::look_for_life() {
  const std::string death =
      fmt::format("the other process, {}, died or cannot be reached any more", to_string(id_));
  std::optional<Probe> probe;  // made at the first silence
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [this] { return done_; })) {
    const auto now = Clock::now();
    if (operations_ != nullptr && operations_->seen() != seen_) {
      seen_ = operations_->seen();
      seen_at_ = last_sign_ = now;
    }
    if (operations_ != nullptr && now - seen_at_ > standstill_) {
      return stop(
          fmt::format("nothing came from {} for {:.0f} s; expected progress within that time "
                      "(--deadline)",
                      to_string(id_), standstill_.count()));
    }
    if (now - last_sign_ < kProbeAfter) continue;
    if (!probe) probe.emplace(ni_, id_);
    const auto result = probe->look();
    if (result == Probe::Result::kAlive) last_sign_ = now;
    const bool unanswered = result == Probe::Result::kPending && now - probe->sent_at() > deadline_;
    if (result == Probe::Result::kDead || (unanswered && operations_ == nullptr)) {
      return stop(death);
    }
  }
}

void Peer::stop(const std::string& reason) {
  stop_reason_.set(reason, [&] {
    if (operations_ != nullptr) operations_->stop(reason);
  });
}

void Peer::send(const char* kind, const json& members) {
  const std::string failure = control_.send(id_, control_message(kind, members), deadline_);
  if (failure.empty()) return;
  throw PeerLost(fmt::format("{} took no message within {:.1f} s: {}", to_string(id_),
                             deadline_.count(), failure));
}

void Peer::tell(const json& members) { send("step", members); }

void Peer::tell_failure(ExitCode code, const std::string& sentence) {
  send("failed", {{"error", sentence}, {"code", static_cast<int>(code)}});
}

json Peer::await(Seconds allowance) {
  static constexpr Seconds kTick{0.25};
  const Seconds limit = patience_ + allowance;
  for (const auto end = after(limit);;) {
    stop_reason_.throw_if_set();
    auto message = control_.receive(std::min<Seconds>(left_until(end), kTick));
    if (!message) {
      if (Clock::now() < end) continue;
      throw PeerLost(
          fmt::format("no reply from {} within {:.0f} s", to_string(id_), limit.count()));
    }
    const std::string kind = kind_of(message->body);
    if (message->from.nid != id_.nid || message->from.pid != id_.pid) {
      if (kind == "hello") refuse_client(control_, message->from, id_);
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      last_sign_ = Clock::now();
    }
    if (kind == "step") return std::move(message->body);
    if (kind == "bye") throw PeerLeft();
    if (kind != "failed") continue;
    throw Failure(
        message->body.value("code", 1) == 2 ? ExitCode::kUnusable : ExitCode::kFailed,
        fmt::format("at {}: {}", to_string(id_), message->body.value("error", "unknown error")));
  }
}

Peer::Watch::Watch(Peer& peer, Operations& operations, Seconds more) : peer_(peer) {
  const std::lock_guard lock(peer.mutex_);
  peer.stop_reason_.throw_if_set();
  peer.operations_ = &operations;
  peer.seen_ = operations.seen();
  peer.seen_at_ = peer.last_sign_ = Clock::now();
  peer.standstill_ = peer.deadline_ + more;
}

Peer::Watch::~Watch() {
  const std::lock_guard lock(peer_.mutex_);
  peer_.operations_ = nullptr;
  peer_.last_sign_ = Clock::now();
}

}  // namespace lintel::perf
