#include "api4/chain_objects.h"

#include <fmt/format.h>

#include <thread>

#include "api4/portals4_call.h"
#include "failure.h"

namespace lintel::perf::chains {

using api4::check_call;
namespace {

// Whoever started this process watches over the time.
template <class Call>
void until_idle(Call call) {
  while (call() == PTL_IN_USE) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void check_failures(const ptl_ct_event_t& value) {
  if (value.failure == 0) return;
  throw Failure(ExitCode::kFailed,
                fmt::format("a counting event has {} successes and {} failures; expected no failure", value.success, value.failure));
}

}  // namespace

Counter::Counter(const RankInterface& network) { check_call(PtlCTAlloc(network.handle(), &handle_), "PtlCTAlloc"); }

Counter::~Counter() { PtlCTFree(handle_); }

ptl_size_t Counter::successes() const {
  ptl_ct_event_t value{};
  check_call(PtlCTGet(handle_, &value), "PtlCTGet");
  return value.success;
}

void Counter::increment() const { check_call(PtlCTInc(handle_, {1, 0}), "PtlCTInc"); }

void Counter::wait(ptl_size_t count) const {
  ptl_ct_event_t value{};
  check_call(PtlCTWait(handle_, count, &value), "PtlCTWait");
  check_failures(value);
}

void Counter::expect(ptl_size_t count, std::chrono::milliseconds limit) const {
  ptl_ct_event_t value{};
  unsigned which = 0;
  const int code = PtlCTPoll(&handle_, &count, 1, static_cast<ptl_time_t>(limit.count()), &value, &which);
  if (code == PTL_CT_NONE_REACHED) {
    throw Failure(ExitCode::kFailed,
                  fmt::format("a counting event has {} of {} successes after {} ms (--deadline)", successes(), count, limit.count()));
  }
  check_call(code, "PtlCTPoll");
  check_failures(value);
  if (value.success != count) {
    throw Failure(ExitCode::kFailed, fmt::format("a counting event has {} successes; expected {}", value.success, count));
  }
}

Entry::Entry(const RankInterface& network, ptl_rank_t from, ptl_match_bits_t bits, std::span<std::byte> memory, const Counter* counter) {
  ptl_me_t entry{};
  entry.start = memory.data();
  entry.length = memory.size();
  entry.ct_handle = counter != nullptr ? counter->handle() : PTL_CT_NONE;
  entry.uid = network.uid();
  entry.options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_COMM_DISABLE;
  if (counter != nullptr) entry.options |= PTL_ME_EVENT_CT_COMM;
  entry.match_id.rank = from;
  entry.match_bits = bits;
  check_call(PtlMEAppend(network.handle(), kChainPortal, &entry, PTL_PRIORITY_LIST, nullptr, &handle_), "PtlMEAppend");
}

Entry::~Entry() {
  until_idle([this] { return PtlMEUnlink(handle_); });
}

Descriptor::Descriptor(const RankInterface& network, std::span<std::byte> memory, unsigned counted, const Counter* counter) {
  ptl_md_t descriptor{};
  descriptor.start = memory.data();
  descriptor.length = memory.size();
  descriptor.options = counted;
  descriptor.eq_handle = PTL_EQ_NONE;
  descriptor.ct_handle = counter != nullptr ? counter->handle() : PTL_CT_NONE;
  check_call(PtlMDBind(network.handle(), &descriptor, &handle_), "PtlMDBind");
}

Descriptor::~Descriptor() {
  until_idle([this] { return PtlMDRelease(handle_); });
}

}  // namespace lintel::perf::chains
