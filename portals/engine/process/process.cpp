#include "portals/engine/process/process.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <utility>

#include "base/log.h"

namespace lintel::portals {
namespace {

// A turn that finds no memory is abandoned and tried again. A network that knows whose message
// needed the memory gives up that peer before.
template <class Turn>
std::size_t turn_with_memory(Counters& counters, Turn turn) LINTEL_REQUIRES(kLock) {
  try {
    return turn();
  } catch (const std::bad_alloc&) {
    counters.add(Counter::kTurnsAbandoned);
    static std::atomic<bool> logged{false};
    if (!logged.exchange(true))
      LINTEL_LOG(kError, "this process has no memory for a turn of progress; it is tried again");
    return 0;
  }
}

constexpr Nanoseconds kLongestGoodbye = std::chrono::seconds(2);

TimePoint machine_clock(const void*) { return monotonic_now(); }

}  // namespace

void TurnCondition::asleep(bool asleep) {
  if (asleep) {
    process_.asleep_.push_back(this);
  } else {
    std::erase(process_.asleep_, this);
  }
}

Process::Process(const ProcessOptions& options, TransportFactory factory, ClockFunction clock,
                 const void* clock_context)
    : options_(options),
      factory_(std::move(factory)),
      clock_(clock != nullptr ? clock : machine_clock),
      clock_context_(clock_context),
      unexpected_headers_(options.header_limit),
      progress_(mutex_, *this, options.spin) {}

Process::~Process() {
  close_all();
  const MutexLock held(lock());
  progress_.await_callers();
}

Status Process::open_interface(std::uint8_t kind, Pid pid, const InterfaceLimits& limits,
                               std::string& explanation, const InterfaceRules& rules) {
  const MutexLock one_at_a_time(lifecycle_);
  bool first = false;
  {
    const MutexLock held(lock());
    LINTEL_ASSERT(kind < kMaxInterfaces);
    if (interfaces_[kind] != nullptr) return Status::kOk;
    first = endpoint_ == nullptr;
    if (first) {
      Result<std::unique_ptr<transport::Transport>> transport = factory_(pid, explanation);
      if (!transport)
        return transport.error().loss() == Loss::kOperation ? Status::kPidInvalid : Status::kFailed;
      endpoint_ = std::make_unique<Endpoint>(std::move(*transport), options_.endpoint, counters_);
      last_poll_ = now();
    } else if (pid.value != kAnyId && pid != endpoint_->self().pid) {
      explanation = "pid " + std::to_string(pid.value) +
                    " asked for, but this process already is pid " +
                    std::to_string(endpoint_->self().pid.value) + " on the network";
      return Status::kPidInvalid;
    }
    interfaces_[kind] = std::make_unique<NetworkInterface>(
        kind, Identity{endpoint_->self(), options_.user, options_.job},
        with_message(limits, endpoint_->limits().eager, endpoint_->limits().atomic), counters_,
        pending_work_, next_generation_[kind], rules, &unexpected_headers_);
    endpoint_->attach(*interfaces_[kind]);
  }
  if (first && options_.progress_thread) progress_.start_thread();
  return Status::kOk;
}

Status Process::close_interface(std::uint8_t kind) {
  const MutexLock one_at_a_time(lifecycle_);
  bool last = true;
  {
    const MutexLock held(lock());
    if (kind >= kMaxInterfaces || interfaces_[kind] == nullptr) return Status::kInterfaceInvalid;
    for (std::size_t other = 0; other < kMaxInterfaces; ++other)
      last = last && (other == kind || interfaces_[other] == nullptr);
    linger(*interfaces_[kind], last);
    endpoint_->detach(*interfaces_[kind]);
    interfaces_[kind]->drop_objects();
    next_generation_[kind] = interfaces_[kind]->next_generation();
    interfaces_[kind].reset();
    carry_out_triggered();   // operations of other interfaces may have waited for its room
    progress_.after_call();  // peers were notified
    progress_.wake_all();
  }
  if (!last) return Status::kOk;
  progress_.stop_thread();
  const MutexLock held(lock());
  endpoint_->count_frames();
  endpoint_.reset();
  return Status::kOk;
}

void Process::close_all() {
  for (std::size_t kind = 0; kind < kMaxInterfaces; ++kind)
    static_cast<void>(close_interface(static_cast<std::uint8_t>(kind)));
}

// True when no message of the interface waits and no transfer of it moves. For the last interface,
// with which the session ends: when no message of any interface waits.
class Process::Drained final : public TurnCondition {
 public:
  Drained(Process& process, const NetworkInterface& interface, bool last)
      : TurnCondition(process), interface_(interface), last_(last) {}
  bool holds() override LINTEL_REQUIRES(kLock) {
    return process_.endpoint().closing().drained(interface_) &&
           (!last_ || process_.endpoint().idle());
  }

