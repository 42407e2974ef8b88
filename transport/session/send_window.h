#pragma once
// SendWindow: the frames of one session that were sent and are not acknowledged yet.
//
// A part of a PeerSession. Thread: its owner's lock.
// Invariants: (1) sequence numbers begin at 1 and wrap; (2) if the owner sends only while
// !is_full(), at most `frames` of open() are unacknowledged.
// Does not: keep frames. The lower transport sends what was lost again, or the session ends.

#include <cstdint>
#include <memory>
#include <new>

namespace lintel::transport {

class SendWindow {
 public:
  // A session begins. `frames`: the most that may be unacknowledged. Without memory for the number
  // of messages in each frame, each frame counts as one message.
  [[gnu::cold]] void open(std::uint32_t frames) {
    frames_ = frames;
    messages_.reset(new (std::nothrow) std::uint16_t[frames]);
  }
  // The session has ended. Returns the messages of which it is unknown whether they have arrived.
  [[gnu::cold]] std::uint64_t end() {
    std::uint64_t unknown = 0;
    for (std::uint32_t sequence = acknowledged_ + 1; sequence != sent_ + 1; ++sequence)
      unknown += messages_ ? messages_[sequence % frames_] : 1U;
    messages_.reset();
    sent_ = acknowledged_ = 0;
    return unknown;
  }

  std::uint32_t sent() const { return sent_; }  // the sequence of the last frame
  std::uint32_t acknowledged() const { return acknowledged_; }
  std::uint32_t unacknowledged() const { return sent_ - acknowledged_; }
  bool is_full() const { return unacknowledged() >= frames_; }

  // The frame with the sequence sent() + 1 was sent, with so many messages.
  void add(std::uint32_t messages) {
    if (messages_) messages_[(sent_ + 1) % frames_] = static_cast<std::uint16_t>(messages);
    ++sent_;
  }

  enum class AckResult : std::uint8_t {
    kAdvanced,   // frames are acknowledged that were not
    kUnchanged,  // the same as the last time
    kOlder,      // less than the last time: overtaken on its way
    kNeverSent,  // frames that were never sent: foreign input that is wrong
  };
  // The peer says that it has all frames up to this one. kOlder and kNeverSent change nothing.
  AckResult acknowledge(std::uint32_t up_to) {
    const std::uint32_t ahead = up_to - acknowledged_;
    if (ahead > unacknowledged())
      return static_cast<std::int32_t>(ahead) < 0 ? AckResult::kOlder : AckResult::kNeverSent;
    acknowledged_ = up_to;
    return ahead != 0 ? AckResult::kAdvanced : AckResult::kUnchanged;
  }

  // Transport::await_arrival() covers all frames that were sent, and so many that are still open.
  void await(std::uint32_t open_frames) { awaited_up_to_ = sent_ + open_frames; }
  // How many of the frames of await() are not acknowledged; 0 or less: none.
  std::int32_t awaited() const { return static_cast<std::int32_t>(awaited_up_to_ - acknowledged_); }

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t acknowledged_ = 0;
  std::uint32_t awaited_up_to_ = 0;
  std::uint32_t frames_ = 0;
  std::unique_ptr<std::uint16_t[]> messages_;  // of a frame, by its sequence modulo frames_
};

}  // namespace lintel::transport
