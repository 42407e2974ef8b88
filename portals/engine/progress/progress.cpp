#include "portals/engine/progress/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/assert.h"
#include "base/log.h"
#include "base/quiet_thread.h"

namespace lintel::portals {
namespace {

constexpr unsigned kTurnsPerLook = 8;
// A thread that sleeps in a descriptor while the program closes it cannot be woken. So none sleeps
// for longer.
constexpr Nanoseconds kLongestSleep = std::chrono::seconds(10);

// Sleeps for `least` to twice that: the kernel then wakes the thread when it has to interrupt the
// processor anyway.
void sleep_with_slack(Nanoseconds least) {
  const int slack = ::prctl(PR_GET_TIMERSLACK);
  ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(least.count()));
  std::this_thread::sleep_for(least);
  ::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack));
}

FileDescriptor new_wake_descriptor() {
  return FileDescriptor(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

// One read resets an eventfd. A second one could block if the number were that of another file.
void drain(int fd) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(fd, &count, sizeof count);
}

// A network that notices this itself no longer has the descriptor when a thread sleeps again.
[[gnu::cold]] void network_descriptor_closed(int fd) {
  static std::atomic<unsigned> seen{0};
  if (++seen == 2)
    LINTEL_LOG(kError,
               "file descriptor %d , on which the network is awaited, was closed, and not by "
               "Lintel; expected: programs close only what they have opened",
               fd);
}

}  // namespace

Progress::Progress(Mutex& mutex, Work& work, Nanoseconds spin)
    : mutex_(mutex), work_(work), spin_budget_(spin), wake_(new_wake_descriptor()) {
  LINTEL_ASSERT(wake_.is_open());
}

Progress::~Progress() { LINTEL_ASSERT(!thread_.joinable()); }

void Progress::start_thread() {
  {
    const MutexLock lock(mutex());
    stop_ = false;
  }
  thread_ = start_quiet_thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "lintel-progress");
}

void Progress::stop_thread() {
  if (!thread_.joinable()) return;
  {
    const MutexLock lock(mutex());
    stop_ = true;
    idle_.notify_all();
    wake_fd_sleeper();
  }
  thread_.join();
}

std::size_t Progress::advance() {
  enter();
  note_activity();
  const std::size_t happened = work_.poll(work_.coarse_now(), false);
  after_poll();
  rearm_sleeper();
  leave();
  if (happened == 0) found_nothing();
  return happened;
}

// After a call that has found nothing. It keeps the lock, so that objects of the caller do not
// change. A thread that wants the lock waits at most as long as the threads run to which this one
// yields.
void Progress::found_nothing() {
  if (oversubscription_.should_yield() && !mutex_.wanted())
    oversubscription_.yielded(yield_processor());
}

// This thread may have received what another thread sleeps for.
void Progress::after_poll() {
  if (work_.take_wake_needed()) wake_all();
}

void Progress::after_call() {
  after_poll();
  rearm_sleeper();
}

// This thread stops driving, so the next message must wake the thread that sleeps in the file
// descriptor. A poll by this thread may have disarmed the descriptor, and a post may have set an
// earlier deadline or left something that only a poll sends.
void Progress::rearm_sleeper() {
  if (!sleeper_in_fd_) {
    // This thread may be the one that was woken to drive, and its time is over. So the next
    // sleeping caller drives.
    if (callers_asleep_ > 0) callers_.notify_one();
    return;
  }
  if (work_.next_deadline() < fd_deadline_ || !work_.prepare_wait()) wake_fd_sleeper();
}

void Progress::wake_all() {
  if (callers_asleep_ == 0) return;
  callers_.notify_all();
  if (sleeper_in_fd_ && !thread_in_fd_) wake_fd_sleeper();
}

void Progress::descriptors_changed() {
  if (sleeper_in_fd_) wake_fd_sleeper();
}

void Progress::await_callers() {
  while (callers_inside_.load(std::memory_order_relaxed) > 0) {
    wake_all();
    mutex().unlock();
    std::this_thread::yield();
    mutex().lock();
  }
}

