#pragma once
// Progress: which thread drives the work, turn by turn, and when a thread may sleep.
//
// Owned by the Process; borrows its lock and its work. Three kinds of threads drive the engine:
// - A caller that waits polls as long as SpinBudget allows. Then it sleeps in the transport's file
//   descriptor, so that no other thread has to wake it.
// - If a caller already sleeps in the descriptor, a further caller sleeps on a condition variable.
//   It uses the descriptor when the first one leaves.
// - The progress thread provides application bypass. It sleeps in the file descriptor if no caller
//   does. While calls keep coming, it only checks from time to time, after `kLease` to
//   `kLongestLease`.
// Invariants: (1) at most one thread sleeps in the file descriptor; (2) no thread sleeps there
// while there is work that only a turn can send; (3) in an idle process no thread runs, except at
// the deadlines of the work.
// Thread: every member REQUIRES the lock, unless it is marked.
// More than 30 members, because the three kinds of threads share one state: which of them sleeps,
// where, and until when.
// Does not: know what the work is.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/private_descriptor.h"
#include "base/process_lock.h"
#include "portals/engine/progress/oversubscription.h"
#include "portals/engine/progress/spin_budget.h"

namespace lintel::portals {

// What Progress drives.
class Work {
 public:
  virtual ~Work() = default;
  virtual TimePoint now() const = 0;  // [any thread]
  // at most some milliseconds behind now(), but takes less time: for frequent calls
  virtual TimePoint coarse_now() const = 0;
  // One turn: receives, then sends the answers. Does not block. Returns the number of things that
  // happened. `hold`: if anything happened, answers are held until flush(), so that messages that
  // the caller sends in between leave together with them.
  virtual std::size_t poll(TimePoint now, bool hold) LINTEL_REQUIRES(kLock) = 0;
  virtual void flush() LINTEL_REQUIRES(kLock) = 0;
  // the latest time of the next turn
  virtual TimePoint next_deadline() const LINTEL_REQUIRES(kLock) = 0;
  // false: a turn is needed before a thread may sleep
  virtual bool prepare_wait() LINTEL_REQUIRES(kLock) = 0;
  // readable when a turn would find something; -1: there is no descriptor
  virtual int wait_fd() const LINTEL_REQUIRES(kLock) = 0;
  virtual int further_fd() const LINTEL_REQUIRES(kLock) { return -1; }  // a second such descriptor
  // whether the condition of a sleeping caller may hold now; resets this
  virtual bool take_wake_needed() LINTEL_REQUIRES(kLock) = 0;
  // called on the progress thread after request_service()
  virtual void serve_request() LINTEL_REQUIRES(kLock) {}
  virtual void yield_processor() { std::this_thread::yield(); }  // lets other threads run first
};

// What a caller waits for.
class Condition {
 public:
  explicit Condition(bool reacts = false) : reacts_(reacts) {}
  virtual ~Condition() = default;
  virtual bool holds() LINTEL_REQUIRES(kLock) = 0;
  // Called if reacts(), when something has happened and the answers to it have not left yet.
  // Messages that it sends now leave with the answers. The state that it reads may change before
  // holds().
  virtual void react() LINTEL_REQUIRES(kLock) {}
  // The caller is about to sleep (true), or is awake again (false). In between, a thread that makes
  // the condition hold must wake the caller.
  virtual void asleep(bool) LINTEL_REQUIRES(kLock) {}
  bool reacts() const { return reacts_; }

 private:
  bool reacts_;
};

// Who yields the processor when a turn has found nothing and processes share processors.
enum class Yielding { kHere, kByCaller };

class Progress {
 public:
  static constexpr Nanoseconds kLease = std::chrono::microseconds(500);
  static constexpr Nanoseconds kLongestLease = std::chrono::milliseconds(4);
  // see share_processors()
  static constexpr Nanoseconds kLongestOversubscribed = std::chrono::milliseconds(32);
  // The longest sleep if the transport has no file descriptor that could wake the sleeper.
  static constexpr Nanoseconds kBlindSleep = std::chrono::microseconds(500);

  Progress(Mutex& mutex, Work& work, Nanoseconds spin);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // REQUIRES: stopped, and no caller waits. [lock not held]
  ~Progress();

  void start_thread() LINTEL_EXCLUDES(kLock);
  void stop_thread() LINTEL_EXCLUDES(kLock);

  // One turn, in which `react` is called like Condition::react(). Also notes that the program is
  // active.
  template <class React>
  std::size_t advance(React&& react, Yielding yielding = Yielding::kHere) LINTEL_REQUIRES(kLock);
  std::size_t advance() LINTEL_REQUIRES(kLock);

