#pragma once
// The Portals objects that chains are made of.

#include <portals4.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include "api4/matching_interface.h"

namespace lintel::perf::api4 {

inline constexpr ptl_pt_index_t kChainPortal = 1;  // at every rank

// When a triggered operation begins: once the counting event `counter` has `count` successes.
struct Trigger {
  ptl_handle_ct_t counter;
  ptl_size_t count;
};

// Where triggered operations go.
struct ChainTarget {
  ptl_rank_t rank;
  ptl_match_bits_t bits;
  ptl_size_t offset = 0;

  ptl_process_t process() const { return {.rank = rank}; }
};

// Owns counting events, entries and descriptors of one chain.
class ChainObjects : NotCopied {
 public:
  // `uid`: of the processes that entries admit.
  ChainObjects(ptl_handle_ni_t ni, ptl_uid_t uid) : ni_(ni), uid_(uid) {}
  ~ChainObjects() { release(); }

  // Frees them, after the operations that still use them; the starter limits how long that takes.
  void release() {
    for (const ptl_handle_me_t entry : entries_) {
      until_idle([&] { return PtlMEUnlink(entry); });
    }
    for (const ptl_handle_md_t memory : memories_) {
      until_idle([&] { return PtlMDRelease(memory); });
    }
    for (const ptl_handle_ct_t counter : counters_) PtlCTFree(counter);
    entries_ = {}, memories_ = {}, counters_ = {};
  }

  ptl_handle_ct_t counter() {
    counters_.push_back(PTL_CT_NONE);
    check_call(PtlCTAlloc(ni_, &counters_.back()), "PtlCTAlloc");
    return counters_.back();
  }

  // For messages of rank `from`, or of any (PTL_RANK_ANY), under `bits`. `counter` counts them.
  void entry(ptl_rank_t from, ptl_match_bits_t bits, std::span<std::byte> memory,
             ptl_handle_ct_t counter) {
    ptl_me_t me{};
    me.start = memory.data();
    me.length = memory.size();
    me.ct_handle = counter;
    me.uid = uid_;
    me.options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE |
                 PTL_ME_EVENT_COMM_DISABLE | (counter != PTL_CT_NONE ? PTL_ME_EVENT_CT_COMM : 0U);
    me.match_id.rank = from;
    me.match_bits = bits;
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    check_call(PtlMEAppend(ni_, kChainPortal, &me, PTL_PRIORITY_LIST, nullptr, &handle),
               "PtlMEAppend");
    entries_.push_back(handle);
  }

  // Memory that triggered operations start from. `counted`: PTL_MD_EVENT_CT_*, what `counter`
  // counts.
  ptl_handle_md_t memory(std::span<std::byte> bytes, unsigned counted = 0,
                         ptl_handle_ct_t counter = PTL_CT_NONE) {
    ptl_md_t md{};
    md.start = bytes.data();
    md.length = bytes.size();
    md.options = counted;
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = counter;
    ptl_handle_md_t handle = PTL_INVALID_HANDLE;
    check_call(PtlMDBind(ni_, &md, &handle), "PtlMDBind");
    memories_.push_back(handle);
    return handle;
  }

 private:
  template <class Call>
  static void until_idle(Call call) {
    while (call() == PTL_IN_USE) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

  ptl_handle_ni_t ni_;
  ptl_uid_t uid_;
  std::vector<ptl_handle_ct_t> counters_;
  std::vector<ptl_handle_me_t> entries_;
  std::vector<ptl_handle_md_t> memories_;
};

// The triggered operations: one success more in `counter`; a put without an ack and a get of
// `length` bytes at `offset` here; and the sum of 64-bit words.
inline void increment(const Trigger& when, ptl_handle_ct_t counter) {
  check_call(PtlTriggeredCTInc(counter, {1, 0}, when.counter, when.count), "PtlTriggeredCTInc");
}
inline void put(const Trigger& when, ptl_handle_md_t memory, ptl_size_t offset, ptl_size_t length,
                const ChainTarget& to) {
  check_call(PtlTriggeredPut(memory, offset, length, PTL_NO_ACK_REQ, to.process(), kChainPortal,
                             to.bits, to.offset, nullptr, 0, when.counter, when.count),
             "PtlTriggeredPut");
}
inline void get(const Trigger& when, ptl_handle_md_t memory, ptl_size_t offset, ptl_size_t length,
                const ChainTarget& from) {
  check_call(PtlTriggeredGet(memory, offset, length, from.process(), kChainPortal, from.bits,
                             from.offset, nullptr, when.counter, when.count),
             "PtlTriggeredGet");
}
inline void add(const Trigger& when, ptl_handle_md_t memory, ptl_size_t offset, ptl_size_t length,
                const ChainTarget& to, ptl_ack_req_t ack) {
  check_call(
      PtlTriggeredAtomic(memory, offset, length, ack, to.process(), kChainPortal, to.bits,
                         to.offset, nullptr, 0, PTL_SUM, PTL_UINT64_T, when.counter, when.count),
      "PtlTriggeredAtomic");
}

// From any thread.
inline ptl_size_t successes(ptl_handle_ct_t counter) {
  ptl_ct_event_t value{};
  check_call(PtlCTGet(counter, &value), "PtlCTGet");
  return value.success;
}

inline void check_failures(const ptl_ct_event_t& value) {
  if (value.failure == 0) return;
  fail("a counting event has {} successes and {} failures; expected no failure", value.success,
       value.failure);
}

// Waits for a count, which has to be exact. Throws PerfFailure(kFailed) at a failure, or after
// `limit`.
inline void expect(const Trigger& all, ptl_time_t limit) {
  ptl_ct_event_t value{};
  unsigned which = 0;
  const int code = PtlCTPoll(&all.counter, &all.count, 1, limit, &value, &which);
  if (code == PTL_CT_NONE_REACHED) {
    fail("a counting event has {} of {} successes after {} ms (--deadline)", successes(all.counter),
         all.count, limit);
  }
  check_call(code, "PtlCTPoll");
  check_failures(value);
  if (value.success != all.count) {
    fail("a counting event has {} successes; expected {}", value.success, all.count);
  }
}

}  // namespace lintel::perf::api4
