#pragma once
// The other process of a pair, once the two are connected: steps that both take at the same time,
// and whether it is alive; and a measurement with it.

#include <portals3.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "control.h"
#include "interface.h"
#include "options.h"
#include "side.h"

namespace lintel::perf {

// The time that a slow machine may need to move, fill or compare that many bytes.
inline Seconds time_for(std::uint64_t bytes) {
  static constexpr double kSlowBytesPerSecond = 50e6;
  return Seconds(static_cast<double>(bytes) / kSlowBytesPerSecond);
}

// What both processes open at the beginning.
struct PairEnd {
  PairEnd(ptl_pid_t pid, ProcessName admitted, int cpu)
      : network(pid), control(network.handle()), self{host_name(), to_string(network.name()), cpu} {
    network.admit(admitted);
  }

  Portals3Interface network;
  ControlChannel control;
  ProcessDescription self;
};

// Thrown when the peer has ended the measurement.
struct PeerFinished {};

// Borrows this process's end. Thread: one, beside its own, which sleeps and looks a few times a
// second: it probes a peer that has been silent for a second, and ends what this process waits for
// when the peer is dead or operations under watch stand still.
class PairPeer : NotCopied {
 public:
  // `deadline`: how long a message may take, a probe stay unanswered, and operations stand still.
  // `step_limit`: how long a peer that is alive may take for a step. `run`: of a client's hello,
  // which tells it from a later process of its name.
  PairPeer(PairEnd& own, ProcessName name, Seconds deadline, Seconds step_limit,
           std::uint64_t run = 0)
      : own_(own), name_(name), deadline_(deadline), step_limit_(step_limit), run_(run) {
    thread_ = std::jthread([this](const std::stop_token& end) {
      try {
        watch_peer(end);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex_);
        stop(error.what());
      }
    });
  }

  ProcessName name() const { return name_; }

  // Tells the peer, in a message of that kind, what this process does. Throws PeerLost.
  void tell(const char* kind = "step", const json& members = json::object()) {
    const std::string failure = own_.control.send(name_, control_message(kind, members), deadline_);
    if (failure.empty()) return;
    throw PeerLost(fmt::format("{} took no message within {:.1f} s: {}", to_string(name_),
                               deadline_.count(), failure));
  }

