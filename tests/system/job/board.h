#pragma once
// Board: memory that the processes of one test share, by which they find each other and keep step
// without Portals.
//
// Made by the test before it forks; every process sees the same. Any process, any thread.
// Waits end the process with a sentence after kTimeout: a test that hangs says where.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "portals3.h"

namespace lintel::testing {

class Board {
 public:
  static constexpr std::size_t kMaxRanks = 80;
  static constexpr std::size_t kWords = 64;
  static constexpr std::chrono::seconds kTimeout{90};

  explicit Board(std::size_t size) : size_(size) {}

  // Returns when all ranks have called it as often as this one.
  void barrier(std::size_t rank);

  void publish(std::size_t rank, ptl_process_id_t id);
  // Waits until `rank` has published.
  ptl_process_id_t id(std::size_t rank);
  void forget(std::size_t rank) { ids_[rank].store(0); }

  // Words for anything else: a flag, a result, a process id of the system.
  void set(std::size_t word, std::uint64_t value) { words_[word].store(value); }
  std::uint64_t get(std::size_t word) const { return words_[word].load(); }
  // Waits until the word is at least `value`.
  void await(std::size_t word, std::uint64_t value);

 private:
  std::size_t size_;
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> phase_[kMaxRanks]{};
  std::atomic<std::uint64_t> ids_[kMaxRanks]{};
  std::atomic<std::uint64_t> words_[kWords]{};
};

}  // namespace lintel::testing
