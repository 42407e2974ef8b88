#pragma once
// LeavingFrames: frames to one peer that were committed to the lower transport and have not been
// reported as left, and the messages in them.
//
// A part of a PeerSession. Thread: its owner's lock.
// The lower transport does not say which frame has left. So messages are reported in two groups:
// those of `first` when all its frames have left; frames that are sent meanwhile count in `next`.
// Invariant: `next` is empty while `first` is.

#include <cstdint>

namespace lintel::transport {

class LeavingFrames {
 public:
  // Frames of the present session.
  std::uint32_t count() const { return first_.frames + next_.frames; }
  bool has_stale() const { return stale_ > 0; }

  // A frame with so many messages was committed.
  void add(std::uint32_t messages) {
    FrameGroup& group = first_.frames == 0 ? first_ : next_;
    ++group.frames;
    group.messages += messages;
  }
  // One frame has left. Returns the messages that are to be reported as left.
  std::uint32_t one_has_left() {
    if (stale_ > 0) {
      --stale_;
      return 0;
    }
    if (first_.frames == 0 || --first_.frames != 0) return 0;
    const std::uint32_t messages = first_.messages;
    first_ = next_;
    next_ = {};
    return messages;
  }
  // The session has ended: nothing in its frames is reported as left.
  [[gnu::cold]] void make_stale() {
    stale_ += count();
    first_ = next_ = {};
  }
  // The connection has ended: the lower transport will not report frames of it as left.
  [[gnu::cold]] void reset() { *this = {}; }

 private:
  struct FrameGroup {
    std::uint32_t frames = 0;
    std::uint32_t messages = 0;
  };
  FrameGroup first_;
  FrameGroup next_;
  std::uint32_t stale_ = 0;  // frames of ended sessions
};

}  // namespace lintel::transport
