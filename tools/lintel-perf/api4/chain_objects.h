#pragma once
// The interface of a rank, and the Portals objects that chains are made of. Each frees its own at
// its end, and waits then for an operation that still uses it.

#include <portals4.h>

#include <cstddef>
#include <span>
#include <thread>

#include "api4/portals4_call.h"
#include "chain.h"

namespace lintel::perf::api4 {

// Whoever started this process watches over the time.
template <class Call>
void until_idle(Call call) {
  while (call() == PTL_IN_USE) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

inline void check_failures(const ptl_ct_event_t& value) {
  if (value.failure == 0) return;
  fail("a counting event has {} successes and {} failures; expected no failure", value.success,
       value.failure);
}

inline ptl_process_t process_of(ptl_rank_t rank) {
  ptl_process_t process{};
  process.rank = rank;
  return process;
}

inline constexpr ptl_pt_index_t kChainPortal = 1;  // at every rank

// Matching and logical, with one portal, which has no event queue: chains count.
class RankInterface final : public ChainInterface {
 public:
  RankInterface() {
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

  ~RankInterface() override {
    PtlNIFini(handle_);
    PtlFini();
  }

  ProcessName name() const override { return {id_.phys.nid, id_.phys.pid}; }
  std::uint64_t max_triggered() const override {
    return static_cast<std::uint64_t>(limits_.max_triggered_ops);
  }
  std::uint64_t max_atomic() const override { return limits_.max_atomic_size; }
  void set_map(const std::vector<ProcessName>& names) override {
    std::vector<ptl_process_t> map;
    for (const ProcessName& name : names)
      map.push_back({.phys = {.nid = name.nid, .pid = name.pid}});
    check_call(PtlSetMap(handle_, map.size(), map.data()), "PtlSetMap");
    check_call(PtlGetUid(handle_, &uid_), "PtlGetUid");
    ptl_pt_index_t portal = 0;
    check_call(PtlPTAlloc(handle_, 0, PTL_EQ_NONE, kChainPortal, &portal), "PtlPTAlloc");
  }

  std::unique_ptr<Chain> lay_out(const ChainPlan& plan) override;

  ptl_handle_ni_t handle() const { return handle_; }
  ptl_uid_t uid() const { return uid_; }

 private:
  ptl_handle_ni_t handle_ = PTL_INVALID_HANDLE;
  ptl_process_t id_{};
  ptl_uid_t uid_ = 0;
  ptl_ni_limits_t limits_{};
};

// A counting event. Outlives the entries and the memory that count in it.
class ChainCounter {
 public:
  explicit ChainCounter(const RankInterface& network) {
    check_call(PtlCTAlloc(network.handle(), &handle_), "PtlCTAlloc");
  }

  ~ChainCounter() { PtlCTFree(handle_); }
  ChainCounter(const ChainCounter&) = delete;
  ChainCounter& operator=(const ChainCounter&) = delete;

  ptl_handle_ct_t handle() const { return handle_; }

  // From any thread.
  ptl_size_t successes() const {
    ptl_ct_event_t value{};
    check_call(PtlCTGet(handle_, &value), "PtlCTGet");
    return value.success;
  }

  // Adds one success.
  void increment() const { check_call(PtlCTInc(handle_, {1, 0}), "PtlCTInc"); }

  // Returns when there are `count` successes. Throws Failure(kFailed) at a failure.
  void wait(ptl_size_t count) const {
    ptl_ct_event_t value{};
    check_call(PtlCTWait(handle_, count, &value), "PtlCTWait");
    check_failures(value);
  }

  // The same; and there have to be exactly `count`. Throws Failure(kFailed) also after `limit`.
  void expect(ptl_size_t count, std::chrono::milliseconds limit) const {
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

 private:
  ptl_handle_ct_t handle_ = PTL_CT_NONE;
};

// When a triggered operation begins: once `counter` has `count`.
struct Trigger {
  const ChainCounter* counter;
  ptl_size_t count;

  // Then adds one success to `target`.
  void increment(const ChainCounter& target) const {
    check_call(PtlTriggeredCTInc(target.handle(), {1, 0}, counter->handle(), count),
               "PtlTriggeredCTInc");
  }
};

// An entry for messages of rank `from`, or of any (PTL_RANK_ANY), under `bits`. Counts them in
// `counter`, if there is one.
class ChainEntry {
 public:
  ChainEntry(const RankInterface& network, ptl_rank_t from, ptl_match_bits_t bits,
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

  ~ChainEntry() {
    until_idle([this] { return PtlMEUnlink(handle_); });
  }

  ChainEntry(const ChainEntry&) = delete;
  ChainEntry& operator=(const ChainEntry&) = delete;

 private:
  ptl_handle_me_t handle_ = PTL_INVALID_HANDLE;
};

// Where triggered operations go.
struct ChainTarget {
  ptl_rank_t rank;
  ptl_match_bits_t bits;
};

// Memory that triggered operations start from. `counted`: PTL_MD_EVENT_CT_*, what is counted in
// `counter`.
class ChainMemory {
 public:
  ChainMemory(const RankInterface& network, std::span<std::byte> memory, unsigned counted = 0,
              const ChainCounter* counter = nullptr) {
    ptl_md_t md{};
    md.start = memory.data();
    md.length = memory.size();
    md.options = counted;
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = counter != nullptr ? counter->handle() : PTL_CT_NONE;
    check_call(PtlMDBind(network.handle(), &md, &handle_), "PtlMDBind");
  }

  ~ChainMemory() {
    until_idle([this] { return PtlMDRelease(handle_); });
  }

  ChainMemory(const ChainMemory&) = delete;
  ChainMemory& operator=(const ChainMemory&) = delete;

  // Move `length` bytes between `offset` here and `offset` there, once `when` has come: a put
  // without an ack, and a get.
  void put(const Trigger& when, ChainTarget to, ptl_size_t offset, ptl_size_t length) const {
    check_call(
        PtlTriggeredPut(handle_, offset, length, PTL_NO_ACK_REQ, process_of(to.rank), kChainPortal,
                        to.bits, offset, nullptr, 0, when.counter->handle(), when.count),
        "PtlTriggeredPut");
  }

  void get(const Trigger& when, ChainTarget from, ptl_size_t offset, ptl_size_t length) const {
    check_call(PtlTriggeredGet(handle_, offset, length, process_of(from.rank), kChainPortal,
                               from.bits, offset, nullptr, when.counter->handle(), when.count),
               "PtlTriggeredGet");
  }

  // Adds 64-bit words from `offset` here to those at `there`.
  void add(const Trigger& when, ChainTarget to, ptl_size_t offset, ptl_size_t there,
           ptl_size_t length, ptl_ack_req_t ack) const {
    check_call(PtlTriggeredAtomic(handle_, offset, length, ack, process_of(to.rank), kChainPortal,
                                  to.bits, there, nullptr, 0, PTL_SUM, PTL_UINT64_T,
                                  when.counter->handle(), when.count),
               "PtlTriggeredAtomic");
  }

 private:
  ptl_handle_md_t handle_ = PTL_INVALID_HANDLE;
};

}  // namespace lintel::perf::api4
