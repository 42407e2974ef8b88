#pragma once
// ContextTable: the contexts that the communicators of this process use. ContextLease: holds one
// number and releases it at its end.
//
// A communicator has a number. Its messages use context 2 * number, the traffic of its collective
// functions 2 * number + 1. Two communicators with a common process have different numbers, so that
// each message belongs to one of them (context_agreement.h). Any thread. Never destroyed, because
// leases may live until the end of the process.

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
  static constexpr std::uint32_t kEnd = kRelayContext / 2;  // all numbers are less

  // Reserves and returns the lowest free number from `from` on; kEnd if there is none.
  std::uint32_t take_first_free(std::uint32_t from) LINTEL_EXCLUDES(mutex_);
  // Reserves `number`. False if it is not free. REQUIRES: number < kEnd.
  bool take(std::uint32_t number) LINTEL_EXCLUDES(mutex_);
  void give_back(std::uint32_t number) LINTEL_EXCLUDES(mutex_);

 private:
  bool try_take(std::uint32_t number) LINTEL_REQUIRES(mutex_);

  Mutex mutex_;
  std::vector<bool> taken_
      LINTEL_GUARDED_BY(mutex_);  // its size is that of the greatest number ever reserved
};

ContextTable& context_table();

class ContextLease {
 public:
  // REQUIRES: `number` was reserved for it.
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
