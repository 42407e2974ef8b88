#pragma once
// Process: the engine of one process: its endpoint, its network interfaces, its lock, its progress.
//
// Owned by host_process.cpp (one for each operating-system process) or by a test (several, on a
// simulated network). lock() guards all members. The functions marked [lock not held] take the lock
// themselves.
// Invariants: (1) the endpoint exists exactly while an interface is open; (2) all interfaces of the
// process have the same ProcessId.
// More than 30 members, because ten are the functions of Work, and four are what a test replaces:
// options, factory and clock.
// Does not: read the environment, or know which transport it has.

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/counters.h"
#include "base/memory_budget.h"
#include "base/mutex.h"
#include "base/process_lock.h"
#include "portals/engine/interface/network_interface.h"
#include "portals/engine/process/attached_work.h"
#include "portals/engine/progress/progress.h"
#include "portals/engine/protocol/endpoint.h"

namespace lintel::portals {

struct ProcessOptions {
  EndpointOptions endpoint;
  // Bytes for the headers of unexpected messages of all interfaces, see UnexpectedMessages.
  std::size_t header_limit = std::size_t{64} << 20;
  Nanoseconds spin = std::chrono::microseconds(100);
  // Closing an interface waits until its messages have left and were acknowledged, or none has
  // moved for this time.
  Nanoseconds linger = std::chrono::seconds(2);
  UserId user;
  JobId job;
  bool progress_thread = true;  // false: only calls make progress (simulated networks)
};

// Opens the transport for process number `pid` (0xffffffff: any free one). On failure `explanation`
// gets one sentence that names the wrong value. An Error with Loss::kOperation means that the pid
// is wrong.
using TransportFactory =
    std::function<Result<std::unique_ptr<transport::Transport>>(Pid pid, std::string& explanation)>;

class Process;

// A Condition that no object of an interface reports. While the caller sleeps, the thread that
// drives the engine checks it after every turn. holds() must change nothing.
class TurnCondition : public Condition {
 public:
  explicit TurnCondition(Process& process) : process_(process) {}
  void asleep(bool asleep) final LINTEL_REQUIRES(kLock);

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

  Mutex& lock() LINTEL_RETURN_CAPABILITY(kLock) { return mutex_; }

  // Opens the interface of `kind` with `rules`, and with the first interface the endpoint. An open
  // interface is not changed. Errors: kPidInvalid, kFailed, with a sentence in `explanation`;
  // kNoSpace. [lock not held]
  Status open_interface(std::uint8_t kind, Pid pid, const InterfaceLimits& limits,
                        std::string& explanation, const InterfaceRules& rules = {})
      LINTEL_EXCLUDES(kLock);
  // Closes the interface and destroys its objects, and with the last interface the endpoint. Before
  // that it waits until the messages of the interface have left and peers have acknowledged them,
  // or none has moved for `linger`. Errors: kInterfaceInvalid. [lock not held]
  Status close_interface(std::uint8_t kind) LINTEL_EXCLUDES(kLock);
  void close_all() LINTEL_EXCLUDES(kLock);

  // Null if not open.
  NetworkInterface* interface(std::size_t kind) LINTEL_REQUIRES(kLock) {
    return kind < kMaxInterfaces ? interfaces_[kind].get() : nullptr;
  }
  // REQUIRES: an interface is open.
  Endpoint& endpoint() LINTEL_REQUIRES(kLock) { return *endpoint_; }
  bool has_endpoint() LINTEL_REQUIRES(kLock) { return endpoint_ != nullptr; }
  // The name of the network for users: "direct", "net", ...; empty if no interface is open.
  std::string network_name() LINTEL_REQUIRES(kLock);
  Progress& progress() { return progress_; }
  // Waits until the condition holds, or `moved()` has returned the same for `linger`. Blocks, and
  // releases the lock meanwhile.
  template <class Moved>
  void wait_while_moving(Condition& condition, Moved&& moved) LINTEL_REQUIRES(kLock);
  TimePoint now() const override { return clock_(clock_context_); }
  TimePoint coarse_now() const override;

  // From now on `work` is driven with the engine's; null: none any more. REQUIRES: `work` lives
  // until it is replaced.
  void attach_work(AttachedWork* work) LINTEL_REQUIRES(kLock);

  // Carries out triggered operations that have become due.
  void carry_out_triggered() LINTEL_REQUIRES(kLock);

  const Counters& counters() const { return counters_; }
  // Brings counters() up to date, unless another thread holds the lock for too long. [lock not
  // held]
  void count_frames() LINTEL_EXCLUDES(kLock);
  // The state of the engine, for people. [lock not held]
  std::string dump() LINTEL_EXCLUDES(kLock);
  // The progress thread calls `service` after Progress::request_service() (a signal), without the
  // lock. Call it once, before another thread uses the process.
  void set_service(std::function<void()> service) { service_ = std::move(service); }

 private:
  std::size_t poll(TimePoint now, bool hold) override LINTEL_REQUIRES(kLock);
  void flush() override LINTEL_REQUIRES(kLock);
  TimePoint next_deadline() const override LINTEL_REQUIRES(kLock);
  bool prepare_wait() override LINTEL_REQUIRES(kLock);
  int wait_fd() const override LINTEL_REQUIRES(kLock);
  int further_fd() const override LINTEL_REQUIRES(kLock);
  bool take_wake_needed() override LINTEL_REQUIRES(kLock);
  void serve_request() override LINTEL_REQUIRES(kLock);
  friend TurnCondition;
  class Arrived;
  class Drained;
  void linger(const NetworkInterface& interface, bool last) LINTEL_REQUIRES(kLock);
  void close_session() LINTEL_REQUIRES(kLock);

  ProcessOptions options_;
  TransportFactory factory_;
  ClockFunction clock_;
  const void* clock_context_;
  Mutex lifecycle_;  // interfaces are opened and closed one at a time; locked before mutex_
  Mutex mutex_;
  Counters counters_;
  MemoryBudget unexpected_headers_ LINTEL_GUARDED_BY(kLock);  // of all interfaces
  std::unique_ptr<Endpoint> endpoint_ LINTEL_GUARDED_BY(kLock);
  std::array<std::unique_ptr<NetworkInterface>, kMaxInterfaces> interfaces_
      LINTEL_GUARDED_BY(kLock);
  // for the next interface of each kind
  std::array<std::uint32_t, kMaxInterfaces> next_generation_ LINTEL_GUARDED_BY(kLock){};
  PendingWork pending_work_ LINTEL_GUARDED_BY(kLock);
  TimePoint last_poll_ LINTEL_GUARDED_BY(kLock);
  AttachedWork* attached_work_ LINTEL_GUARDED_BY(kLock) = nullptr;
  // the conditions of threads that sleep
  std::vector<TurnCondition*> asleep_ LINTEL_GUARDED_BY(kLock);
  std::function<void()> service_;
  Progress progress_;
};

template <class Moved>
void Process::wait_while_moving(Condition& condition, Moved&& moved) {
  auto before = moved();
  while (!progress_.wait_until(condition, now() + options_.linger)) {
    const auto after = moved();
    if (after == before) return;
    before = after;
  }
}

}  // namespace lintel::portals
