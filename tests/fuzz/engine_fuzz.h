#pragma once
// EngineFuzz: messages, immediates and completions of a hostile network into the engine of a
// process that has entries, descriptors and operations under way.
//
// The input is a list of commands (see step()). Most build messages that pass the first checks,
// with tokens and handles that the engine itself has sent. Objects and calls of the process belong
// to an API: engine_receive_fuzz.cpp, engine_receive4_fuzz.cpp. The sanitizers check that nothing
// is read or written out of bounds. finish() checks the rest. Thread: one. Time does not advance.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "portals/engine/node/host_process.h"
#include "portals/engine/process/process.h"
#include "portals/engine/wire/wire_codec.h"
#include "tests/fuzz/held_transport.h"
#include "tests/fuzz/input.h"

namespace lintel::testing {

namespace wire = portals::wire;

constexpr ProcessId kSelf{NodeId{1}, Pid{1}};
constexpr std::array<ProcessId, 2> kPeers{{{NodeId{2}, Pid{1}}, {NodeId{2}, Pid{2}}}};
constexpr std::size_t kMemory = 8192;
constexpr std::size_t kEagerLimit = 256;

inline void require(bool condition) {
  if (!condition) std::abort();
}

class EngineFuzz {
 public:
  // `max_operations`: see EndpointOptions. No call may wait, because nothing would ever end its
  // wait.
  EngineFuzz(const std::uint8_t* data, std::size_t size, std::size_t max_operations);
  EngineFuzz(const EngineFuzz&) = delete;
  EngineFuzz& operator=(const EngineFuzz&) = delete;
  virtual ~EngineFuzz();

  void run() {
    while (!input_.empty()) step();
    finish();
  }

 protected:
  // The kind of request that commands 1 to 3 send.
  virtual wire::MessageKind request_kind(unsigned command, std::uint8_t shape) = 0;
  // Sets the interface and portal in the request.
  virtual void aim(wire::Request& request) = 0;
  // Makes a call of the program. It may return any code but must not crash.
  virtual void call() = 0;
  // Called at the end of the input: checks what must hold then.
  virtual void finish() = 0;

  void poll();
  // Loses all peers, so that nothing is under way any more.
  void lose_all_peers();

  Input input_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(kMemory);
  HeldTransport* transport_ = nullptr;
  portals::Process process_;
  std::optional<portals::ScopedProcess> scoped_;
  std::uint64_t malformed_ = 0;  // received messages that parse_header refuses

 private:
  void step();
  void send_request(wire::MessageKind kind, std::uint8_t shape);
  void send_response(wire::MessageKind kind);
  void send_clear();
  std::vector<std::byte> clear_of_get(const wire::Request& get);
  void answer_sent();

  std::uint64_t length();
  std::uint64_t offset();
  std::size_t peer() { return input_.byte() % kPeers.size(); }
  const HeldTransport::Sent* pick();
  std::uint64_t token();
  void send_placed(std::size_t from, std::vector<std::byte> message, std::uint64_t length);
  template <class Fixed>
  void deliver(std::size_t from, Fixed fixed, const std::vector<std::byte>& payload);
};

}  // namespace lintel::testing
