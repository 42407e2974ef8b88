#pragma once
// Output: what is to go to one of lintel-run's own streams, written when there is room, so that a
// slow reader never stops the job's other affairs.
//
// Borrows the descriptor. Whoever reads from the ranks asks is_full() first, so that what waits
// here is bounded and the ranks feel a slow reader as they would on a pipe of their own.

#include <cstddef>
#include <string>
#include <string_view>

namespace lintel::run {

class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}

  int fd() const { return fd_; }
  void add(std::string_view bytes) {
    if (!is_closed_) waiting_ += bytes;
  }
  bool is_empty() const { return waiting_.empty(); }
  bool is_full() const { return waiting_.size() >= kEnough; }
  // Nobody reads any more; what is added is dropped.
  bool is_closed() const { return is_closed_; }

  // Writes what a pipe takes without blocking. REQUIRES: poll() found room.
  void write_some();

 private:
  static constexpr std::size_t kEnough = 1U << 16;

  int fd_;
  std::string waiting_;
  bool is_closed_ = false;
};

}  // namespace lintel::run
