#pragma once
// The Portals objects that chains are made of; each frees its own at its end, and waits then for an operation that still uses it.
//
// A counter outlives the entries and descriptors that count in it.

#include <portals4.h>

#include <chrono>
#include <cstddef>
#include <span>

#include "api4/rank_interface.h"

namespace lintel::perf::chains {

class Counter {
 public:
  explicit Counter(const RankInterface& network);
  ~Counter();
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  ptl_handle_ct_t handle() const { return handle_; }

  // From any thread.
  ptl_size_t successes() const;

  // Adds one success.
  void increment() const;

  // Returns when there are `count` successes. Throws Failure(kFailed) at a failure.
  void wait(ptl_size_t count) const;

  // The same; and there have to be exactly `count`. Throws Failure(kFailed) also after `limit`.
  void expect(ptl_size_t count, std::chrono::milliseconds limit) const;

 private:
  ptl_handle_ct_t handle_ = PTL_CT_NONE;
};

// When a triggered operation begins: once `counter` has `count`.
struct Trigger {
  const Counter* counter;
  ptl_size_t count;
};

// An entry for messages of rank `from`, or of any (PTL_RANK_ANY), under `bits`. Counts them in `counter`, if there is one.
class Entry {
 public:
  Entry(const RankInterface& network, ptl_rank_t from, ptl_match_bits_t bits, std::span<std::byte> memory, const Counter* counter);
  ~Entry();
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  ptl_handle_me_t handle_ = PTL_INVALID_HANDLE;
};

// Memory for operations that start here. `counted`: PTL_MD_EVENT_CT_*, what is counted in `counter`.
class Descriptor {
 public:
  Descriptor(const RankInterface& network, std::span<std::byte> memory, unsigned counted = 0, const Counter* counter = nullptr);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ptl_handle_md_t handle() const { return handle_; }

 private:
  ptl_handle_md_t handle_ = PTL_INVALID_HANDLE;
};

}  // namespace lintel::perf::chains
