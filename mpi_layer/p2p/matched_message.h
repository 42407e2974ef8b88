#pragma once
// MatchedMessage: a message that a matched probe has taken from the unexpected ones, for one
// receive to come. The caller owns it.
//
// Values may be moved; a message that is dropped is lost, and its sender, if it waits, is not told.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi_layer/p2p/packet.h"
#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

class MatchedMessage {
 public:
  MatchedMessage() = default;
  // It holds none, and this says why.
  explicit MatchedMessage(const Result& envelope) : envelope_(envelope) {}

  // It holds a message: one was found, and no receive has been started for it.
  explicit operator bool() const { return held_; }
  // As a probe gives it.
  const Result& envelope() const { return envelope_; }

 private:
  friend class Probes;
  friend class Receives;
  bool held_ = false;
  Result envelope_;
  std::uint32_t context_ = 0;
  MessageHeader header_;
  std::uint64_t sequence_ = 0;
  std::uint64_t ahead_ = 0;  // bytes that have come with it
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace lintel::mpi
