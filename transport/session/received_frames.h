#pragma once
// ReceivedFrames: which frame of a session is the next one, and when those that were accepted are
// to be acknowledged.
//
// A part of a PeerSession. Thread: its owner's lock.
// Invariant: sequence numbers begin at 1 and wrap.

#include <cstdint>

namespace lintel::transport {

class ReceivedFrames {
 public:
  // The sequence of the last frame that was accepted: what an acknowledgement says.
  std::uint32_t last() const { return last_; }
  // How far the sequence is from that of the next frame. Less than 0: the frame was received
  // before; more: so many before it are missing.
  std::int32_t ahead(std::uint32_t sequence) const {
    return static_cast<std::int32_t>(sequence - (last_ + 1));
  }
  // Whether frames up to this sequence were sent that have not arrived.
  bool lacks(std::uint32_t sequence) const {
    return static_cast<std::int32_t>(sequence - last_) > 0;
  }
  // Accepts the next frame. True: an acknowledgement is due, because a quarter of a window of
  // `window_frames` was accepted since the last one was sent.
  bool accept(std::uint32_t window_frames) {
    ++last_;
    return ++unconfirmed_ > window_frames / 4;
  }
  // An acknowledgement was sent, alone or with another frame.
  void confirmed() { unconfirmed_ = 0; }
  void reset() { last_ = unconfirmed_ = 0; }

 private:
  std::uint32_t last_ = 0;
  std::uint32_t unconfirmed_ = 0;  // frames accepted since the last acknowledgement was sent
};

}  // namespace lintel::transport
