#pragma once
// Process: all of the engine that belongs to one process: its endpoint, its network interfaces, its
// lock, its progress.
//
// Owned by the API face (one per operating-system process) or by a test (several, on a simulated
// network). Everything inside is guarded by lock(); the functions marked [lock not held] take it
// themselves.
// Invariants: (1) the endpoint lives exactly while an interface is open; (2) every interface of the
// process shares its ProcessId. Does not: read the environment, or know which transport it is
// given.

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/counters.h"
#include "base/mutex.h"
#include "portals/engine/companion.h"
#include "portals/engine/endpoint.h"
#include "portals/engine/network_interface.h"
#include "portals/engine/progress.h"

namespace lintel::portals {

struct ProcessOptions {
  EndpointOptions endpoint;
  Nanoseconds spin = std::chrono::microseconds(100);
  Nanoseconds linger = std::chrono::seconds(2);  // how long closing an interface waits for what it
                                                 // has sent to leave, since it last moved
  UserId user;
  JobId job;
  bool progress_thread = true;  // false: only calls make progress (simulated networks)
};

// Opens the transport for process number `pid` (0xffffffff: any free). On failure `explanation`
// gets one sentence that names the value at fault; an Error with Loss::kOperation means that the
// pid is at fault.
using TransportFactory =
    std::function<Result<std::unique_ptr<transport::Transport>>(Pid pid, std::string& explanation)>;

class Process;

// What a call waits for that no object of an interface announces: asked after every turn while the
// caller sleeps, by whoever drives. holds() is to change nothing.
class TurnCondition : public Condition {
 public:
  explicit TurnCondition(Process& process) : process_(process) {}
  void asleep(bool asleep) LINTEL_NO_THREAD_SAFETY_ANALYSIS final;

 protected:
  Process& process_;
};

class Process : private Work {
 public:
  using ClockFunction = TimePoint (*)(const void* context);

  Process(const ProcessOptions& options, TransportFactory factory, ClockFunction clock = nullptr,
          const void* clock_context = nullptr);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() override;

  Mutex& lock() LINTEL_RETURN_CAPABILITY(mutex_) { return mutex_; }

  // Opens the interface of `kind` with `rules`, and the endpoint with the first. An interface that
  // is open is left as it is. [lock not held] Errors: kPidInvalid, kFailed, with a sentence in
  // `explanation`; kNoSpace.
  Status open_interface(std::uint8_t kind, Pid pid, const Limits& limits, std::string& explanation,
                        const InterfaceRules& rules = {}) LINTEL_EXCLUDES(mutex_);
  // Ends the interface and all on it, and the endpoint with the last, after what it has sent has
  // left, or nothing of that has moved for `linger`. Errors: kInterfaceInvalid. [lock not held]
  Status close_interface(std::uint8_t kind) LINTEL_EXCLUDES(mutex_);
  void close_all() LINTEL_EXCLUDES(mutex_);

  // Null if not open.
  NetworkInterface* interface(std::size_t kind) LINTEL_REQUIRES(mutex_) {
    return kind < kMaxInterfaces ? interfaces_[kind].get() : nullptr;
  }
  // REQUIRES: an interface is open, and the lock, which clang cannot follow into the lambdas that
  // call this.
  Endpoint& endpoint() LINTEL_NO_THREAD_SAFETY_ANALYSIS { return *endpoint_; }
  bool has_endpoint() LINTEL_REQUIRES(mutex_) { return endpoint_ != nullptr; }
  // How users know the network that carries it: "direct", "net", ...; empty if no interface is
  // open.
  std::string network_name() LINTEL_REQUIRES(mutex_);
  Progress& progress() { return progress_; }
  TimePoint now() const override { return clock_(clock_context_); }
  TimePoint coarse_now() const override;

  // From now on it is driven along; null: nothing is any more. REQUIRES: the lock; `companion`
  // lives until it is replaced.
  void attach_companion(Companion* companion) LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  // A call may have set off triggered operations: carries them out. REQUIRES: the lock.
  void carry_out_triggered() LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  const Counters& counters() const { return counters_; }
  // Brings counters() up to date, unless a call holds the lock for long. [lock not held]
  void count_frames() LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  // State of everything, for people. [lock not held]
  std::string dump() LINTEL_EXCLUDES(mutex_);
  // What to do when the progress thread finds that service was requested (a signal).
  void set_service(std::function<void()> service) { service_ = std::move(service); }

 private:
  std::size_t poll(TimePoint now, bool hold) override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  void flush() override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  TimePoint next_deadline() const override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  bool prepare_wait() override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  int wait_fd() const override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  int further_fd() const override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  bool take_wake_needed() override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  void serve_request() override LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  friend TurnCondition;
  class Drained;
  void linger(const NetworkInterface& interface, bool last) LINTEL_REQUIRES(mutex_);
  void close_session(TimePoint end) LINTEL_REQUIRES(mutex_);

  ProcessOptions options_;
  TransportFactory factory_;
  ClockFunction clock_;
  const void* clock_context_;
  std::mutex lifecycle_;  // opening and closing interfaces, one at a time; taken before mutex_
  Mutex mutex_;
  Counters counters_;
  std::unique_ptr<Endpoint> endpoint_ LINTEL_GUARDED_BY(mutex_);
  std::array<std::unique_ptr<NetworkInterface>, kMaxInterfaces> interfaces_
      LINTEL_GUARDED_BY(mutex_);
  // for the next interface of each kind
  std::array<std::uint32_t, kMaxInterfaces> next_generation_ LINTEL_GUARDED_BY(mutex_){};
  Attention attention_ LINTEL_GUARDED_BY(mutex_);
  TimePoint last_poll_ LINTEL_GUARDED_BY(mutex_);
  Companion* companion_ LINTEL_GUARDED_BY(mutex_) = nullptr;
  std::vector<TurnCondition*> asleep_ LINTEL_GUARDED_BY(mutex_);  // what sleepers wait for
  std::function<void()> service_;
  Progress progress_;
};

}  // namespace lintel::portals
