#pragma once
// Progress: who drives the work, a turn at a time, and when a thread may sleep.
//
// Owned by the Process; borrows its lock and its work. Three kinds of threads drive the engine:
//   - a waiting caller polls as long as its Patience lasts, then sleeps in the transport's file
//     descriptor itself, so that no second thread must wake it;
//   - a further caller that wants to sleep while one already does sleeps on a condition, and takes
//     over when that one leaves;
//   - the progress thread, which keeps the promise of application bypass: it sleeps in the file
//     descriptor whenever no caller does, and keeps out of the way while callers are active: as
//     long as calls keep coming it only looks now and then, after `kLease` to `kLongestLease`.
// Invariants: (1) at most one thread sleeps in the file descriptor; (2) no thread sleeps there
// while work is held back that only a turn can send;
//             (3) an idle process has no thread that runs, beyond the deadlines that the work asks
//                 for.
// Thread: every member REQUIRES the lock, unless marked; clang cannot see that the owner's lock and
// this one's reference to it are the same. Does not: know what the work is.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <thread>

#include "base/clock.h"
#include "base/file_descriptor.h"
#include "base/mutex.h"
#include "portals/engine/crowd.h"
#include "portals/engine/patience.h"

namespace lintel::portals {

// What is driven. Called with the lock held, but for wait_fd().
class Work {
 public:
  virtual ~Work() = default;
  virtual TimePoint now() const = 0;         // [any thread]
  virtual TimePoint coarse_now() const = 0;  // some milliseconds behind now() at most, and cheaper:
                                             // for who asks again and again
  // One turn: receives, then sends what that has brought about. Does not block. Returns how much
  // happened. `hold`: if anything did, answers are held until flush(), so that what the caller
  // sends in between leaves together with them.
  virtual std::size_t poll(TimePoint now, bool hold) = 0;
  virtual void flush() = 0;
  // a turn is due then, at the latest
  virtual TimePoint next_deadline() const = 0;
  virtual bool prepare_wait() = 0;  // false: a turn first
  // readable when a turn would find something; -1: there is none
  virtual int wait_fd() const = 0;
  virtual int further_fd() const { return -1; }  // one more such
  // a sleeping caller may have got what it waits for
  virtual bool take_wake_needed() = 0;
  // what request_service() asked for; on the progress thread
  virtual void serve_request() {}
  virtual void yield_processor() { std::this_thread::yield(); }  // others that can run do so first
};

// What a caller waits for; asked with the lock held.
class Condition {
 public:
  explicit Condition(bool reacts = false) : reacts_(reacts) {}
  virtual ~Condition() = default;
  virtual bool holds() = 0;
  // If the caller reacts: something has happened, and answers to it are about to leave; what it
  // sends now leaves with them. What it looks at may change until holds().
  virtual void react() {}
  // The caller is about to sleep for it, or awake again: whoever makes it hold meanwhile has to
  // wake the caller.
  virtual void asleep(bool) {}
  bool reacts() const { return reacts_; }

 private:
  bool reacts_;
};

// Who lets others have the processor when a turn was in vain and processes share processors.
enum class Yielding { kHere, kByCaller };

class Progress {
 public:
  static constexpr Nanoseconds kLease = std::chrono::microseconds(500);
  static constexpr Nanoseconds kLongestLease = std::chrono::milliseconds(4);
  // see share_processors()
  static constexpr Nanoseconds kLongestInCrowd = std::chrono::milliseconds(32);
  // How long a sleeper sleeps at most when the transport has no file descriptor to wake it.
  static constexpr Nanoseconds kBlindSleep = std::chrono::microseconds(500);

  Progress(Mutex& mutex, Work& work, Nanoseconds spin);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // REQUIRES: stopped, and no caller waits. [lock not held]
  ~Progress();

  void start_thread() LINTEL_EXCLUDES(mutex_);
  void stop_thread() LINTEL_EXCLUDES(mutex_);

