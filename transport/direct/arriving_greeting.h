#pragma once
// ArrivingGreeting: the bytes of a greeting, with what follows it, as they arrive in parts of any
// size.
//
// A part of a connection of DirectTransport that is being made; guarded by its owner's lock.
// Does not: read the socket, or judge what it says; the bytes are foreign.

#include <sys/uio.h>

#include <array>
#include <cstddef>

#include "transport/direct/stream_format.h"

namespace lintel::transport {

class ArrivingGreeting {
 public:
  // Where the next bytes go. Never more than belong to it: pieces may follow. Empty: it is
  // complete.
  iovec room() { return {bytes_.data() + arrived_, size() - arrived_}; }
  void arrived(std::size_t bytes) { arrived_ += bytes; }
  bool is_complete() const { return arrived_ == size(); }

  // REQUIRES: is_complete(), and for resumption() a kind that has one.
  Greeting greeting() const { return decode<Greeting>(bytes_.data()); }
  Resumption resumption() const { return decode<Resumption>(bytes_.data() + sizeof(Greeting)); }
  // Another one follows.
  void begin() { arrived_ = 0; }

 private:
  // As far as is known.
  std::size_t size() const {
    constexpr std::size_t kKind = offsetof(Greeting, kind);
    return arrived_ >= sizeof(Greeting) &&
                   has_resumption(std::to_integer<std::uint8_t>(bytes_[kKind]))
               ? sizeof(Greeting) + sizeof(Resumption)
               : sizeof(Greeting);
  }

  std::array<std::byte, sizeof(Greeting) + sizeof(Resumption)> bytes_;
  std::size_t arrived_ = 0;
};

}  // namespace lintel::transport
