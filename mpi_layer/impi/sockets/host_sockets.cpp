#include "mpi_layer/impi/sockets/host_sockets.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/assert.h"
#include "mpi_layer/impi/command.h"

namespace lintel::mpi::impi {
namespace {

constexpr std::size_t kReadBytes = std::size_t{256} << 10;
constexpr std::size_t kLongPacket = std::size_t{16} << 10;
constexpr std::size_t kShortRead = std::size_t{4} << 10;
constexpr int kReadsAtOnce = 16;  // of one connection, before others are read
constexpr int kLooks = 32;        // connections that one poll() reads; a job has at most 32 clients

ChannelLimits limits_of(const JobLayout& layout) {
  return {layout.data_length, layout.ackmark, layout.hiwater};
}

std::vector<ProcId> processes_of(const JobLayout& layout, std::uint32_t host) {
  std::vector<ProcId> processes;
  const JobHost& named = layout.hosts.at(host);
  for (std::uint32_t i = 0; i < named.procs; ++i)
    processes.push_back(layout.procs.at(named.first_proc + i).id);
  return processes;
}

std::string ended_by(const char* call) {
  return std::string("its connection has ended: ") + call + ": " + std::strerror(errno);
}

}  // namespace

struct HostSockets::HostLink final : Channel::Receiver {
  HostLink(const JobLayout& layout, std::uint32_t own, std::uint32_t other, Socket connection,
           PacketHandler& told)
      : host(other),
        name(text_of_host(layout, other)),
        socket(std::move(connection)),
        owner(told),
        channel(limits_of(layout), processes_of(layout, own), processes_of(layout, other), *this) {}

  Error on_packet(const Packet& packet, std::span<const std::byte> data) override {
    return owner.on_packet(host, packet, data);
  }
  std::span<std::byte> place_for(const Packet& packet) override {
    return owner.place_for(host, packet);
  }

  std::uint32_t host;
  std::string name;
  Socket socket;  // not open: the connection has ended
  PacketHandler& owner;
  Channel channel;
  bool is_full = false;  // it did not accept all; epoll waits until it is writable
  bool is_shut_down = false;
  std::string unwritable;  // why writing has failed
  bool is_lost = false;
};

HostSockets::HostSockets(PacketHandler& owner) : owner_(owner), buffer_(kReadBytes) {}

HostSockets::~HostSockets() = default;

Outcome<std::unique_ptr<HostSockets>> HostSockets::open(JoinedJob& job, Nanoseconds peer_timeout,
                                                        PacketHandler& owner) {
  std::unique_ptr<HostSockets> made(new HostSockets(owner));
  made->watch_ = Socket(::epoll_create1(EPOLL_CLOEXEC));
  if (!made->watch_.is_open())
    return Problem{std::string("cannot watch connections: epoll_create1: ") + std::strerror(errno)};
  made->server_ = std::move(job.server);
  made->links_.resize(job.layout.hosts.size());
  for (std::uint32_t host = 0; host < job.layout.hosts.size(); ++host) {
    if (host == job.host) continue;
    auto link = std::make_unique<HostLink>(job.layout, job.host, host,
                                           std::move(job.hosts.at(host)), owner);
    watch_over(link->socket, peer_timeout);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = link.get()}};
    if (::epoll_ctl(made->watch_.get(), EPOLL_CTL_ADD, link->socket.get(), &event) != 0)
      return Problem{"cannot watch the connection with " + link->name +
                     ": epoll_ctl: " + std::strerror(errno)};
    made->links_[host] = std::move(link);
    ++made->open_links_;
  }
  return made;
}

std::size_t HostSockets::poll() {
  happened_ = 0;
  if (open_links_ == 1) {  // one connection needs no epoll_wait
    for (const auto& link : links_) {
      if (link != nullptr) progress(*link);
    }
  } else if (open_links_ > 1) {
    std::array<epoll_event, kLooks> events;
    const int ready = ::epoll_wait(watch_.get(), events.data(), kLooks, 0);
    for (int i = 0; i < ready; ++i)
      progress(*static_cast<HostLink*>(events[static_cast<std::size_t>(i)].data.ptr));
  }
  return happened_;
}

void HostSockets::progress(HostLink& link) {
  if (!link.socket.is_open()) return;
  bool moved = link.is_full && write_waiting(link);
  for (int reads = 0; reads < kReadsAtOnce && link.socket.is_open(); ++reads) {
    const Reading reading = read_some(link);
    moved = moved || reading.got > 0;
    if (reading.got < reading.asked) break;
  }
  if (!link.socket.is_open()) return;
  moved = write_waiting(link) || moved;  // answers, and what could not be written above
  if (moved) {
    ++happened_;
    owner_.on_room(link.host);
  }
  shut_down_if_done(link);
}

// Reads the rest of a long packet to its place, and only a little behind it, so that the data of
// the next packet can go to their place too.
HostSockets::Reading HostSockets::read_some(HostLink& link) {
  const std::span<std::byte> room = link.channel.room();
  const std::span<std::byte> behind =
      std::span(buffer_).first(room.size() < kLongPacket ? buffer_.size() : kShortRead);
  std::array<iovec, 2> parts{{{room.data(), room.size()}, {behind.data(), behind.size()}}};
  msghdr message{};
  message.msg_iov = room.empty() ? parts.data() + 1 : parts.data();
  message.msg_iovlen = room.empty() ? 1 : 2;
  const ssize_t received = ::recvmsg(link.socket.get(), &message, 0);
  if (received <= 0) {
    if (received == 0 || (errno != EAGAIN && errno != EINTR))
      take_end(link, received == 0 ? std::string() : ended_by("recvmsg"));
    return {0, 1};
  }
  const auto got = static_cast<std::size_t>(received);
  const std::size_t in_room = std::min(got, room.size());
  Error error = in_room > 0 ? link.channel.filled(in_room) : Error();
  if (error.ok() && got > in_room) error = link.channel.receive(behind.first(got - in_room));
  if (!error.ok() && link.socket.is_open())
    lose(link, std::string(error.call()) + ": " + error.reason());
  return {got, room.size() + behind.size()};
}

