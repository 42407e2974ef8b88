#pragma once
// MatchedMessage: a message that a matched probe has removed from the unexpected messages. One
// receive may be started for it. The caller owns it.
//
// Values may be moved. If a value is destroyed, its message is lost, and a sender that waits is not
// informed.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi_layer/p2p/packet.h"
#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

class MatchedMessage {
 public:
  MatchedMessage() = default;
  // Holds no message; `envelope` says why.
  explicit MatchedMessage(const MessageResult& envelope) : envelope_(envelope) {}

  // True if it holds a message: one was found, and no receive has been started for it.
  explicit operator bool() const { return held_; }
  // What a probe of the message reports.
  const MessageResult& envelope() const { return envelope_; }

 private:
  friend class Probes;
  friend class Receives;
  bool held_ = false;
  MessageResult envelope_;
  std::uint32_t context_ = 0;
  DataHeader header_;
  std::uint64_t sequence_ = 0;
  std::uint64_t ahead_ = 0;  // the number of data bytes that came with it
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace lintel::mpi
