#include "counter_operations.h"

#include <fmt/format.h>

#include "attachments.h"
#include "failure.h"

namespace lintel::perf::api4 {

CounterOperations::CounterOperations(ptl_handle_ni_t ni, const OperationsParameters& p)
    : ni_(ni), initiator_(p.peer, p.length), portals_(ni, PTL_EQ_NONE), counters_{Counter(ni), Counter(ni), Counter(ni), Counter(ni)} {}

std::unique_ptr<Descriptor> CounterOperations::bind(std::span<const Piece> memory) {
  const std::array counters{counters_[0].handle(), counters_[1].handle(), counters_[2].handle()};
  return std::make_unique<BoundMemory>(ni_, memory, counters);
}

std::unique_ptr<Entry> CounterOperations::expose(Place place, std::span<const Piece> memory, bool counted) {
  portals_.need(place.portal);
  ptl_me_t me = open_entry(initiator_.peer(), place);
  me.options |= PTL_ME_EVENT_SUCCESS_DISABLE;
  if (counted) {
    me.options |= PTL_ME_EVENT_CT_COMM;
    me.ct_handle = counters_[index_of(Moment::kArrived)].handle();
  }
  return std::make_unique<ExposedMemory>(ni_, place.portal, memory, me);
}

bool CounterOperations::owing(Moment end, bool started) {
  if (started) owe(end);
  return started;
}

bool CounterOperations::put(const Descriptor& from, Ack ack, Place place) {
  if (ack == Ack::kYes) return owing(Moment::kAcked, initiator_.put(md_of(from, Moment::kAcked), PTL_CT_ACK_REQ, place));
  return owing(Moment::kSent, initiator_.put(md_of(from, Moment::kSent), PTL_NO_ACK_REQ, place));
}

bool CounterOperations::get(const Descriptor& into, Place place) {
  return owing(Moment::kReplied, initiator_.get(md_of(into, Moment::kReplied), place));
}

// The descriptor that these two send from counts acks, of which they have none: the reply alone counts.
bool CounterOperations::swap(const Descriptor& into, const Descriptor& from, Place place) {
  return owing(Moment::kReplied, initiator_.swap(md_of(into, Moment::kReplied), md_of(from, Moment::kAcked), place));
}

bool CounterOperations::fetch_add(const Descriptor& into, const Descriptor& from, Place place) {
  return owing(Moment::kReplied, initiator_.fetch_add(md_of(into, Moment::kReplied), md_of(from, Moment::kAcked), place));
}

bool CounterOperations::add(const Descriptor& from, Place place) {
  return owing(Moment::kAcked, initiator_.add(md_of(from, Moment::kAcked), PTL_CT_ACK_REQ, place));
}

// A counter tells all there is at once, so `enough` needs no further look.
std::uint64_t CounterOperations::wait(Moment kind, std::uint64_t at_least, std::uint64_t) {
  const Counter::Outcome outcome = counters_[index_of(kind)].wait(at_least);
  if (outcome.code != PTL_OK || outcome.value.failure != 0) [[unlikely]]
    reject(outcome);
  return taken_[index_of(kind)] = outcome.value.success;
}

void CounterOperations::settle() {
  for (const Moment kind : {Moment::kSent, Moment::kAcked, Moment::kReplied}) {
    if (!settled(kind)) wait(kind, owed_[index_of(kind)], owed_[index_of(kind)]);
  }
}

void CounterOperations::stop(const std::string& reason) {
  stop_reason_.set(reason, [this] {
    for (Counter& counter : counters_) counter.free();
  });
}

std::uint64_t CounterOperations::seen() const {
  std::uint64_t successes = 0;
  for (const Counter& counter : counters_) successes += counter.now();
  return successes;
}

void CounterOperations::reject(const Counter::Outcome& outcome) {
  static constexpr std::chrono::seconds kVerdict{5};
  const bool failed = outcome.code == PTL_OK;
  stop_reason_.throw_if_set(failed ? kVerdict : std::chrono::seconds(0));
  check_call(outcome.code, "PtlCTWait");
  throw Failure(ExitCode::kFailed, fmt::format("PtlCTWait reports {} failed operations; expected none", outcome.value.failure));
}

}  // namespace lintel::perf::api4