void Progress::wake_fd_sleeper() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void Progress::request_service() {
  service_requested_.store(true, std::memory_order_release);
  wake_fd_sleeper();
}

bool Progress::wait_until(Condition& condition, TimePoint deadline) {
  if (condition.holds()) return true;
  enter();
  const bool holds = drive_until(condition, deadline);
  rearm_sleeper();
  leave();
  return holds;
}

bool Progress::drive_until(Condition& condition, TimePoint deadline) {
  TimePoint now = work_.now();
  TimePoint began = now;
  for (unsigned turn = 1;; ++turn) {
    note_activity();
    const std::size_t happened = work_.poll(now, condition.reacts());
    if (happened != 0 && condition.reacts()) {
      condition.react();
      work_.flush();
    }
    after_poll();
    const bool yields = happened == 0 && oversubscription_.should_yield();
    if (yields) {
      mutex().unlock();
      const Nanoseconds took = yield_processor();
      mutex().lock();
      oversubscription_.yielded(took);
    }
    const bool yielded = mutex_.wanted();
    if (yielded) yield_lock();
    // The time of a turn delays the next message, so the clock is read only in every eighth turn.
    const bool look_at_clock =
        turn % kTurnsPerLook == 0 || yields || spin_budget_.duration().count() == 0;
    if ((happened != 0 || yielded || look_at_clock) && condition.holds()) {
      spin_budget_.poll_succeeded(now - began);
      return true;
    }
    if (!look_at_clock) continue;
    now = work_.now();
    if (now >= deadline) return false;
    if (now - began < spin_budget_.duration()) continue;
    if (!work_.prepare_wait()) {
      // There is work left, but other processes may need the processor for it.
      yield_lock();
      if (condition.holds()) return true;
      continue;
    }
    sleep(condition, deadline);
    began = work_.now();
    spin_budget_.slept(began - now);
    if (condition.holds()) return true;
    now = began;
  }
}

// Gives the lock to other threads that want it, which may have to be woken first. Does not yield
// the processor longer than for that, because another thread might keep it for milliseconds.
void Progress::yield_lock() {
  mutex().unlock();
  for (int tries = 64; mutex_.wanted() && tries > 0; --tries) std::this_thread::yield();
  mutex().lock();
}

Nanoseconds Progress::yield_processor() {
  const TimePoint before = work_.now();
  work_.yield_processor();
  return work_.now() - before;
}

void Progress::sleep(Condition& condition, TimePoint deadline) {
  ++callers_asleep_;
  condition.asleep(true);
  if (sleeper_in_fd_ && !thread_in_fd_) {
    // Another caller drives. It wakes this thread, or the thread that deposits an event for this
    // one does.
    // What this thread has received may need a turn before the time at which the other thread
    // wakes.
    if (work_.next_deadline() < fd_deadline_) wake_fd_sleeper();
    const Nanoseconds limit =
        std::min<Nanoseconds>(deadline - work_.now(), std::chrono::seconds(3600));
    callers_.wait_for(mutex_, std::max(limit, Nanoseconds(0)));
  } else if (thread_in_fd_) {
    // The progress thread leaves the file descriptor to this caller. The lock was released, so the
    // caller checks its condition again.
    errno = 0;
    wake_fd_sleeper();
    if (errno == EBADF) {
      idle_.wait_for(mutex_,
                     kBlindSleep);  // closed, and not by Lintel: nobody can wake that thread
    } else {
      while (thread_in_fd_) idle_.wait(mutex_);
    }
  } else {
    sleep_in_fd(deadline);
    callers_.notify_one();  // another caller may drive now
  }
  condition.asleep(false);
  --callers_asleep_;
  if (callers_asleep_ == 0 && thread_parked_) idle_.notify_all();
}

