#include "tests/system/job/board.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace lintel::testing {
namespace {

// Sleeps for a twentieth of the time waited so far, so that many long waiters leave the processors
// to those that work.
template <class Condition>
void wait_for(const Condition& condition, const char* what, std::size_t which) {
  using std::chrono::microseconds;
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > Board::kTimeout) {
      std::fprintf(stderr, "gave up waiting for %s %zu\n", what, which);
      std::_Exit(3);
    }
    const auto pause = std::chrono::duration_cast<microseconds>(waited / 20);
    std::this_thread::sleep_for(std::clamp(pause, microseconds(200), microseconds(20'000)));
  }
}

}  // namespace

void Board::barrier(std::size_t rank) {
  const std::uint64_t phase = phase_[rank].fetch_add(1) + 1;
  arrived_.fetch_add(1);
  wait_for([&] { return arrived_.load() >= phase * size_; }, "the others at barrier", phase);
}

void Board::publish(std::size_t rank, ptl_process_id_t id) {
  ids_[rank].store((std::uint64_t{id.nid} << 32) | id.pid);
}

ptl_process_id_t Board::id(std::size_t rank) {
  wait_for([&] { return ids_[rank].load() != 0; }, "the address of rank", rank);
  const std::uint64_t both = ids_[rank].load();
  return {static_cast<ptl_nid_t>(both >> 32), static_cast<ptl_pid_t>(both)};
}

void Board::await(std::size_t word, std::uint64_t value) {
  wait_for([&] { return words_[word].load() >= value; }, "word", word);
}

}  // namespace lintel::testing
