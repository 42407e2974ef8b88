#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace lintel {

void assertion_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "lintel: internal error: %s does not hold at %s:%d\n", condition, file,
               line);
  std::abort();
}

}  // namespace lintel
