#pragma once
// Two endpoints of one network in this process, connected over TCP on loopback. They send real
// traffic, so that a capture shows how the provider frames it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "loopback_ports.h"

namespace lintel::test {

inline constexpr std::size_t kPairBytes = 64 * 1024;      // most bytes of one send or write
inline constexpr std::chrono::seconds kPairDeadline{10};  // for every wait

class EndpointPair {
 public:
  virtual ~EndpointPair() = default;

  // Sends `bytes`, at most kPairBytes, and returns once the other side has them. Throws
  // std::runtime_error if it does not get them.
  virtual void send_to_target(std::span<const std::byte> bytes) = 0;
  virtual void send_to_initiator(std::span<const std::byte> bytes) = 0;

  // Writes `bytes`, at most kPairBytes, into the target's memory with that completion data. Returns
  // once the target has the completion.
  virtual void write_to_target(std::span<const std::byte> bytes, std::uint32_t immediate) = 0;
};

// Listens on these two ports, as LINTEL_PROVIDER=<provider> does. Throws std::runtime_error if the
// provider cannot do it.
std::unique_ptr<EndpointPair> open_pair(const std::string& provider, const LoopbackPorts& ports);

}  // namespace lintel::test