  // Whether there is nothing to do now, so that a thread may sleep.
  bool may_sleep() LINTEL_REQUIRES(kLock) {
    return work_.prepare_wait() && work_.next_deadline() > work_.now();
  }

  // Call this after a call has posted something: wakes a sleeper that has to send it. Takes little
  // time if no thread sleeps.
  void after_call() LINTEL_REQUIRES(kLock);

  // Drives the work until `condition` holds, or until `deadline`. Blocks, and releases the lock
  // meanwhile. Returns whether the condition holds.
  bool wait_until(Condition& condition, TimePoint deadline) LINTEL_REQUIRES(kLock);

  // Wakes every sleeper, so that it checks its condition again.
  void wake_all() LINTEL_REQUIRES(kLock);

  // The work's file descriptors have changed: a thread that sleeps in the old ones wakes and uses
  // the new ones.
  void descriptors_changed() LINTEL_REQUIRES(kLock);

  // From now on this many processes share each processor. A thread that polls then yields after
  // every turn that has found nothing, and the lease of the progress thread is this many times as
  // long.
  void share_processors(unsigned processes_per_processor) LINTEL_REQUIRES(kLock) {
    oversubscription_.set_processes_per_processor(processes_per_processor);
  }

  // Returns when no caller waits any more. REQUIRES: the conditions of all callers hold.
  void await_callers() LINTEL_REQUIRES(kLock);

  // Makes the progress thread call Work::serve_request() soon. Async-signal-safe. [any thread]
  void request_service();

 private:
  Mutex& mutex() LINTEL_RETURN_CAPABILITY(kLock) { return mutex_; }
  void run() LINTEL_EXCLUDES(kLock);
  void wait_for_lease() LINTEL_REQUIRES(kLock);
  void note_activity() LINTEL_REQUIRES(kLock);
  void enter() LINTEL_REQUIRES(kLock);
  void leave() LINTEL_REQUIRES(kLock);
  bool drive_until(Condition& condition, TimePoint deadline) LINTEL_REQUIRES(kLock);
  void rearm_sleeper() LINTEL_REQUIRES(kLock);
  void yield_lock() LINTEL_REQUIRES(kLock);
  Nanoseconds yield_processor();
  void sleep(Condition& condition, TimePoint deadline) LINTEL_REQUIRES(kLock);
  void sleep_in_fd(TimePoint deadline) LINTEL_REQUIRES(kLock);
  void wake_fd_sleeper();
  void after_poll() LINTEL_REQUIRES(kLock);
  void found_nothing() LINTEL_REQUIRES(kLock);

  Mutex& mutex_;
  Work& work_;
  SpinBudget spin_budget_ LINTEL_GUARDED_BY(kLock);
  Oversubscription oversubscription_ LINTEL_GUARDED_BY(kLock);
  PrivateDescriptor wake_;

  // callers sleep here while another thread sleeps in the file descriptor
  std::condition_variable_any callers_;
  // the progress thread sleeps here while it stays inactive
  std::condition_variable_any idle_;
  bool sleeper_in_fd_ LINTEL_GUARDED_BY(kLock) = false;  // a thread sleeps in the file descriptor
  bool thread_in_fd_ LINTEL_GUARDED_BY(kLock) = false;   // that thread is the progress thread
  TimePoint fd_deadline_ LINTEL_GUARDED_BY(kLock);       // the end of that sleep
  // callers that sleep, in the descriptor or on callers_
  unsigned callers_asleep_ LINTEL_GUARDED_BY(kLock) = 0;
  // the progress thread waits for callers_asleep_ to become 0
  bool thread_parked_ LINTEL_GUARDED_BY(kLock) = false;
  // Written with the lock held. The progress thread reads them without it.
  // grows with each call that drives the work; a call that only posts does not count
  std::atomic<std::uint64_t> activity_{0};
  std::atomic<unsigned> callers_inside_{0};  // inside wait_until() or advance()
  std::atomic<bool> stop_{false};
  Nanoseconds lease_ = kLease;  // used only by the progress thread
  std::atomic<bool> service_requested_{false};
  std::thread thread_;
};

template <class React>
std::size_t Progress::advance(React&& react, Yielding yielding) {
  enter();
  note_activity();
  const std::size_t happened = work_.poll(work_.coarse_now(), true);
  react();
  if (happened != 0) work_.flush();
  after_poll();
  rearm_sleeper();
  leave();
  if (happened == 0 && yielding == Yielding::kHere) found_nothing();
  return happened;
}

}  // namespace lintel::portals