  // Waits until the peer tells its next step; returns that message. `allowance`: how much longer
  // than the step limit. Throws PerfFailure with the peer's sentence if it has given up,
  // PeerFinished, or PeerLost. Refuses other clients meanwhile; but one of the peer's name shows
  // that the peer is gone, and is the next.
  json await(Seconds allowance = {}) {
    static constexpr Seconds kTick{0.25};
    const Seconds limit = step_limit_ + allowance;
    for (const auto end = after(limit);;) {
      stop_reason_.throw_if_set();
      auto message = own_.control.receive(std::min<Seconds>(left_until(end), kTick));
      if (!message) {
        if (Clock::now() < end) continue;
        throw PeerLost(
            fmt::format("no reply from {} within {:.0f} s", to_string(name_), limit.count()));
      }
      const json& body = message->body;
      const std::string& kind = message->kind;
      if (message->from != name_) {
        const std::string reason = fmt::format("busy with the client {}", to_string(name_));
        if (kind == "hello") {
          own_.control.send(message->from, control_message("refuse", {{"reason", reason}}),
                            Seconds(1));
        }
        continue;
      }
      if (kind == "hello" && run_of(*message) != run_) {
        own_.control.put_back(std::move(*message));
        throw PeerLost(
            fmt::format("the other process, {}, has ended: a new one has its name and asks to be "
                        "served",
                        to_string(name_)));
      }
      {
        const std::lock_guard lock(mutex_);
        alive_at_ = Clock::now();
      }
      if (kind == "step") return body;
      if (kind == "end") throw PeerFinished();
      if (kind != "failed") continue;
      throw PerfFailure(member_of(body, "code", 1) == 2 ? ExitCode::kUnusable : ExitCode::kFailed,
                        fmt::format("at {}: {}", to_string(name_),
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
  void watch_peer(const std::stop_token& end) {
    static constexpr auto kLook = std::chrono::milliseconds(200);
    static constexpr auto kProbeAfter = std::chrono::seconds(1);
    std::optional<AckedPut> probe;                    // made at the first silence
    std::optional<ptl_ni_fail_t> result = PTL_NI_OK;  // of the last probe; nothing: under way
    Clock::time_point sent_at;
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, end, kLook, [&] { return end.stop_requested(); })) {
      const auto now = Clock::now();
      if (operations_ != nullptr && operations_->seen() != seen_) {
        seen_ = operations_->seen();
        seen_at_ = alive_at_ = now;
      }
      if (operations_ != nullptr && now - seen_at_ > standstill_) {
        return stop(
            fmt::format("nothing came from {} for {:.0f} s; expected progress within that time "
                        "(--deadline)",
                        to_string(name_), standstill_.count()));
      }
      if (now - alive_at_ < kProbeAfter) continue;
      if (!probe) probe.emplace(own_.network.handle(), name_, kProbeBits);
      if (result == PTL_NI_OK) {
        check_call(probe->start(), "PtlPut of a probe");
        sent_at = now;
      }
      result = probe->wait_until(now);
      if (result == PTL_NI_OK) alive_at_ = now;
      const bool unanswered = !result && now - sent_at > deadline_;
      if ((result && result != PTL_NI_OK) || (unanswered && operations_ == nullptr)) {
        return stop(fmt::format("the other process, {}, died or cannot be reached any more",
                                to_string(name_)));
      }
    }
  }

  void stop(const std::string& reason) {
    stop_reason_.set(reason, [&] {
      if (operations_ != nullptr) operations_->stop(reason);
    });
  }

  PairEnd& own_;
  const ProcessName name_;
  const Seconds deadline_;
  const Seconds step_limit_;
  const std::uint64_t run_;
  StopReason stop_reason_;

  std::mutex mutex_;  // guards the rest
  std::condition_variable_any wake_;
  Clock::time_point alive_at_ = Clock::now();  // when it was seen alive
  MeasuredOperations* operations_ = nullptr;   // under watch
  std::uint64_t seen_ = 0;                     // of their progress
  Clock::time_point seen_at_{};
  Seconds standstill_{};
  std::jthread thread_;  // the last member: it uses the others
};

// One measurement at one size. Both processes execute the same functions with a PairRun each, which
// tells them apart, so that neither has to ask the other for anything.
struct PairRun {
  Portals3Interface& network;
  PairPeer& peer;
  const Settings& settings;
  std::uint64_t size;
  bool initiator;  // it measures, and its row is reported

  // This process's memory and operations, with what all measurements have in common added.
  PairSide side(SideParameters parameters) const {
    parameters.peer = peer.name();
    parameters.notify = settings.notify;
    parameters.size = size;
    parameters.pieces = settings.pieces;
    return PairSide(network.timed(settings.api), parameters);
  }

  // Returns when both processes have come here. `allowance`: how much later the peer may come.
  void synchronize(Seconds allowance = {}) const {
    peer.tell();
    peer.await(allowance);
  }

  // The messages that this process makes, and that the peer makes.
  std::uint64_t mine(std::uint64_t pass, std::uint64_t i = 0) const {
    return pattern_id(initiator ? Origin::kInitiator : Origin::kTarget, pass, i);
  }
  std::uint64_t theirs(std::uint64_t pass, std::uint64_t i = 0) const {
    return pattern_id(initiator ? Origin::kTarget : Origin::kInitiator, pass, i);
  }
};

// timed.cpp, and passive.cpp
TableRow measure_timed(const PairRun& run, const MeasurementPart& part);
TableRow measure_passive_target(const PairRun& run, const MeasurementPart& part);

}  // namespace lintel::perf
