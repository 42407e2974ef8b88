#pragma once
// The interface of a rank, and the Portals objects that chains are made of. Each frees its own at its
// end, and waits then for an operation that still uses it.

#include <portals4.h>

#include <cstddef>
#include <span>

#include "chain.h"

namespace lintel::perf::api4 {

inline constexpr ptl_pt_index_t kChainPortal = 1;  // at every rank

// Matching and logical, with one portal, which has no event queue: chains count.
class RankInterface final : public ChainInterface {
 public:
  RankInterface();
  ~RankInterface() override;

  ProcessName name() const override { return {id_.phys.nid, id_.phys.pid}; }
  std::uint64_t max_triggered() const override {
    return static_cast<std::uint64_t>(limits_.max_triggered_ops);
  }
  std::uint64_t max_atomic() const override { return limits_.max_atomic_size; }
  void set_map(const std::vector<ProcessName>& names) override;
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
  explicit ChainCounter(const RankInterface& network);
  ~ChainCounter() { PtlCTFree(handle_); }
  ChainCounter(const ChainCounter&) = delete;
  ChainCounter& operator=(const ChainCounter&) = delete;

  ptl_handle_ct_t handle() const { return handle_; }

  // From any thread.
  ptl_size_t successes() const;

  // Adds one success, now, or when `when` has come.
  void increment() const;
  void increment(const struct Trigger& when) const;

  // Returns when there are `count` successes. Throws Failure(kFailed) at a failure.
  void wait(ptl_size_t count) const;

  // The same; and there have to be exactly `count`. Throws Failure(kFailed) also after `limit`.
  void expect(ptl_size_t count, std::chrono::milliseconds limit) const;

 private:
  ptl_handle_ct_t handle_ = PTL_CT_NONE;
};

// When a triggered operation begins: once `counter` has `count`.
struct Trigger {
  const ChainCounter* counter;
  ptl_size_t count;
};

// An entry for messages of rank `from`, or of any (PTL_RANK_ANY), under `bits`. Counts them in
// `counter`, if there is one.
class ChainEntry {
 public:
  ChainEntry(const RankInterface& network, ptl_rank_t from, ptl_match_bits_t bits,
             std::span<std::byte> memory, const ChainCounter* counter);
  ~ChainEntry();
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
              const ChainCounter* counter = nullptr);
  ~ChainMemory();
  ChainMemory(const ChainMemory&) = delete;
  ChainMemory& operator=(const ChainMemory&) = delete;

  // Move `length` bytes between `offset` here and `offset` there, once `when` has come: a put without an
  // ack, and a get.
  void put(const Trigger& when, ChainTarget to, ptl_size_t offset, ptl_size_t length) const;
  void get(const Trigger& when, ChainTarget from, ptl_size_t offset, ptl_size_t length) const;

  // Adds 64-bit words from `offset` here to those at `there`.
  void add(const Trigger& when, ChainTarget to, ptl_size_t offset, ptl_size_t there,
           ptl_size_t length, ptl_ack_req_t ack) const;

 private:
  ptl_handle_md_t handle_ = PTL_INVALID_HANDLE;
};

}  // namespace lintel::perf::api4
