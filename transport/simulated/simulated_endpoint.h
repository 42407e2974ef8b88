#pragma once
// What SimulatedNetwork and SimulatedTransport share: the state of one process on the network, and of one pair of processes.
// Events under way keep it alive after the transport is gone.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "transport/transport.h"

namespace lintel::transport {

// From one sender to one receiver, by name: a restarted process comes after what its predecessor sent.
struct SimulatedPair {
  std::size_t messages = 0;  // reserved, or committed and not yet polled by the receiver
  std::size_t writes = 0;    // posted and not yet done
  TimePoint last_delivery{};
};

// Counts in one of a pair's numbers while it lives.
class InFlight {
 public:
  InFlight() = default;
  InFlight(std::shared_ptr<SimulatedPair> pair, std::size_t SimulatedPair::*number) : pair_(std::move(pair)), number_(number) {
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

struct SimulatedMessage {
  ProcessId from;
  std::vector<std::byte> bytes;
  InFlight in_flight;
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
  Immediate immediate;
};
struct ReportFailed {
  PeerId peer;
  Error error;
};
using SimulatedReport = std::variant<SimulatedMessage, ReportLeft, ReportWriteDone, ReportImmediate, ReportFailed>;

struct SimulatedRegion {
  PeerId peer;
  std::span<std::byte> memory;
  std::uint64_t base;
  Access access;
};

struct SimulatedEndpoint {
  ProcessId name;
  bool alive = true;
  bool silent = false;  // when dead: messages to it vanish instead of being refused
  std::deque<SimulatedReport> reports;
  std::vector<ProcessId> peers;  // by PeerId
  std::unordered_map<ProcessId, PeerId> peer_of;
  std::unordered_map<std::uint64_t, SimulatedRegion> regions;  // by key, which is the id too

  PeerId known(ProcessId peer) {
    const auto [it, fresh] = peer_of.try_emplace(peer, PeerId{static_cast<std::uint32_t>(peers.size())});
    if (fresh) peers.push_back(peer);
    return it->second;
  }
  void report(SimulatedReport report) {
    if (alive) reports.push_back(std::move(report));
  }
};

}  // namespace lintel::transport