  // One turn, `react` being called within it as a Condition's is. Also notes that the program is
  // active.
  template <class React>
  std::size_t advance(React&& react,
                      Yielding yielding = Yielding::kHere) LINTEL_NO_THREAD_SAFETY_ANALYSIS;
  std::size_t advance() LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  // Nothing to do now: what a thread sleeps on.
  bool may_sleep() LINTEL_NO_THREAD_SAFETY_ANALYSIS {
    return work_.prepare_wait() && work_.next_deadline() > work_.now();
  }

  // A call has posted something: makes sure that a sleeper does not oversleep it. Cheap when nobody
  // sleeps.
  void after_call() LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  // Drives the work until `condition` holds or `deadline`. Blocks, and lets the lock go meanwhile.
  // Returns whether it holds.
  bool wait_until(Condition& condition, TimePoint deadline) LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  // Wakes every sleeper, so that it looks at its condition again.
  void wake_all() LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  // The work's file descriptors have changed: whoever sleeps in the old ones is to sleep in the new
  // ones.
  void descriptors_changed() LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  // So many processes share each processor, from now on: whoever polls yields its own after every
  // turn in vain, and the progress thread keeps out of the way for as many times as long.
  void share_processors(unsigned processes_per_processor) LINTEL_NO_THREAD_SAFETY_ANALYSIS {
    crowd_.tell(processes_per_processor);
  }

  // Returns when no caller waits any more. REQUIRES: what they wait for holds, or never will and
  // their conditions say so.
  void await_callers() LINTEL_NO_THREAD_SAFETY_ANALYSIS;

  // Has the progress thread call Work::serve_request() soon. Async-signal-safe. [any thread]
  void request_service();

 private:
  void run();
  void sit_out_lease() LINTEL_REQUIRES(mutex_);
  void note_activity() LINTEL_REQUIRES(mutex_);
  void enter() LINTEL_REQUIRES(mutex_);
  void leave() LINTEL_REQUIRES(mutex_);
  bool drive_until(Condition& condition, TimePoint deadline) LINTEL_REQUIRES(mutex_);
  void leave_to_sleeper() LINTEL_REQUIRES(mutex_);
  void yield_lock() LINTEL_REQUIRES(mutex_);
  Nanoseconds yield_processor();
  void sleep(Condition& condition, TimePoint deadline) LINTEL_REQUIRES(mutex_);
  void sleep_in_fd(TimePoint deadline) LINTEL_REQUIRES(mutex_);
  void wake_fd_sleeper();
  void after_poll() LINTEL_REQUIRES(mutex_);
  void in_vain() LINTEL_REQUIRES(mutex_);

  Mutex& mutex_;
  Work& work_;
  Patience patience_ LINTEL_GUARDED_BY(mutex_);
  Crowd crowd_ LINTEL_GUARDED_BY(mutex_);
  FileDescriptor wake_;

  // callers that sleep behind the one in the file descriptor
  std::condition_variable_any callers_;
  // the progress thread, while it keeps out of the way
  std::condition_variable_any idle_;
  bool sleeper_in_fd_ LINTEL_GUARDED_BY(mutex_) = false;   // somebody sleeps in the file descriptor
  bool thread_in_fd_ LINTEL_GUARDED_BY(mutex_) = false;    // and it is the progress thread
  TimePoint fd_deadline_ LINTEL_GUARDED_BY(mutex_);        // until then
  unsigned callers_asleep_ LINTEL_GUARDED_BY(mutex_) = 0;  // callers asleep in any way
  // the progress thread waits for callers_asleep_ to become 0
  bool thread_parked_ LINTEL_GUARDED_BY(mutex_) = false;
  // Written with the lock held; the progress thread looks at them without it.
  std::atomic<std::uint64_t> activity_{0};   // grows with each call that drives the work; one that
                                             // only posts does not count
  std::atomic<unsigned> callers_inside_{0};  // inside wait_until() or advance()
  std::atomic<bool> stop_{false};
  Nanoseconds lease_ = kLease;  // of the progress thread alone
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
  leave_to_sleeper();
  leave();
  if (happened == 0 && yielding == Yielding::kHere) in_vain();
  return happened;
}

}  // namespace lintel::portals
