#include "scarce_memory.h"

#include <new>

namespace lintel {

bool memory_is_out = false;
std::size_t allocations_granted = 0;
std::size_t allocations_refused = 0;

bool counts_memory() {
  const std::size_t before = allocations_granted;
  auto* volatile probe = new (std::nothrow) char[1];
  delete[] probe;
  const bool counted = allocations_granted != before;
  allocations_granted = before;
  return counted;
}

}  // namespace lintel

void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  if (lintel::memory_is_out) {
    ++lintel::allocations_refused;
    return nullptr;
  }
  ++lintel::allocations_granted;
  try {
    return ::operator new[](bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
