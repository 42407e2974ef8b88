#include "api4/chain_objects.h"

#include <thread>

#include "api4/portals4_call.h"

namespace lintel::perf::api4 {
namespace {

// Whoever started this process watches over the time.
template <class Call>
void until_idle(Call call) {
  while (call() == PTL_IN_USE) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

void check_failures(const ptl_ct_event_t& value) {
  if (value.failure == 0) return;
  fail("a counting event has {} successes and {} failures; expected no failure", value.success,
       value.failure);
}

ptl_process_t process_of(ptl_rank_t rank) {
  ptl_process_t process{};
  process.rank = rank;
  return process;
}

}  // namespace

RankInterface::RankInterface() {
  if (const int code = PtlInit(); code != PTL_OK) {
    refuse("PtlInit failed: {}; expected LINTEL_* variables that the library accepts",
           code_name(code));
  }
  const int code = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY,
                             nullptr, &limits_, &handle_);
  if (code != PTL_OK) {
    PtlFini();
    refuse(
        "PtlNIInit failed: {}; expected a provider and an interface that this host has "
        "(--provider, --bind)",
        code_name(code));
  }
  try {
    check_call(PtlGetPhysId(handle_, &id_), "PtlGetPhysId");
  } catch (...) {
    PtlFini();
    throw;
  }
}

RankInterface::~RankInterface() {
  PtlNIFini(handle_);
  PtlFini();
}

void RankInterface::set_map(const std::vector<ProcessName>& names) {
  std::vector<ptl_process_t> map;
  for (const ProcessName& name : names) map.push_back({.phys = {.nid = name.nid, .pid = name.pid}});
  check_call(PtlSetMap(handle_, map.size(), map.data()), "PtlSetMap");
  check_call(PtlGetUid(handle_, &uid_), "PtlGetUid");
  ptl_pt_index_t portal = 0;
  check_call(PtlPTAlloc(handle_, 0, PTL_EQ_NONE, kChainPortal, &portal), "PtlPTAlloc");
}

ChainCounter::ChainCounter(const RankInterface& network) {
  check_call(PtlCTAlloc(network.handle(), &handle_), "PtlCTAlloc");
}

ptl_size_t ChainCounter::successes() const {
  ptl_ct_event_t value{};
  check_call(PtlCTGet(handle_, &value), "PtlCTGet");
  return value.success;
}

void ChainCounter::increment() const { check_call(PtlCTInc(handle_, {1, 0}), "PtlCTInc"); }

void ChainCounter::increment(const Trigger& when) const {
  check_call(PtlTriggeredCTInc(handle_, {1, 0}, when.counter->handle(), when.count),
             "PtlTriggeredCTInc");
}

void ChainCounter::wait(ptl_size_t count) const {
  ptl_ct_event_t value{};
  check_call(PtlCTWait(handle_, count, &value), "PtlCTWait");
  check_failures(value);
}

void ChainCounter::expect(ptl_size_t count, std::chrono::milliseconds limit) const {
  ptl_ct_event_t value{};
  unsigned which = 0;
  const int code =
      PtlCTPoll(&handle_, &count, 1, static_cast<ptl_time_t>(limit.count()), &value, &which);
  if (code == PTL_CT_NONE_REACHED) {
    fail("a counting event has {} of {} successes after {} ms (--deadline)", successes(), count,
         limit.count());
  }
  check_call(code, "PtlCTPoll");
  check_failures(value);
  if (value.success != count) {
    fail("a counting event has {} successes; expected {}", value.success, count);
  }
}

ChainEntry::ChainEntry(const RankInterface& network, ptl_rank_t from, ptl_match_bits_t bits,
                       std::span<std::byte> memory, const ChainCounter* counter) {
  ptl_me_t entry{};
  entry.start = memory.data();
  entry.length = memory.size();
  entry.ct_handle = counter != nullptr ? counter->handle() : PTL_CT_NONE;
  entry.uid = network.uid();
  entry.options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE |
                  PTL_ME_EVENT_COMM_DISABLE | (counter != nullptr ? PTL_ME_EVENT_CT_COMM : 0U);
  entry.match_id.rank = from;
  entry.match_bits = bits;
  check_call(
      PtlMEAppend(network.handle(), kChainPortal, &entry, PTL_PRIORITY_LIST, nullptr, &handle_),
      "PtlMEAppend");
}

ChainEntry::~ChainEntry() {
  until_idle([this] { return PtlMEUnlink(handle_); });
}

ChainMemory::ChainMemory(const RankInterface& network, std::span<std::byte> memory,
                         unsigned counted, const ChainCounter* counter) {
  ptl_md_t md{};
  md.start = memory.data();
  md.length = memory.size();
  md.options = counted;
  md.eq_handle = PTL_EQ_NONE;
  md.ct_handle = counter != nullptr ? counter->handle() : PTL_CT_NONE;
  check_call(PtlMDBind(network.handle(), &md, &handle_), "PtlMDBind");
}

ChainMemory::~ChainMemory() {
  until_idle([this] { return PtlMDRelease(handle_); });
}

void ChainMemory::put(const Trigger& when, ChainTarget to, ptl_size_t offset,
                      ptl_size_t length) const {
  check_call(
      PtlTriggeredPut(handle_, offset, length, PTL_NO_ACK_REQ, process_of(to.rank), kChainPortal,
                      to.bits, offset, nullptr, 0, when.counter->handle(), when.count),
      "PtlTriggeredPut");
}

void ChainMemory::get(const Trigger& when, ChainTarget from, ptl_size_t offset,
                      ptl_size_t length) const {
  check_call(PtlTriggeredGet(handle_, offset, length, process_of(from.rank), kChainPortal,
                             from.bits, offset, nullptr, when.counter->handle(), when.count),
             "PtlTriggeredGet");
}

void ChainMemory::add(const Trigger& when, ChainTarget to, ptl_size_t offset, ptl_size_t there,
                      ptl_size_t length, ptl_ack_req_t ack) const {
  check_call(PtlTriggeredAtomic(handle_, offset, length, ack, process_of(to.rank), kChainPortal,
                                to.bits, there, nullptr, 0, PTL_SUM, PTL_UINT64_T,
                                when.counter->handle(), when.count),
             "PtlTriggeredAtomic");
}

}  // namespace lintel::perf::api4
