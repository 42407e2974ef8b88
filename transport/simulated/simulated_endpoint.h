#pragma once
// SimulatedEndpoint: what SimulatedNetwork and SimulatedTransport share: the state of one process
// on the network, and of one pair of processes. Events under way keep it alive after the transport
// is destroyed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "transport/transport.h"

namespace lintel::transport {

// Traffic from one sender to one receiver. Identified by their names, so messages of a restarted
// process arrive after those of its predecessor.
struct SimulatedPair {
  std::size_t messages = 0;  // reserved, or committed and not polled by the receiver yet
  std::size_t writes = 0;    // posted and not done yet
  TimePoint last_delivery{};
};

// Increments one of a pair's numbers, and decrements it when it is destroyed.
class InFlight {
 public:
  InFlight() = default;
  InFlight(std::shared_ptr<SimulatedPair> pair, std::size_t SimulatedPair::*number)
      : pair_(std::move(pair)), number_(number) {
    ++((*pair_).*number_);
  }
  InFlight(InFlight&& other) noexcept : pair_(std::move(other.pair_)), number_(other.number_) {}
  InFlight& operator=(InFlight&& other) noexcept {
    std::swap(pair_, other.pair_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~InFlight() {
    if (pair_) --((*pair_).*number_);
  }

 private:
  std::shared_ptr<SimulatedPair> pair_;
  std::size_t SimulatedPair::*number_ = nullptr;
};

// The payload of a placed message.
struct SimulatedPayload {
  PlacementKey key;
  std::vector<std::byte> bytes;  // copied from the sender's memory
  // The receiver's memory that has them; empty: they were not expected.
  std::span<std::byte> landed;
};

// The connection on which something was sent: its number at each end. A process takes a new number
// when it disconnects, and a restarted process has higher numbers than its predecessor.
struct SimulatedConnection {
  std::uint64_t at_sender = 0;
  std::uint64_t at_receiver = 0;
};

struct SimulatedMessage {
  ProcessId from;
  SimulatedConnection connection;
  std::vector<std::byte> bytes;
  InFlight in_flight;
  std::optional<SimulatedPayload> payload = std::nullopt;
};

// What the next poll() of a process reports.
struct ReportLeft {
  PeerId to;
};
struct ReportWriteDone {
  Context context;
  Error error;
};
struct ReportImmediate {
  ProcessId from;
  SimulatedConnection connection;
  Immediate immediate;
};
struct ReportFailed {
  PeerId peer;
  Error error;
};
using SimulatedReport =
    std::variant<SimulatedMessage, ReportLeft, ReportWriteDone, ReportImmediate, ReportFailed>;

struct SimulatedRegion {
  PeerId peer;
  std::span<std::byte> memory;
  std::uint64_t base;
  Access access;
};

struct SimulatedExpectation {
  PlacementKey key;
  std::span<std::byte> memory;
  bool arriving = false;  // the bytes are in place, the report is in the queue
};

struct SimulatedEndpoint {
  ProcessId name;
  std::uint64_t first_connection = 0;  // the number of its first connection with any peer
  bool alive = true;
  bool silent = false;  // if dead: messages to it are lost and not refused
  std::deque<SimulatedReport> reports;
  std::vector<ProcessId> peers;  // by PeerId
  std::unordered_map<ProcessId, PeerId> peer_of;
  std::unordered_map<std::uint64_t, SimulatedRegion> regions;  // by key, which is also the id
  std::unordered_map<PeerId, SimulatedExpectation> expected;   // by sender
  // Of peers that it has disconnected: the present connection.
  std::unordered_map<ProcessId, std::uint64_t> connections;
  // The sender's number of the latest connection with a message.
  std::unordered_map<ProcessId, std::uint64_t> heard;
  // Connections up to this number of the sender have ended.
  std::unordered_map<ProcessId, std::uint64_t> ended;

  PeerId known(ProcessId peer) {
    const auto [it, fresh] =
        peer_of.try_emplace(peer, PeerId{static_cast<std::uint32_t>(peers.size())});
    if (fresh) peers.push_back(peer);
    return it->second;
  }
  void report(SimulatedReport report) {
    if (alive) reports.push_back(std::move(report));
  }
  // The number of the connection with the peer.
  std::uint64_t connection_with(ProcessId peer) const {
    const auto found = connections.find(peer);
    return found == connections.end() ? first_connection : found->second;
  }
  // Whether the connection has ended, so that nothing that arrives on it is delivered. What the
  // peer has sent on a later one is delivered.
  bool has_ended(ProcessId from, const SimulatedConnection& connection) const {
    const auto last = ended.find(from);
    return connection.at_receiver != connection_with(from) && last != ended.end() &&
           connection.at_sender <= last->second;
  }
  // Ends the connection with the peer: nothing of it is reported, and nothing of it that is under
  // way arrives. `number`: the number of the next connection. `senders`: the peer's number of the
  // present one, used if nothing has arrived on any.
  void disconnect(PeerId peer, std::uint64_t number, std::uint64_t senders) {
    const ProcessId other = peers[peer.value];
    connections[other] = number;
    const auto latest = heard.find(other);
    ended[other] = latest != heard.end() ? latest->second : senders;
    expected.erase(peer);
    std::erase_if(reports, [&](const SimulatedReport& report) {
      if (const auto* message = std::get_if<SimulatedMessage>(&report)) {
        return message->from == other && has_ended(other, message->connection);
      }
      if (const auto* immediate = std::get_if<ReportImmediate>(&report)) {
        return immediate->from == other && has_ended(other, immediate->connection);
      }
      if (const auto* left = std::get_if<ReportLeft>(&report)) return left->to == peer;
      const auto* failed = std::get_if<ReportFailed>(&report);
      return failed != nullptr && failed->peer == peer;
    });
  }
  // Copies the payload to the memory where it is expected. False: it is not expected.
  bool land(ProcessId from, SimulatedPayload& payload) {
    const auto sender = peer_of.find(from);
    const auto found = sender == peer_of.end() ? expected.end() : expected.find(sender->second);
    if (found == expected.end() || found->second.arriving || found->second.key != payload.key)
      return false;
    const std::span<std::byte> memory = found->second.memory;
    payload.landed = memory.first(std::min(memory.size(), payload.bytes.size()));
    std::copy_n(payload.bytes.begin(), payload.landed.size(), payload.landed.begin());
    found->second.arriving = true;
    return true;
  }
  // The process has ended: its reports are dropped, and its memory is not touched.
  void end() {
    alive = false;
    reports.clear();
    expected.clear();
  }
};

}  // namespace lintel::transport
