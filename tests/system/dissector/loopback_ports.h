#pragma once
// Two TCP ports on a loopback address that no other program uses, so that a capture of them shows
// the traffic of this process and its children only. On 127.0.0.1, a program that runs at the same
// time may get one of the ports as its own.

#include <cstdint>
#include <string>

namespace lintel::test {

struct LoopbackPorts {
  std::string host;  // an address of 127.64.0.0/10, by the number of the process
  std::uint16_t initiator;
  std::uint16_t target;
};

// Nothing listens on them. Throws std::runtime_error if there are none.
LoopbackPorts free_loopback_ports();

}  // namespace lintel::test
