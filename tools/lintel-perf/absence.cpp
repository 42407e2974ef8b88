#include "absence.h"

#include <chrono>
#include <thread>

namespace lintel::perf {

std::uint64_t compute_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  volatile double result = 1.0;
  std::uint64_t rounds = 0;
  while (std::chrono::steady_clock::now() < end) {
    double x = result;
    for (int i = 0; i < 10'000; ++i) x = x * 1.0000001 + 1e-9;
    result = x > 1e9 ? 1.0 : x;
    ++rounds;
  }
  return rounds;
}

std::uint64_t sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return 0;
}

}  // namespace lintel::perf
