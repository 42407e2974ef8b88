#pragma once
// The other process of a pair, once the two are connected: steps that both take at the same time,
// and whether it is alive.

#include <portals3.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "control_channel.h"
#include "interface.h"
#include "operations.h"
#include "protocol.h"

namespace lintel::perf {

// The time that a slow machine may need to move, fill or compare that many bytes.
inline Seconds time_for(std::uint64_t bytes) {
  static constexpr double kSlowBytesPerSecond = 50e6;
  return Seconds(static_cast<double>(bytes) / kSlowBytesPerSecond);
}

inline constexpr ptl_match_bits_t kProbeBits =
    0x50524f4245ULL;  // beside ControlChannel's bits there

// A put of nothing whose ack the peer's engine sends by itself, whatever its threads do.
class Probe : NotCopied {
 public:
  enum class ProbeResult { kPending, kAlive, kDead };

  Probe(ptl_handle_ni_t ni, ptl_process_id_t peer) : peer_(peer) {
    check_call(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &eq_), "PtlEQAlloc");
    check_call(PtlMDBind(ni, descriptor(eq_), PTL_RETAIN, &md_), "PtlMDBind");
  }
  ~Probe() {
    PtlMDUnlink(md_);  // a busy one goes with the interface; it has no memory
    PtlEQFree(eq_);
  }

