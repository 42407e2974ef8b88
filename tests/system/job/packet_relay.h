#pragma once
// PacketRelay: the network between two hosts, through which every IPv4 packet passes the test. It
// delays packets, delivers them out of order, resets TCP connections in the middle, keeps what the
// maker of a connection sends on it until a newer connection was made, and forgets connections.
//
// It changes no address, because the processes prove the ends of their sockets to each other.
//
// Made before the hosts: a TUN device for each, which is moved to the host's network namespace
// then. Owns the other ends of the devices. One thread calls it.
// Invariant: a packet that is neither delayed, kept, swallowed nor replaced with a reset is passed
// on unchanged.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace lintel::testing {

struct RelayFaults {
  // Each packet from that host waits up to so long; it does not wait for earlier ones.
  std::array<std::chrono::microseconds, 2> longest_delay{};
  double reset = 0;               // of a packet with data: its connection is reset
  unsigned kept_connections = 0;  // so many are kept until a newer one was made
};

class PacketRelay {
 public:
  explicit PacketRelay(const RelayFaults& faults);

  // "", or why there are no TUN devices here.
  const std::string& obstacle() const { return obstacle_; }
  int error() const { return error_; }  // errno of the obstacle; 0: there is none
  const std::string& device(std::size_t host) const { return names_[host]; }
  // Passes packets on until done().
  void run_until(const std::function<bool()>& done);
  // Of the connections that there are, nothing passes any more in either direction, and nobody is
  // told.
  void forget_connections();

  std::size_t resets() const { return resets_; }
  // Packets of forgotten connections.
  std::size_t swallowed() const { return swallowed_; }
  // Connections of which something was passed on only after a newer one had been made.
  std::size_t overtaken() const { return overtaken_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Packet = std::vector<std::uint8_t>;
  struct Delayed {
    Packet packet;
    std::size_t to;
  };
  // Host and port of the maker, port of the other side.
  struct Ends {
    std::size_t maker;
    std::uint16_t from;
    std::uint16_t to;
    auto operator<=>(const Ends&) const = default;
  };
  struct Connection {
    std::uint64_t number = 0;  // in the order of their first packets
    bool is_kept = false;
    bool is_forgotten = false;
    Clock::time_point kept_until;
    std::vector<Packet> kept;
    unsigned with_data = 0;               // packets
    std::array<std::uint32_t, 2> next{};  // sequence number that the other side awaits, by host
    std::array<bool, 2> is_known{};
  };

  void open_device(std::size_t host);
  void failed(const char* what);
  void take(std::size_t from, Packet packet);
  void add(const Ends& ends);
  void pass_on(std::size_t from, Packet packet);
  void release(const Ends& ends, Connection& connection);
  void release_due();
  bool resets(std::size_t from, const Packet& packet, Connection& connection);

  RelayFaults faults_;
  std::string obstacle_;
  int error_ = 0;
  std::array<std::string, 2> names_;
  std::array<FileDescriptor, 2> devices_;
  std::multimap<Clock::time_point, Delayed> delayed_;
  std::map<Ends, Connection> connections_;
  std::uint64_t numbers_ = 0;
  std::uint64_t newest_in_use_ = 0;  // on which data went both ways
  std::size_t resets_ = 0;
  std::size_t swallowed_ = 0;
  std::size_t overtaken_ = 0;
  std::mt19937 random_{1};
};

}  // namespace lintel::testing
