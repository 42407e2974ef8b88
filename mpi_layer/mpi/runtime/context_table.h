#pragma once
// ContextTable: which contexts the communicators of this process use. ContextLease: one of them,
// given back at its end.
//
// A communicator has a number; its messages go in context 2 * number, the traffic of its collective
// functions in 2 * number + 1. Two communicators that have a process in common have different
// numbers, so that what arrives belongs to one of them (context_agreement.h). Any thread. Never
// destroyed: leases may outlive everything else.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "mpi_layer/p2p/gateway.h"

namespace lintel::mpi {

class ContextTable {
 public:
  static constexpr std::uint32_t kWorld = 0;
  static constexpr std::uint32_t kSelf = 1;
  static constexpr std::uint32_t kEnd = kRelayContext / 2;  // numbers are below

  // Takes the lowest number from `from` on that is free, and returns it; kEnd if there is none.
  std::uint32_t take_first_free(std::uint32_t from) LINTEL_EXCLUDES(mutex_);
  // False if it is taken. REQUIRES: number < kEnd.
  bool take(std::uint32_t number) LINTEL_EXCLUDES(mutex_);
  void give_back(std::uint32_t number) LINTEL_EXCLUDES(mutex_);

 private:
  bool try_take(std::uint32_t number) LINTEL_REQUIRES(mutex_);

  Mutex mutex_;
  std::vector<bool> taken_ LINTEL_GUARDED_BY(mutex_);  // as long as the greatest number ever taken
};

ContextTable& context_table();

class ContextLease {
 public:
  // REQUIRES: `number` was taken for it.
  explicit ContextLease(std::uint32_t number) : number_(number) {}
  ContextLease(const ContextLease&) = delete;
  ContextLease& operator=(const ContextLease&) = delete;
  ~ContextLease() { context_table().give_back(number_); }

  std::uint32_t messages() const { return 2 * number_; }
  std::uint32_t collectives() const { return 2 * number_ + 1; }

 private:
  std::uint32_t number_;
};

}  // namespace lintel::mpi
