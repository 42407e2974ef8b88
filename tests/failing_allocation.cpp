#include "tests/failing_allocation.h"

#include <cstdlib>
#include <new>

namespace lintel::testing {
namespace {

thread_local int unlimited = 0;

bool fails_now() {
  if (unlimited > 0 || allocations_until_failure.load(std::memory_order_relaxed) < 0) return false;
  return allocations_until_failure.fetch_sub(1) == 0;
}

}  // namespace

std::atomic<long> allocations_until_failure{kNoFailure};

UnlimitedMemory::UnlimitedMemory() { ++unlimited; }
UnlimitedMemory::~UnlimitedMemory() { --unlimited; }

}  // namespace lintel::testing

// Not inlined: g++ would then see free() of what operator new gave.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return lintel::testing::fails_now() ? nullptr : std::malloc(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
