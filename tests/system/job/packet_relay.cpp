#include "tests/system/job/packet_relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lintel::testing {
namespace {

// A connection is kept no longer than this, also if no newer one comes.
constexpr std::chrono::milliseconds kKeptAtMost{1500};
// The newer one has been made when so many packets with data have passed on it.
constexpr unsigned kMade = 6;
// One of so many connections is kept.
constexpr std::uint64_t kOneOf = 3;

struct Segment {
  iphdr ip;
  tcphdr tcp;
  std::size_t data;  // bytes
};

// Packets with options in the IP header are not TCP of this kernel.
bool parse(const std::vector<std::uint8_t>& packet, Segment& segment) {
  if (packet.size() < sizeof(iphdr) + sizeof(tcphdr)) return false;
  std::memcpy(&segment.ip, packet.data(), sizeof segment.ip);
  if (segment.ip.version != 4 || segment.ip.ihl != 5 || segment.ip.protocol != IPPROTO_TCP)
    return false;
  std::memcpy(&segment.tcp, packet.data() + sizeof(iphdr), sizeof segment.tcp);
  segment.data = packet.size() - sizeof(iphdr) - std::size_t{4} * segment.tcp.doff;
  return true;
}

std::uint16_t checksum(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    sum += static_cast<std::uint32_t>(bytes[i] << 8 | bytes[i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return htons(static_cast<std::uint16_t>(~sum));
}

std::vector<std::uint8_t> bytes_of(const void* data, std::size_t size) {
  const auto* const begin = static_cast<const std::uint8_t*>(data);
  return {begin, begin + size};
}

// A segment that ends the connection for who gets it.
std::vector<std::uint8_t> reset_segment(in_addr_t from, in_addr_t to, std::uint16_t from_port,
                                        std::uint16_t to_port, std::uint32_t sequence) {
  iphdr ip{};
  ip.version = 4;
  ip.ihl = 5;
  ip.ttl = 64;
  ip.protocol = IPPROTO_TCP;
  ip.tot_len = htons(sizeof(iphdr) + sizeof(tcphdr));
  ip.saddr = from;
  ip.daddr = to;
  ip.check = checksum(bytes_of(&ip, sizeof ip));
  tcphdr tcp{};
  tcp.source = from_port;
  tcp.dest = to_port;
  tcp.seq = htonl(sequence);
  tcp.doff = 5;
  tcp.rst = 1;
  struct {
    in_addr_t from, to;
    std::uint8_t zero, protocol;
    std::uint16_t length;
    tcphdr tcp;
  } summed{from, to, 0, IPPROTO_TCP, htons(sizeof tcp), tcp};
  tcp.check = checksum(bytes_of(&summed, sizeof summed));
  std::vector<std::uint8_t> packet = bytes_of(&ip, sizeof ip);
  const std::vector<std::uint8_t> header = bytes_of(&tcp, sizeof tcp);
  packet.insert(packet.end(), header.begin(), header.end());
  return packet;
}

}  // namespace

PacketRelay::PacketRelay(const RelayFaults& faults) : faults_(faults) {
  for (const std::size_t host : {0U, 1U}) open_device(host);
}

void PacketRelay::open_device(std::size_t host) {
  if (!obstacle_.empty()) return;
  names_[host] = "relay" + std::to_string(host) + "_" + std::to_string(::getpid());
  devices_[host] = FileDescriptor(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, names_[host].c_str(), IFNAMSIZ - 1);
  if (!devices_[host].is_open()) {
    failed("/dev/net/tun");
  } else if (::ioctl(devices_[host].get(), TUNSETIFF, &request) != 0) {
    failed("TUNSETIFF");
  }
}

void PacketRelay::failed(const char* what) {
  error_ = errno;
  obstacle_ = std::string(what) + ": " + std::strerror(error_);
}

void PacketRelay::run_until(const std::function<bool()>& done) {
  while (!done()) {
    pollfd waited[] = {{devices_[0].get(), POLLIN, 0}, {devices_[1].get(), POLLIN, 0}};
    ::poll(waited, 2, 1);
    for (const std::size_t from : {0U, 1U}) {
      std::uint8_t packet[65536];
      ssize_t size = 0;
      while ((size = ::read(devices_[from].get(), packet, sizeof packet)) > 0)
        take(from, Packet(packet, packet + size));
    }
    release_due();
    while (!delayed_.empty() && delayed_.begin()->first <= Clock::now()) {
      const Delayed& next = delayed_.begin()->second;
      // A packet for which there is no room is lost, as in any network.
      static_cast<void>(!::write(devices_[next.to].get(), next.packet.data(), next.packet.size()));
      delayed_.erase(delayed_.begin());
    }
  }
}

void PacketRelay::take(std::size_t from, Packet packet) {
  Segment segment{};
  if (!parse(packet, segment)) return pass_on(from, std::move(packet));
  const tcphdr& tcp = segment.tcp;
  const Ends as_maker{from, tcp.source, tcp.dest};
  const Ends as_other{1 - from, tcp.dest, tcp.source};
  if (tcp.syn != 0 && tcp.ack == 0) add(as_maker);
  const bool is_makers = connections_.contains(as_maker);
  const auto found = connections_.find(is_makers ? as_maker : as_other);
  if (found == connections_.end()) return pass_on(from, std::move(packet));
  Connection& connection = found->second;
  if (connection.is_forgotten) {
    ++swallowed_;
    return;
  }
  if (segment.data > 0 && ++connection.with_data == kMade && !connection.is_kept)
    newest_in_use_ = std::max(newest_in_use_, connection.number);
  // The kernel of the other side accepts it. What the maker says does not come yet.
  if (connection.is_kept && is_makers && (segment.data > 0 || tcp.fin != 0 || tcp.rst != 0)) {
    connection.kept.push_back(std::move(packet));
    return;
  }
  if (segment.data > 0 && resets(from, packet, connection)) return;
  pass_on(from, std::move(packet));
}

void PacketRelay::forget_connections() {
  for (auto& [ends, connection] : connections_) connection.is_forgotten = true;
}

// Does nothing if it has been added: the SYN was sent again.
void PacketRelay::add(const Ends& ends) {
  const bool one_is_kept = std::any_of(connections_.begin(), connections_.end(),
                                       [](const auto& other) { return other.second.is_kept; });
  const auto [found, is_new] = connections_.try_emplace(ends);
  if (!is_new) return;
  Connection& connection = found->second;
  connection.number = ++numbers_;
  if (faults_.kept_connections == 0 || one_is_kept || connection.number % kOneOf != 0) return;
  --faults_.kept_connections;
  connection.is_kept = true;
  connection.kept_until = Clock::now() + kKeptAtMost;
}

// Half of the resets are for the receiver of the packet, which is lost, and half for its sender.
bool PacketRelay::resets(std::size_t from, const Packet& packet, Connection& connection) {
  Segment segment{};
  parse(packet, segment);
  const std::uint32_t sequence = ntohl(segment.tcp.seq);
  const bool in_order = !connection.is_known[from] || connection.next[from] == sequence;
  connection.is_known[from] = true;
  connection.next[from] = sequence + static_cast<std::uint32_t>(segment.data);
  if (!in_order || std::bernoulli_distribution(1 - faults_.reset)(random_)) return false;
  ++resets_;
  if (random_() % 2 == 0) {
    pass_on(from, reset_segment(segment.ip.saddr, segment.ip.daddr, segment.tcp.source,
                                segment.tcp.dest, sequence));
  } else {
    pass_on(1 - from, reset_segment(segment.ip.daddr, segment.ip.saddr, segment.tcp.dest,
                                    segment.tcp.source, ntohl(segment.tcp.ack_seq)));
  }
  return true;
}

void PacketRelay::pass_on(std::size_t from, Packet packet) {
  const auto longest = faults_.longest_delay[from].count();
  const std::chrono::microseconds delay(
      longest == 0 ? 0 : static_cast<std::int64_t>(random_()) % longest);
  delayed_.emplace(Clock::now() + delay, Delayed{std::move(packet), 1 - from});
}

void PacketRelay::release_due() {
  for (auto& [ends, connection] : connections_) {
    if (!connection.is_kept) continue;
    const bool is_overtaken = newest_in_use_ > connection.number;
    if (is_overtaken && !connection.kept.empty()) ++overtaken_;
    if (is_overtaken || Clock::now() > connection.kept_until) release(ends, connection);
  }
}

void PacketRelay::release(const Ends& ends, Connection& connection) {
  connection.is_kept = false;
  for (Packet& packet : connection.kept) pass_on(ends.maker, std::move(packet));
  connection.kept.clear();
}

}  // namespace lintel::testing
