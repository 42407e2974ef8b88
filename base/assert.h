#pragma once
// LINTEL_ASSERT: for bugs of Lintel only. A caller's wrong argument gets an error code; bytes from
// the wire are validated.
// Always enabled: a process with a broken invariant must not continue and corrupt memory.

namespace lintel {

// Prints the condition with its file and line, and aborts.
[[noreturn, gnu::cold]] void assertion_failed(const char* condition, const char* file,
                                              int line) noexcept;

}  // namespace lintel

#define LINTEL_ASSERT(condition)                     \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::lintel::assertion_failed(#condition, __FILE__, __LINE__))
