#pragma once
// TakeoverStranger: tries to take over the session of two processes on direct and loopback. It
// makes TCP connections to one of them that speak the stream's format (doc/wire_format.md) in the
// name of the other. It has seen their greetings, and has no key.
//
// Keeps no connection from one attempt to the next. Any process, one thread.
// Does not: attempt a first contact, which any process of this machine may have.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "portals3.h"
#include "transport/direct/stream_format.h"

namespace lintel::testing {

class TakeoverStranger {
 public:
  // Asks `claimed`, under the name of nobody, for what its greetings say.
  TakeoverStranger(ptl_process_id_t claimed, ptl_process_id_t target);

  // Whether `claimed` has answered.
  bool has_learned() const { return incarnation_.has_value(); }
  // Each kind of greeting that asks for a connection, once, and what may follow its answer.
  void attempt();

  // Answers of that kind to all attempts.
  std::uint64_t answers(transport::GreetingKind kind) const {
    return answers_[static_cast<std::size_t>(kind)];
  }

 private:
  class Line;

  transport::Greeting greeting(transport::GreetingKind kind) const;
  std::optional<transport::GreetingKind> ask(const Line& line, transport::GreetingKind kind);

  ptl_process_id_t claimed_;
  ptl_process_id_t target_;
  std::optional<std::uint64_t> incarnation_;  // of `claimed`
  std::array<std::uint64_t, 256> answers_{};
};

}  // namespace lintel::testing
