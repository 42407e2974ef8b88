#pragma once
// MessageNumbers: the sequence numbers of the messages between this process and one peer, each way.
// The first number is 1; each message has the next one.
//
// Owned by the Peer; the process' lock guards it. Sends counts the messages to the peer, Receives
// those from it.

#include <cstdint>
#include <utility>

namespace lintel::mpi {

class MessageNumbers {
 public:
  // The number of the last message to the peer, and from it; 0: none yet.
  std::uint64_t sent() const { return sent_; }
  std::uint64_t arrived() const { return arrived_; }
  bool any() const { return sent_ > 0 || arrived_ > 0; }
  // Messages to the peer since the last one from it arrived.
  std::uint64_t sent_since_arrival() const { return sent_ - sent_before_arrival_; }
  // The last message between the two was sent to the peer. So the next message from it is an
  // answer.
  bool answer_is_due() const { return sent_since_arrival() != 0; }

  std::uint64_t next() const { return sent_ + 1; }
  void note_sent() { ++sent_; }
  // False: messages before this one are missing.
  bool note_arrival(std::uint64_t sequence) {
    sent_before_arrival_ = sent_;
    const std::uint64_t before = std::exchange(arrived_, sequence);
    return before == 0 || sequence == before + 1;
  }

 private:
  std::uint64_t sent_ = 0;
  std::uint64_t sent_before_arrival_ = 0;
  std::uint64_t arrived_ = 0;
};

}  // namespace lintel::mpi
