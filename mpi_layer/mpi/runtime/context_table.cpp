#include "mpi_layer/mpi/runtime/context_table.h"

#include "base/assert.h"

namespace lintel::mpi {

std::uint32_t ContextTable::take_first_free(std::uint32_t from) {
  const MutexLock lock(mutex_);
  while (from < kEnd && !try_take(from)) ++from;
  return from;
}

bool ContextTable::take(std::uint32_t number) {
  LINTEL_ASSERT(number < kEnd);
  const MutexLock lock(mutex_);
  return try_take(number);
}

bool ContextTable::try_take(std::uint32_t number) {
  if (number >= taken_.size()) taken_.resize(number + std::size_t{1});
  if (taken_[number]) return false;
  taken_[number] = true;
  return true;
}

void ContextTable::give_back(std::uint32_t number) {
  const MutexLock lock(mutex_);
  LINTEL_ASSERT(number < taken_.size() && taken_[number]);
  taken_[number] = false;
}

ContextTable& context_table() {
  static auto* const table = new ContextTable;
  return *table;
}

}  // namespace lintel::mpi
