#pragma once
// FrameQueue: the encoded packets of one connection that are to be written, and how much of the
// first one was written.
//
// Owns copies of the bytes. Thread: one at a time.
// Invariants: (1) a frame of which next_bytes() has begun to return bytes is written to its end
// before any other; (2) urgent frames are written before the others, and otherwise the order is
// that of the calls.
// Does not: know packets, or bound their number.

#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace lintel::mpi::impi {

class FrameQueue {
 public:
  using Frame = std::vector<std::byte>;  // a header and its data; not empty

  void add(Frame frame) { add_to(ready_, std::move(frame)); }
  void add_urgent(Frame frame) { add_to(urgent_, std::move(frame)); }

  // The bytes to write next, empty if there are none; and: `bytes` of them were written.
  std::span<const std::byte> next_bytes() {
    for (std::deque<Frame>* frames : {&urgent_, &ready_}) {
      if (!current_.empty()) break;
      if (frames->empty()) continue;
      current_ = std::move(frames->front());
      frames->pop_front();
    }
    return std::span<const std::byte>(current_).subspan(current_written_);
  }
  void written(std::size_t bytes) {
    LINTEL_ASSERT(bytes <= current_.size() - current_written_);
    unwritten_bytes_ -= bytes;
    current_written_ += bytes;
    if (current_written_ < current_.size()) return;
    current_.clear();
    current_written_ = 0;
  }
  // Of all frames.
  std::size_t unwritten_bytes() const { return unwritten_bytes_; }

 private:
  void add_to(std::deque<Frame>& frames, Frame frame) {
    unwritten_bytes_ += frame.size();
    frames.push_back(std::move(frame));
  }

  std::deque<Frame> urgent_;
  std::deque<Frame> ready_;
  Frame current_;  // next_bytes() has begun to return it; or empty
  std::size_t current_written_ = 0;
  std::size_t unwritten_bytes_ = 0;
};

}  // namespace lintel::mpi::impi
