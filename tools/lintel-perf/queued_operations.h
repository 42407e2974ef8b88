#pragma once
// Operations whose completions are taken from an event queue, one by one, whichever the API.
//
// `Queue` has wait(), which returns the next Taken or throws, poll(), which returns it if there is
// one, and stop().

#include <atomic>
#include <optional>
#include <string>

#include "operations.h"
#include "stop_reason.h"

namespace lintel::perf {

// What one event tells.
struct Taken {
  Moment moment = Moment::kSent;
  std::uint64_t count = 0;
};

template <class Queue>
class QueuedOperations : public Operations {
 public:
  template <class... Arguments>
  explicit QueuedOperations(Arguments&&... arguments)
      : Operations(true), queue_(std::forward<Arguments>(arguments)...) {}

  using Operations::wait;
  std::uint64_t wait(Moment moment, std::uint64_t at_least, std::uint64_t enough) final {
    while (count(moment) < at_least) note(queue_.wait());
    while (count(moment) < enough) {
      const std::optional<Taken> taken = queue_.poll();
      if (!taken) break;
      note(*taken);
    }
    return count(moment);
  }
  void stop(const std::string& reason) final { queue_.stop(reason); }
  std::uint64_t seen() const final { return seen_.load(std::memory_order_relaxed); }

 protected:
  Queue queue_;

 private:
  void note(const Taken& taken) {
    taken_[index_of(taken.moment)] += taken.count;
    seen_.store(seen_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> seen_{0};  // events
};

// A queue of Portals whose waits end: with an event, or with an exception when the operation failed
// or another thread stopped the queue. Owns the Portals queue. Thread: wait() and poll() by one
// thread; stop() by any. What it does not do: time limits, see Watch.
//
// `Face` names what the two APIs call alike: types, codes, the calls of a queue, and words.
template <class Face>
class CompletionQueue {
 public:
  using Event = typename Face::Event;

  // `length`: of every operation. `only_arrivals`: the queue gets nothing else, and those that are
  // lost in it are counted all the same; an API whose events have no sequence number has no such.
  CompletionQueue(typename Face::Interface interface, std::uint64_t capacity, std::uint64_t length,
                  bool only_arrivals)
      : length_(length), only_arrivals_(only_arrivals) {
    Face::allocate(interface, capacity, handle_);
  }
  ~CompletionQueue() {
    if (!stop_reason_.is_set()) Face::free(handle_);
  }
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  typename Face::Queue handle() const { return handle_; }

  // The next event, waiting for it. Throws PeerLost if it reports a lost peer or the queue was
  // stopped, Failure if the operation failed or events were lost.
  Taken wait() {
    Event event;
    return accept(Face::wait(handle_, event), event);
  }

  // The next event if there is one. Throws as wait().
  std::optional<Taken> poll() {
    Event event;
    const int code = Face::get(handle_, event);
    if (code == Face::kEmpty) return std::nullopt;
    return accept(code, event);
  }

  void stop(const std::string& reason) {
    stop_reason_.set(reason, [this] { Face::free(handle_); });  // which ends its waits
  }

 private:
  Taken accept(int code, const Event& event) {
    const bool lost = code == Face::kDropped && only_arrivals_;
    if ((code != 0 && !lost) || event.ni_fail_type != 0) [[unlikely]]
      reject(code, event);
    const std::optional<Moment> moment = Face::moment_of(event.type);
    if (!moment) return {};
    if (*moment == Moment::kSent) return {Moment::kSent, 1};
    if (event.mlength != length_) [[unlikely]] {
      fail("verification failed: {} says that {} bytes were moved; expected {}",
           Face::name_of_event(event), event.mlength, length_);
    }
    return only_arrivals_ ? arrivals(lost, event) : Taken{*moment, 1};
  }

  // The sequence tells of arrivals that were overwritten too.
  Taken arrivals(bool lost, const Event& event) {
    const std::uint32_t sequence = Face::sequence_of(event);  // wraps
    if (lost && !last_arrival_) {
      fail("events were lost before the first was seen; expected fewer --iterations");
    }
    const std::uint32_t count = last_arrival_ ? sequence - *last_arrival_ : 1;
    last_arrival_ = sequence;
    return {Moment::kArrived, count};
  }

  [[noreturn]] void reject(int code, const Event& event) {
    stop_reason_.throw_if_set();
    if (code == Face::kDropped) {
      fail(
          "PtlEQWait reports PTL_EQ_DROPPED; expected a queue that is large enough for this "
          "window");
    }
    Face::check(code, "PtlEQWait");
    const std::string sentence =
        fmt::format("{} reports {}; expected PTL_NI_OK", Face::name_of_event(event),
                    Face::name_of_failure(event));
    if (event.ni_fail_type == Face::kPeerLost) throw PeerLost(sentence);
    throw Failure(ExitCode::kFailed, sentence);
  }

  std::uint64_t length_;
  bool only_arrivals_;
  typename Face::Queue handle_{};
  std::optional<std::uint32_t> last_arrival_;
  StopReason stop_reason_;
};

}  // namespace lintel::perf