// `how` is empty if the other side has closed the connection.
void HostSockets::take_end(HostLink& link, const std::string& how) {
  const Error error = link.channel.end_of_stream();
  if (error.ok()) return end(link);
  lose(link, !link.unwritable.empty() ? link.unwritable : !how.empty() ? how : error.reason());
}

void HostSockets::send(std::uint32_t host, const Packet& packet, std::span<const std::byte> data) {
  HostLink& link = *links_.at(host);
  if (!link.socket.is_open() || is_finishing_) return;
  if (link.channel.unwritten_bytes() > 0 && !link.is_full) write_waiting(link);
  std::array<std::byte, kHeaderBytes> header;
  if (!link.channel.send_at_once(packet, data, header)) return;
  link.channel.wrote(header, data, write(link, header, data));
  watch_for_room(link);
}

// True if the connection has accepted some bytes.
bool HostSockets::write_waiting(HostLink& link) {
  bool some = false;
  for (auto next = link.channel.next_bytes(); !next.empty(); next = link.channel.next_bytes()) {
    const std::size_t taken = write(link, next, {});
    link.channel.written(taken);
    some = some || taken > 0;
    if (taken < next.size()) break;
  }
  watch_for_room(link);
  return some;
}

// Returns how many bytes of both the connection has accepted. If writing has failed, it returns
// all, because nothing more can be written.
std::size_t HostSockets::write(HostLink& link, std::span<const std::byte> first,
                               std::span<const std::byte> second) {
  const std::size_t all = first.size() + second.size();
  if (!link.unwritable.empty()) return all;
  std::array<iovec, 2> parts{{{const_cast<std::byte*>(first.data()), first.size()},
                              {const_cast<std::byte*>(second.data()), second.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = second.empty() ? 1 : 2;
  const ssize_t sent = ::sendmsg(link.socket.get(), &message, MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM) return 0;
  // The end of the connection is handled when reading finds it, because what the other side has
  // sent before, such as FINI, must still be read.
  link.unwritable = ended_by("sendmsg");
  return all;
}

void HostSockets::watch_for_room(HostLink& link) {
  const bool is_full = link.channel.unwritten_bytes() > 0;
  if (is_full == link.is_full) return;
  link.is_full = is_full;
  epoll_event event{.events = is_full ? EPOLLIN | EPOLLOUT : EPOLLIN, .data = {.ptr = &link}};
  ::epoll_ctl(watch_.get(), EPOLL_CTL_MOD, link.socket.get(), &event);
}

bool HostSockets::takes_more(std::uint32_t host, const ProcId& source, const ProcId& destination) {
  HostLink& link = *links_.at(host);
  return link.socket.is_open() && !is_finishing_ && !link.is_full &&
         link.channel.may_send(source, destination);
}

std::size_t HostSockets::backlog(std::uint32_t host) const {
  const HostLink& link = *links_.at(host);
  return link.socket.is_open() ? link.channel.unwritten_bytes() : 0;
}

bool HostSockets::is_lost(std::uint32_t host) const { return links_.at(host)->is_lost; }

void HostSockets::finish() {
  LINTEL_ASSERT(!is_finishing_);
  is_finishing_ = true;
  for (const auto& link : links_) {
    if (link == nullptr || !link->socket.is_open()) continue;
    link->channel.finish();
    write_waiting(*link);
    shut_down_if_done(*link);
  }
}

void HostSockets::send_fini() {
  LINTEL_ASSERT(server_.is_open());
  const std::string fini = encode(CommandWord::kFini, {});
  std::array<char, 256> ignored;  // closing with unread bytes would discard what was
                                  // sent
  while (::recv(server_.get(), ignored.data(), ignored.size(), 0) ==
         static_cast<ssize_t>(ignored.size()))
    ;
  // A failure is ignored: a server that has ended does not need FINI.
  static_cast<void>(::send(server_.get(), fini.data(), fini.size(), MSG_NOSIGNAL));
  server_.close();
}

// Shuts down only the sending side, and waits for the end of the other. PROTOACK may follow the
// other side's FINI, and bytes that arrive at a closed socket reset the connection, which would
// discard what is still to be sent.
void HostSockets::shut_down_if_done(HostLink& link) {
  if (!link.socket.is_open() || link.is_shut_down || !link.channel.closed()) return;
  link.is_shut_down = true;
  ::shutdown(link.socket.get(), SHUT_WR);
}

void HostSockets::end(HostLink& link) {
  link.socket.close();
  --open_links_;
}

void HostSockets::lose(HostLink& link, const std::string& why) {
  end(link);
  link.is_lost = true;
  ++happened_;
  owner_.on_lost(link.host, "the connection with " + link.name + " is lost: " + why);
}

void HostSockets::dump(std::string& out) const {
  for (const auto& link : links_) {
    if (link == nullptr) continue;
    out += "impi " + link->name +
           (link->is_lost            ? " lost"
            : link->socket.is_open() ? " unwritten "
                                     : " ended");
    if (link->socket.is_open()) out += std::to_string(link->channel.unwritten_bytes());
    out += '\n';
    link->channel.dump(out);
  }
}

}  // namespace lintel::mpi::impi
