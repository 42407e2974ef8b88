#pragma once
// What the drivers of both APIs have in common. portals3.h and portals4.h cannot be included
// together, so `Api` names what the two call alike: types, codes, calls and words. Its kEvents are
// the kinds of events that complete something, in the order of CompletionKind.

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "operations.h"

namespace lintel::perf {

// Operations whose completions are taken from an event queue of Portals, one by one. Waits end with
// an event, or with an exception when the operation failed or another thread stopped them. They
// have no time limits, see PairPeer::Watch.
template <class Api>
class QueuedOperations : public MeasuredOperations {
 public:
  std::uint64_t wait(CompletionKind kind, std::uint64_t at_least, std::uint64_t enough = 0) final {
    EventRecord event;
    while (count(kind) < at_least) note(Api::wait(queue_, event), event);
    while (count(kind) < enough) {
      const int code = Api::get(queue_, event);
      if (code == Api::kEmpty) break;
      note(code, event);
    }
    return count(kind);
  }
  std::uint64_t seen() const final { return seen_.load(std::memory_order_relaxed); }

 protected:
  using EventRecord = typename Api::EventRecord;

  // `only_arrivals`: the queue gets nothing else, and those that are lost in it are counted all the
  // same, by the sequence numbers of Portals 3.
  QueuedOperations(typename Api::Handle interface, const SideParameters& parameters)
      : MeasuredOperations(true),
        length_(parameters.size),
        only_arrivals_(parameters.only_arrivals()),
        queue_(Api::allocate(interface, parameters.events)) {}
  ~QueuedOperations() override {
    if (!stop_reason_.is_set()) Api::free(queue_);
  }

  typename Api::Handle queue() const { return queue_; }

 private:
  void end_waits() final { Api::free(queue_); }

  void note(int code, const EventRecord& event) {
    const bool lost = code == Api::kDropped && only_arrivals_;
    if ((code != 0 && !lost) || event.ni_fail_type != 0) [[unlikely]]
      reject(code, event);
    seen_.store(seen_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    const auto kind = static_cast<std::size_t>(std::ranges::find(Api::kEvents, event.type) -
                                               Api::kEvents.begin());
    if (kind == kEventKinds) return;
    std::uint32_t completions = 1;
    if (kind != index_of(CompletionKind::kSend)) {
      if (event.mlength != length_) [[unlikely]] {
        fail("verification failed: {} says that {} bytes were moved; expected {}",
             Api::name_of_event(event), event.mlength, length_);
      }
      if (lost && !last_arrival_) {
        fail("events were lost before the first was seen; expected fewer --iterations");
      }
      if (only_arrivals_) {
        const std::uint32_t sequence = Api::sequence_of(event);  // wraps
        if (last_arrival_) completions = sequence - *last_arrival_;
        last_arrival_ = sequence;
      }
    }
    taken_[kind] += completions;
  }

  [[noreturn]] void reject(int code, const EventRecord& event) {
    stop_reason_.throw_if_set();
    if (code == Api::kDropped) {
      fail(
          "PtlEQWait reports PTL_EQ_DROPPED; expected a queue that is large enough for this "
          "window");
    }
    Api::check(code, "PtlEQWait");
    const std::string sentence =
        fmt::format("{} reports {}; expected PTL_NI_OK", Api::name_of_event(event),
                    Api::name_of_failure(event));
    if (event.ni_fail_type == Api::kPeerLost) throw PeerLost(sentence);
    throw PerfFailure(ExitCode::kFailed, sentence);
  }

  const std::uint64_t length_;
  const bool only_arrivals_;
  const typename Api::Handle queue_;
  std::optional<std::uint32_t> last_arrival_;
  std::atomic<std::uint64_t> seen_{0};  // events
};

// Memory in an entry, or in a descriptor for each kind of completion at the initiator, of which an
// API may use the first alone. Owns the API's list of its pieces.
template <class Api>
struct ApiMemory final : Attachment {
  explicit ApiMemory(std::span<const MemoryPiece> memory) {
    for (const MemoryPiece& piece : memory) list.push_back({piece.data(), piece.size()});
  }
  ~ApiMemory() override { static_cast<void>(ApiMemory::detach()); }

  // The same descriptor or entry with the pieces in it.
  template <class Described>
  Described describe(Described described) {
    const bool scattered = list.size() > 1;
    described.start = scattered ? static_cast<void*>(list.data()) : list[0].iov_base;
    described.length = scattered ? list.size() : list[0].iov_len;
    if (scattered) described.options |= Api::kScattered;
    return described;
  }

  // A descriptor that was released before does not count as in use.
  bool detach() override {
    if (entry != Api::kNone) return !Api::unlink_finds_use(entry);
    return std::none_of(descriptors.begin(), descriptors.end(), Api::release_finds_use);
  }

  static auto descriptor_of(const Attachment& memory, CompletionKind kind = CompletionKind::kSend) {
    return static_cast<const ApiMemory&>(memory).descriptors[index_of(kind)];
  }

  std::vector<typename Api::Iovec> list;
  std::array<typename Api::Handle, 3> descriptors{Api::kNone, Api::kNone, Api::kNone};
  typename Api::Handle entry = Api::kNone;
};

// Whether an operation was started: not if there is no room. Throws if it was refused.
template <class Api>
bool started(int code, const char* call) {
  if (code == 0) [[likely]]
    return true;
  if (code != Api::kNoSpace) Api::check(code, call);
  return false;
}

}  // namespace lintel::perf
