#pragma once
// RawProcess: a process on the simulated network that sends and receives the engine's messages
// through a session of its own, without an engine.
//
// With it a test sends what no correct initiator would send, and sees answers that programs do not
// see. RawPeer and RawPeer4 add the names of each API. Owned by the test, beside the
// SimulatedProcesses, which poll it. Thread: the test's.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "portals/engine/wire/wire_codec.h"
#include "tests/protocol/pattern.h"
#include "tests/protocol/simulated_processes.h"

namespace lintel::testing {

// Defaults of the messages.
struct RawAim {
  std::uint8_t interface_kind = portals::kPortals3Kind;
  std::uint32_t portal_index = 0;
  std::uint64_t match_bits = 0;
};

class RawProcess : private transport::Sink {
 public:
  // Joins the network of `job` under its own name. REQUIRES: lives as long as `job` runs.
  RawProcess(SimulatedProcesses& job, const RawAim& aim, std::uint32_t nid = kNid);
  static constexpr std::uint32_t kNid = 0x0a0000f0;

  ProcessId name() const { return self_; }
  // From now on it receives nothing, as if it were stopped.
  void stop() { stopped_ = true; }

  // A put, get or getput to `target` as a correct initiator would send it: user 1000, job 7, no
  // ack. The caller may change any field.
  portals::wire::Request request(portals::wire::MessageKind kind, ProcessId target,
                                 std::uint64_t length) const;
  // The answer to `request` that its target would send.
  static portals::wire::Response response(portals::wire::MessageKind kind,
                                          const portals::wire::Request& request,
                                          std::uint64_t length);

  // Sends a message to process `rank` and lets the network run. Fills in header.payload_length.
  template <class Fixed>
  void send(std::size_t rank, Fixed fixed, const Bytes& payload = {});
  // The same for raw bytes.
  void send_bytes(std::size_t rank, std::span<const std::byte> bytes);
  // The same without letting the network run. REQUIRES: something was sent to `rank` before.
  void post_bytes(std::size_t rank, std::span<const std::byte> bytes);
  // Sends CLEAR for `source`, with `segments` of memory registered here, and lets the network run.
  void clear(std::size_t rank, std::uint64_t source_token, std::vector<Bytes*> segments,
             std::uint64_t receiver_token = 77, std::uint8_t flags = 0);
  // The same without letting the network run. REQUIRES: something was sent to `rank` before.
  void post_clear(std::size_t rank, std::uint64_t source_token, std::vector<Bytes*> segments,
                  std::uint64_t receiver_token = 77, std::uint8_t flags = 0);
  // Sends `get` (of request()) with a CLEAR for segments of memory registered here.
  void cleared_get(std::size_t rank, portals::wire::Request get,
                   const std::vector<Bytes*>& segments, std::uint64_t receiver_token = 77);
  // The same without letting the network run. REQUIRES: something was sent to `rank` before.
  void post_cleared_get(std::size_t rank, portals::wire::Request get,
                        const std::vector<Bytes*>& segments, std::uint64_t receiver_token = 77);
  void discard(std::size_t rank, std::uint64_t token);
  void written(std::size_t rank, std::uint64_t receiver_token, std::uint64_t count);
  // Writes `bytes` to the place that `to` names, with `immediate`.
  void write(std::size_t rank, Bytes& bytes, const portals::wire::Segment& to,
             std::uint32_t immediate);

  // Messages received since the last call, as "ACK", "REPLY", "CLEAR", "WRITTEN", "DISCARD", "PUT",
  // "GET", "GET(CLEAR)", "GETPUT".
  std::string received();
  // The newest message of that kind.
  portals::wire::Response last_response() const {
    return portals::wire::parse_response(last(portals::wire::MessageKind::kAck));
  }
  portals::wire::Response last_reply() const {
    return portals::wire::parse_response(last(portals::wire::MessageKind::kReply));
  }
  Bytes last_reply_data() const;
  portals::wire::Request last_request(portals::wire::MessageKind kind) const {
    return portals::wire::parse_request(last(kind));
  }
  portals::wire::Clear last_clear() const {
    return portals::wire::parse_clear(last(portals::wire::MessageKind::kClear));
  }
  portals::wire::Segment last_segment(std::size_t index) const;
  // The CLEAR in the newest GET. REQUIRES: it has one.
  portals::wire::Clear clear_of_get() const {
    return portals::wire::parse_clear(payload_of_last(portals::wire::MessageKind::kGet));
  }
  portals::wire::Segment segment_of_get(std::size_t index) const;
  portals::wire::Discard last_discard() const {
    return portals::wire::parse_discard(last(portals::wire::MessageKind::kDiscard));
  }
  std::size_t immediates() const { return immediates_; }
  std::uint32_t last_immediate() const { return last_immediate_; }
  std::size_t lost_peers() const { return lost_peers_; }

 private:
  void on_message(transport::PeerId from, std::span<const std::byte> message) override;
  void on_message_left(transport::PeerId) override {}
  void on_write_done(transport::Context, Error) override {}
  void on_immediate(transport::PeerId, transport::Immediate immediate) override {
    ++immediates_;
    last_immediate_ = immediate.value;
  }
  void on_peer_failed(transport::PeerId, Error) override { ++lost_peers_; }

  transport::PeerId peer(std::size_t rank);
  std::vector<std::byte> clear_message(std::size_t rank, std::uint64_t source_token,
                                       const std::vector<Bytes*>& segments,
                                       std::uint64_t receiver_token, std::uint8_t flags);
  std::vector<std::byte> cleared_get_message(std::size_t rank, portals::wire::Request get,
                                             const std::vector<Bytes*>& segments,
                                             std::uint64_t receiver_token);
  std::span<const std::byte> last(portals::wire::MessageKind kind) const;
  std::span<const std::byte> payload_of_last(portals::wire::MessageKind kind) const;

  SimulatedProcesses& job_;
  RawAim aim_;
  ProcessId self_;
  std::unique_ptr<transport::Session> session_;
  std::vector<std::vector<std::byte>> messages_;
  bool stopped_ = false;
  std::size_t told_ = 0;
  std::size_t immediates_ = 0;
  std::size_t lost_peers_ = 0;
  std::uint32_t last_immediate_ = 0;
};

template <class Fixed>
void RawProcess::send(std::size_t rank, Fixed fixed, const Bytes& payload) {
  fixed.header.payload_length = static_cast<std::uint32_t>(payload.size());
  const std::size_t fixed_size = portals::wire::fixed_size(fixed.header);
  std::vector<std::byte> bytes(fixed_size + payload.size());
  portals::wire::encode(fixed, bytes.data());
  for (std::size_t i = 0; i < payload.size(); ++i)
    bytes[fixed_size + i] = static_cast<std::byte>(payload[i]);
  send_bytes(rank, bytes);
}

}  // namespace lintel::testing
