#pragma once
// Greeter: the greetings that this process sends, and which of those it receives are meant for it.
// Each greeting has a generation of its own, so that the other side knows which one is the later.
//
// A member of Handshakes; guarded by its owner's lock.
// Does not: check whether a sender has the address that it names, or what a resumption proves.

#include <cstdint>

#include "base/ids.h"
#include "base/random_numbers.h"
#include "transport/direct/stream_format.h"

namespace lintel::transport {

class Greeter {
 public:
  // Draws the incarnation.
  Greeter() : incarnation_(RandomNumbers().next()) {}

  // Before the first greeting.
  void set_self(ProcessId name) { self_ = name; }
  ProcessId self() const { return self_; }
  std::uint64_t incarnation() const { return incarnation_; }
  // Of the next greeting.
  std::uint64_t next_generation() const { return generation_ + 1; }

  // Sends one on a connection on which nothing was sent, or only greetings. False: the connection
  // has ended. `resumption` follows if the kind has one.
  bool send(int socket, ProcessId to, GreetingKind kind, const Resumption& resumption = {});

  enum class GreetingVerdict : std::uint8_t { kForThisProcess, kOtherVersion, kForeign };
  GreetingVerdict judge(const Greeting& greeting) const;

 private:
  ProcessId self_;
  std::uint64_t incarnation_;
  std::uint64_t generation_ = 0;
};

inline ProcessId sender_of(const Greeting& greeting) {
  return {NodeId(greeting.from_nid), Pid(greeting.from_pid)};
}

}  // namespace lintel::transport