  // Sends one unless one is pending, and looks, without blocking, what became of it.
  ProbeResult look() {
    if (!pending_) {
      check_call(PtlPut(md_, PTL_ACK_REQ, peer_, kControlPortal, 0, kProbeBits, 0, 0),
                 "PtlPut of a probe");
      pending_ = true;
      sent_at_ = Clock::now();
    }
    ptl_event_t event{};
    for (;;) {
      const int code = PtlEQGet(eq_, &event);
      if (code != PTL_OK && code != PTL_EQ_DROPPED) return ProbeResult::kPending;
      if (event.ni_fail_type != PTL_NI_OK) return ProbeResult::kDead;
      if (event.type != PTL_EVENT_ACK) continue;
      pending_ = false;
      return ProbeResult::kAlive;
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

// Lets any process probe this one, for the life of the interface.
inline void accept_probes(ptl_handle_ni_t ni) {
  ptl_handle_me_t me = PTL_INVALID_HANDLE;
  check_call(PtlMEAttach(ni, kControlPortal, {PTL_NID_ANY, PTL_PID_ANY}, kProbeBits, 0, PTL_UNLINK,
                         PTL_INS_BEFORE, &me),
             "PtlMEAttach");
  const auto md = descriptor(PTL_EQ_NONE, PTL_MD_OP_PUT | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE);
  check_call(PtlMDAttach(me, md, PTL_RETAIN, nullptr), "PtlMDAttach");
}

// Thrown when the peer has ended the measurement.
struct PeerFinished {};

// Borrows the interface and the channel. Thread: one, beside its own, which sleeps and looks a few
// times a second: it probes a peer that has been silent for a second, and ends what this process
// waits for when the peer is dead or operations under watch stand still.
class PairPeer : NotCopied {
 public:
  // `deadline`: how long a message may take, a probe stay unanswered, and operations stand still.
  // `step_limit`: how long a peer that is alive may take for a step.
  PairPeer(ptl_handle_ni_t ni, ControlChannel& control, ptl_process_id_t id, Seconds deadline,
           Seconds step_limit)
      : ni_(ni), control_(control), id_(id), deadline_(deadline), step_limit_(step_limit) {
    thread_ = std::thread([this] {
      try {
        watch_peer();
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        stop(error.what());
      }
    });
  }
  ~PairPeer() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  ptl_process_id_t id() const { return id_; }

  // Tells the peer, in a message of that kind, what this process does. Throws PeerLost.
  void tell(const char* kind = "step", const json& members = json::object()) {
    const std::string failure = control_.send(id_, control_message(kind, members), deadline_);
    if (failure.empty()) return;
    throw PeerLost(fmt::format("{} took no message within {:.1f} s: {}", to_string(id_),
                               deadline_.count(), failure));
  }

  // Waits until the peer tells its next step; returns that message. `allowance`: how much longer
  // than the step limit. Throws PerfFailure with the peer's sentence if it has given up,
  // PeerFinished, or PeerLost. Refuses other clients meanwhile.
  json await(Seconds allowance = {}) {
    static constexpr Seconds kTick{0.25};
    const Seconds limit = step_limit_ + allowance;
    for (const auto end = after(limit);;) {
      stop_reason_.throw_if_set();
      const auto message = control_.receive(std::min<Seconds>(left_until(end), kTick));
      if (!message) {
        if (Clock::now() < end) continue;
        throw PeerLost(
            fmt::format("no reply from {} within {:.0f} s", to_string(id_), limit.count()));
      }
      const json& body = message->body;
      const std::string kind = kind_of(body);
      if (message->from.nid != id_.nid || message->from.pid != id_.pid) {
        if (kind == "hello") refuse_client(control_, message->from, id_);
        continue;
      }
      {
        const std::lock_guard lock(mutex_);
        alive_at_ = Clock::now();
      }
      if (kind == "step") return body;
      if (kind == "end") throw PeerFinished();
      if (kind != "failed") continue;
      throw PerfFailure(member_of(body, "code", 1) == 2 ? ExitCode::kUnusable : ExitCode::kFailed,
                        fmt::format("at {}: {}", to_string(id_),
                                    member_of<std::string>(body, "error", "unknown error")));
    }
  }

  // Watches the operations as long as it lives: they may stand still for the deadline and `more`.
  class Watch : NotCopied {
   public:
    Watch(PairPeer& peer, MeasuredOperations& operations, Seconds more) : peer_(peer) {
      const std::lock_guard lock(peer.mutex_);
      peer.stop_reason_.throw_if_set();
      peer.operations_ = &operations;
      peer.seen_ = operations.seen();
      peer.seen_at_ = peer.alive_at_ = Clock::now();
      peer.standstill_ = peer.deadline_ + more;
    }
    ~Watch() {
      const std::lock_guard lock(peer_.mutex_);
      peer_.operations_ = nullptr;
      peer_.alive_at_ = Clock::now();
    }

   private:
    PairPeer& peer_;
  };

 private:
  void watch_peer() {
    static constexpr auto kLook = std::chrono::milliseconds(200);
    static constexpr auto kProbeAfter = std::chrono::seconds(1);
    std::optional<Probe> probe;  // made at the first silence
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kLook, [this] { return done_; })) {
      const auto now = Clock::now();
      if (operations_ != nullptr && operations_->seen() != seen_) {
        seen_ = operations_->seen();
        seen_at_ = alive_at_ = now;
      }
      if (operations_ != nullptr && now - seen_at_ > standstill_) {
        return stop(
            fmt::format("nothing came from {} for {:.0f} s; expected progress within that time "
                        "(--deadline)",
                        to_string(id_), standstill_.count()));
      }
      if (now - alive_at_ < kProbeAfter) continue;
      if (!probe) probe.emplace(ni_, id_);
      const auto result = probe->look();
      if (result == Probe::ProbeResult::kAlive) alive_at_ = now;
      const bool unanswered =
          result == Probe::ProbeResult::kPending && now - probe->sent_at() > deadline_;
      if (result == Probe::ProbeResult::kDead || (unanswered && operations_ == nullptr)) {
        return stop(fmt::format("the other process, {}, died or cannot be reached any more",
                                to_string(id_)));
      }
    }
  }

  void stop(const std::string& reason) {
    stop_reason_.set(reason, [&] {
      if (operations_ != nullptr) operations_->stop(reason);
    });
  }

  const ptl_handle_ni_t ni_;
  ControlChannel& control_;
  const ptl_process_id_t id_;
  const Seconds deadline_;
  const Seconds step_limit_;
  StopReason stop_reason_;

  std::mutex mutex_;  // guards the rest
  std::condition_variable wake_;
  bool done_ = false;
  Clock::time_point alive_at_ = Clock::now();  // when it was seen alive
  MeasuredOperations* operations_ = nullptr;   // under watch
  std::uint64_t seen_ = 0;                     // of their progress
  Clock::time_point seen_at_{};
  Seconds standstill_{};
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace lintel::perf