 private:
  const NetworkInterface& interface_;
  bool last_;
};

// The peers have acknowledged what was sent before the wait began.
class Process::Arrived final : public TurnCondition {
 public:
  using TurnCondition::TurnCondition;
  bool holds() override LINTEL_REQUIRES(kLock) {
    return process_.endpoint().closing().awaited_arrivals() == 0;
  }
};

// Waits until the messages of the interface have left, and then for their acknowledgement. A large
// transfer takes as long as the network needs.
void Process::linger(const NetworkInterface& interface, bool last) {
  endpoint_->closing().begin(interface, last);
  Drained drained(*this, interface, last);
  wait_while_moving(drained,
                    [&]() LINTEL_REQUIRES(kLock) { return endpoint_->closing().moved(interface); });
  // Waits for messages of all interfaces, because one acknowledgement covers all that went to a
  // peer before. Also if something has not left: what has gone to other peers has to arrive.
  endpoint_->closing().await_arrival();
  Arrived arrived(*this);
  wait_while_moving(
      arrived, [&]() LINTEL_REQUIRES(kLock) { return endpoint_->closing().awaited_arrivals(); });
  if (last) close_session();
}

// Peers must be notified of the end. One that does not acknowledge that is not waited for as long
// as if it had not acknowledged data.
void Process::close_session() {
  struct Closed final : Condition {
    explicit Closed(Process& p, Endpoint& e) : process(p), endpoint(e) {}
    bool holds() override LINTEL_REQUIRES(kLock) {
      return endpoint.closing().close_sessions(process.now());
    }
    Process& process;
    Endpoint& endpoint;
  };
  Closed closed(*this, *endpoint_);
  const TimePoint end = now() + std::min(options_.linger, kLongestGoodbye);
  if (!progress_.wait_until(closed, end)) endpoint_->closing().give_up_sessions();
}

TimePoint Process::coarse_now() const {
  return clock_ == machine_clock ? coarse_monotonic_now() : now();
}

std::size_t Process::poll(TimePoint now, bool hold) {
  if (endpoint_ == nullptr) return 0;
  // A caller that polls reads the clock only from time to time. Another thread's turn may have been
  // later than that reading.
  if (now > last_poll_) {
    counters_.raise_to(Counter::kLongestProgressGapNs,
                       static_cast<std::uint64_t>((now - last_poll_).count()));
    last_poll_ = now;
  }
  const std::size_t happened = turn_with_memory(counters_, [&]() LINTEL_REQUIRES(kLock) {
    std::size_t reports = hold ? endpoint_->poll_arrivals(now) : endpoint_->poll(now);
    if (attached_work_ != nullptr) [[unlikely]] {
      reports += attached_work_->poll();
    }
    carry_out_triggered();
    return reports;
  });
  for (TurnCondition* condition : asleep_) pending_work_.wake_needed |= condition->holds();
  return happened;
}

void Process::flush() {
  if (endpoint_ == nullptr) return;
  turn_with_memory(counters_, [&]() LINTEL_REQUIRES(kLock) {
    endpoint_->flush();
    return std::size_t{0};
  });
}

void Process::carry_out_triggered() {
  if (endpoint_ == nullptr || !pending_work_.triggers_due) return;
  // Changed only afterwards: if there is no memory, the next turn continues.
  pending_work_.triggers_due = endpoint_->initiator().carry_out_triggered();
}

TimePoint Process::next_deadline() const {
  return endpoint_ != nullptr ? endpoint_->next_deadline() : kNever;
}

bool Process::prepare_wait() { return endpoint_ == nullptr || (endpoint_->prepare_wait()); }

int Process::wait_fd() const { return endpoint_ != nullptr ? endpoint_->wait_fd() : -1; }

std::string Process::network_name() {
  return endpoint_ != nullptr ? endpoint_->network_name() : std::string();
}

int Process::further_fd() const { return attached_work_ != nullptr ? attached_work_->fd() : -1; }

void Process::attach_work(AttachedWork* work) {
  attached_work_ = work;
  progress_.descriptors_changed();
}

bool Process::take_wake_needed() { return std::exchange(pending_work_.wake_needed, false); }

void Process::serve_request() {
  if (!service_) return;
  lock().unlock();
  service_();
  lock().lock();
}

// The process may be ending, and the thread that holds the lock may never release it.
void Process::count_frames() {
  for (int tries = 1000; !lock().try_lock(); --tries) {
    if (tries == 0) return;
    std::this_thread::yield();
  }
  if (endpoint_ != nullptr) endpoint_->count_frames();
  lock().unlock();
}

std::string Process::dump() {
  const MutexLock held(lock());
  std::string out;
  for (auto& interface : interfaces_) {
    if (interface != nullptr) interface->dump(out);
  }
  if (endpoint_ != nullptr) {
    endpoint_->count_frames();
    endpoint_->dump(out);
  }
  if (attached_work_ != nullptr) attached_work_->dump(out);
  out += counters_.text();
  return out;
}

}  // namespace lintel::portals
