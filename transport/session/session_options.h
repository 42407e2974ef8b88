#pragma once
// SessionOptions: the identity and the limits of a Session.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "transport/session/job_key.h"

namespace lintel::transport {

struct SessionOptions {
  std::uint64_t incarnation = 0;  // a random number of the process, given by the caller; not 0
  // Random bits that nobody else knows, given by the caller: nonces and epochs come from them.
  std::array<std::byte, 32> random{};
  std::shared_ptr<JobKey> job_key = nullptr;  // nullptr: this process has no job secret, ever
  std::uint32_t window_frames = 64;           // unacknowledged frames per peer
  Nanoseconds dead_peer_deadline = std::chrono::seconds(10);
  Nanoseconds connect_deadline = std::chrono::seconds(10);
  std::size_t max_peers = 65536;          // resolve() refuses more
  std::size_t max_closed_peers = 256;     // of them without a session; the oldest are forgotten
  std::size_t max_callers = 256;          // of them that have called and proved nothing; likewise
  std::size_t max_local_messages = 1024;  // waiting messages of the process to itself
  // Beyond so many open sessions without a job secret, their peers that say nothing are asked
  // whether they live, and are lost if they do not answer within the dead-peer deadline.
  std::size_t max_idle_sessions = 256;
};

}  // namespace lintel::transport
