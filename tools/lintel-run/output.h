#pragma once
// Output: data for one of lintel-run's own streams, written when there is room, so that a slow
// reader never stops the rest of the job.
//
// Borrows the descriptor. Code that reads from the ranks asks is_full() first. This bounds the
// waiting data, and the ranks notice a slow reader as with a pipe of their own.

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
  // The reader has closed. What is added is dropped.
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