void Progress::sleep_in_fd(TimePoint deadline) {
  const int fd = work_.wait_fd();
  // The kernel ignores a negative descriptor.
  pollfd fds[3] = {{wake_.get(), POLLIN, 0}, {fd, POLLIN, 0}, {work_.further_fd(), POLLIN, 0}};
  TimePoint until = std::min(deadline, work_.next_deadline());
  const TimePoint now = work_.now();
  until = std::min(until, now + (fd < 0 ? kBlindSleep : kLongestSleep));
  const Nanoseconds left = std::max(until - now, Nanoseconds(0));
  timespec limit{};
  limit.tv_sec = static_cast<std::time_t>(left.count() / 1'000'000'000);
  limit.tv_nsec = static_cast<long>(left.count() % 1'000'000'000);
  sleeper_in_fd_ = true;
  fd_deadline_ = until;
  mutex().unlock();
  const int ready = ::ppoll(fds, 3, &limit, nullptr);
  if (ready > 0 && (fds[0].revents & POLLIN) != 0) drain(wake_.get());
  // Without a pause, the threads of a program that has closed descriptors of Lintel would keep a
  // processor busy.
  const bool network_closed = ready > 0 && ((fds[1].revents | fds[2].revents) & POLLNVAL) != 0;
  if (network_closed) {
    network_descriptor_closed((fds[1].revents & POLLNVAL) != 0 ? fds[1].fd : fds[2].fd);
    std::this_thread::sleep_for(kBlindSleep);
  }
  mutex().lock();
  if (ready > 0 && (fds[0].revents & POLLNVAL) != 0) {
    LINTEL_LOG(kError,
               "file descriptor %d , in which threads of Lintel sleep, was closed, and not by "
               "Lintel; another one replaces it; expected: programs close only what they have "
               "opened",
               fds[0].fd);
    wake_.close();  // first, because the new one may get the same number
    wake_ = PrivateDescriptor(new_wake_descriptor());
  }
  sleeper_in_fd_ = false;
}

// While callers drive, this thread only checks from time to time whether they still do. It checks
// without the lock, because a thread that drives holds the lock nearly always, and would need
// system calls to pass it on and take it back. It checks less often the more steadily callers
// drive, because each check takes the processor from them, which takes long in a virtual machine.
// If no caller is inside a call, the program may be about to compute, and messages must not wait
// for long. Where processes share processors, a caller may be without a processor for many times as
// long as one that has a processor of its own.
void Progress::wait_for_lease() {
  const unsigned sharing = oversubscription_.processes_per_processor();
  mutex().unlock();
  std::uint64_t seen = 0;
  do {
    seen = activity_.load(std::memory_order_relaxed);
    sleep_with_slack(std::min(lease_ * sharing, std::max(kLongestOversubscribed, lease_)));
    lease_ = callers_inside_.load(std::memory_order_relaxed) > 0
                 ? std::min(2 * lease_, kLongestLease)
                 : std::max(lease_ / 4, kLease);
  } while (activity_.load(std::memory_order_relaxed) != seen &&
           !stop_.load(std::memory_order_relaxed) &&
           !service_requested_.load(std::memory_order_relaxed));
  mutex().lock();
}

// Only the thread that holds the lock writes these, so they need no atomic additions.
void Progress::note_activity() {
  activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}
void Progress::enter() {
  callers_inside_.store(callers_inside_.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
}
void Progress::leave() {
  callers_inside_.store(callers_inside_.load(std::memory_order_relaxed) - 1,
                        std::memory_order_relaxed);
}

void Progress::run() {
  mutex().lock();
  std::uint64_t seen = activity_;
  while (!stop_) {
    if (service_requested_.exchange(false, std::memory_order_acquire)) work_.serve_request();
    if (callers_asleep_ > 0) {
      thread_parked_ = true;
      idle_.wait(mutex_);
      thread_parked_ = false;
      continue;
    }
    if (activity_ != seen) {
      wait_for_lease();
      seen = activity_;
      continue;
    }
    work_.poll(work_.now(), false);
    after_poll();
    if (stop_ || callers_asleep_ > 0 || activity_ != seen) continue;
    if (!work_.prepare_wait()) {
      yield_lock();
      continue;
    }
    thread_in_fd_ = true;
    sleep_in_fd(kNever);
    thread_in_fd_ = false;
    if (callers_asleep_ > 0) idle_.notify_all();  // a caller waits for the file descriptor
  }
  mutex().unlock();
}

}  // namespace lintel::portals
