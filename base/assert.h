#pragma once
// LINTEL_ASSERT: for our own bugs only. Never for a caller's argument (error code) and never for
// bytes from the wire (validation). Always on: a broken invariant must not go on to corrupt
// somebody's memory.

namespace lintel {

// Prints the broken condition with its place and aborts.
[[noreturn, gnu::cold]] void assertion_failed(const char* condition, const char* file,
                                              int line) noexcept;

}  // namespace lintel

#define LINTEL_ASSERT(condition)                     \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::lintel::assertion_failed(#condition, __FILE__, __LINE__))
