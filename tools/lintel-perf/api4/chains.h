#pragma once
// What all chains have in common: the Portals objects they are made of, which counting events tell
// what is done, and what one rank does.

#include <portals4.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "api4/matching_interface.h"
#include "chain.h"

namespace lintel::perf::api4 {

inline constexpr ptl_pt_index_t kChainPortal = 1;  // at every rank

// When a triggered operation begins: once the counting event `counter` has `count` successes.
struct Trigger {
  ptl_handle_ct_t counter = PTL_CT_NONE;
  ptl_size_t count = 0;
};

// Where triggered operations go.
struct ChainTarget {
  ptl_process_t process;
  ptl_match_bits_t bits;
  ptl_size_t offset = 0;
};

// One rank's part in a chain: rounds of a collective operation that are laid out as triggered
// operations and then run by themselves. Laid out, it has sent nothing. An increment of one
// counting event starts it. Owns counting events, entries and descriptors.
//
// The order of calls, with a barrier of all ranks between each two: enter() by all but rank 0;
// run() by rank 0, while the others call nothing; settle(); verify(); the end.
class Chain : NotCopied {
 public:
  virtual ~Chain() = default;

  // From now on this process takes part, without any call.
  void enter() const {
    if (plan_.kind == ChainKind::kBarrier) begin();
  }
  // Starts the chain and returns when all rounds are done.
  void run() const {
    begin();
    ptl_ct_event_t value{};
    check_call(PtlCTWait(end_.counter, end_.count, &value), "PtlCTWait");
    check_failures(value);
  }
  // Waits for all that this process still has to get from the others. Throws PerfFailure(kFailed)
  // if it does not come, or more than that has come.
  void settle(std::chrono::milliseconds limit) const {
    for (const Trigger& all : final_counts_) {
      ptl_ct_event_t value{};
      unsigned which = 0;
      const int code = PtlCTPoll(&all.counter, &all.count, 1,
                                 static_cast<ptl_time_t>(limit.count()), &value, &which);
      if (code == PTL_CT_NONE_REACHED) {
        fail("a counting event has {} of {} successes after {} ms (--deadline)",
             successes(all.counter), all.count, limit.count());
      }
      check_call(code, "PtlCTPoll");
      check_failures(value);
      if (value.success != all.count) {
        fail("a counting event has {} successes; expected {}", value.success, all.count);
      }
    }
    check_call(PtlAtomicSync(), "PtlAtomicSync");  // what others wrote is now to be read
  }
  // Compares what came with what had to come. Returns the number of messages; throws
  // PerfFailure(kFailed). REQUIRES: plan.verify.
  virtual std::uint64_t verify() const = 0;
  // From any thread.
  virtual std::uint64_t rounds_done() const = 0;

 protected:
  Chain(ptl_handle_ni_t ni, const ChainPlan& plan) : plan_(plan), ni_(ni), begun_(counter()) {
    check_call(PtlGetUid(ni, &uid_), "PtlGetUid");
  }

  // Frees what the chain owns, after the operations that still use it; the starter limits how long
  // that takes. To be called before the memory goes.
  void release() {
    free_each(entries_, PtlMEUnlink);
    free_each(memories_, PtlMDRelease);
    free_each(counters_, PtlCTFree);
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
    entries_.push_back(PTL_INVALID_HANDLE);
    check_call(PtlMEAppend(ni_, kChainPortal, &me, PTL_PRIORITY_LIST, nullptr, &entries_.back()),
               "PtlMEAppend");
  }

  // Memory that triggered operations start from. `counted`: PTL_MD_EVENT_CT_*, what `counter`
  // counts.
  ptl_handle_md_t memory(std::span<std::byte> bytes, unsigned counted = 0,
                         ptl_handle_ct_t counter = PTL_CT_NONE) {
    const ptl_md_t md{bytes.data(), bytes.size(), counted, PTL_EQ_NONE, counter};
    memories_.push_back(PTL_INVALID_HANDLE);
    check_call(PtlMDBind(ni_, &md, &memories_.back()), "PtlMDBind");
    return memories_.back();
  }

  static ptl_size_t successes(ptl_handle_ct_t counter) {
    ptl_ct_event_t value{};
    check_call(PtlCTGet(counter, &value), "PtlCTGet");
    return value.success;
  }

  const ChainPlan plan_;

 private:
  static void check_failures(const ptl_ct_event_t& value) {
    if (value.failure == 0) return;
    fail("a counting event has {} successes and {} failures; expected no failure", value.success,
         value.failure);
  }
  template <class Handle>
  static void free_each(const std::vector<Handle>& objects, int (*free)(Handle)) {
    for (const Handle object : objects) {
      while (free(object) == PTL_IN_USE)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  void begin() const { check_call(PtlCTInc(begun_, {1, 0}), "PtlCTInc"); }

  const ptl_handle_ni_t ni_;
  ptl_uid_t uid_ = 0;  // its own, and that of the processes that entries admit
  std::vector<ptl_handle_ct_t> counters_;
  std::vector<ptl_handle_me_t> entries_;
  std::vector<ptl_handle_md_t> memories_;

 protected:
  const ptl_handle_ct_t begun_;
  // Set by the chain when it is laid out.
  Trigger end_;                        // when the last round is done here
  std::vector<Trigger> final_counts_;  // at the end of all
};

std::unique_ptr<Chain> lay_out(ptl_handle_ni_t ni, const ChainPlan& plan);

}  // namespace lintel::perf::api4
