#include "mpi_layer/impi/sockets/join.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "mpi_layer/impi/client_startup.h"
#include "mpi_layer/impi/listen_address.h"
#include "mpi_layer/impi/sockets/connecting.h"

namespace lintel::mpi::impi {
namespace {

// the same as in the server
constexpr Nanoseconds kServerSilence = std::chrono::seconds(60);

// The address at which other hosts can reach this one.
Outcome<std::uint32_t> host_address(const ClientSettings& settings, const Socket& server) {
  if (!settings.interface) return own_address(server).ipv4;
  Outcome<std::string> dotted = listen_address(*settings.interface);
  if (!dotted) return Problem{"LINTEL_INTERFACE: " + dotted.sentence()};
  return resolve(*dotted);
}

HostOffer offer_of(const TcpAddress& own, const std::vector<std::int64_t>& pids) {
  HostOffer host;
  host.address = host_id_of(own.ipv4);
  host.port = own.port;
  // The least value of all hosts is used. With LAM's 10 and 20, a sender of long messages waits too
  // often.
  host.ackmark = 32;
  host.hiwater = 64;
  for (const std::int64_t pid : pids) host.procs.push_back({host.address, pid});
  return host;
}

Outcome<> write_all(const Socket& socket, std::string_view bytes, TimePoint deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLOUT, deadline)) return Problem{"it takes nothing"};
    } else if (errno != EINTR) {
      return Problem{std::string("its connection has ended: send: ") + std::strerror(errno)};
    }
  }
  return {};
}

void read_some(const Socket& socket, ClientStartup& startup) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
  if (got > 0) return startup.take({bytes.data(), static_cast<std::size_t>(got)}, monotonic_now());
  if (got == 0) return startup.lose("it closed its connection");
  if (errno != EINTR && errno != EAGAIN)
    startup.lose(std::string("its connection has ended: recv: ") + std::strerror(errno));
}

Outcome<JobLayout> start_up(const Socket& server, const ClientSettings& settings,
                            const HostOffer& host, Nanoseconds timeout) {
  using StartupPhase = ClientStartup::StartupPhase;
  ClientOffer offer;
  offer.hosts.push_back(host);
  ClientStartup startup({settings.rank, settings.authentication, std::move(offer), timeout},
                        monotonic_now());
  while (startup.phase() != StartupPhase::kReady && startup.phase() != StartupPhase::kFailed) {
    const Outcome<> written = write_all(server, startup.take_outgoing(), monotonic_now() + timeout);
    // The server may have sent the reason before it closed the connection, so read first.
    if (written && !wait_for(server, POLLIN, startup.next_deadline()))
      startup.advance(monotonic_now());
    else
      read_some(server, startup);
    if (!written) startup.lose(written.sentence());
  }
  if (startup.phase() == StartupPhase::kFailed) return Problem{startup.problem()};
  return startup.layout();
}

// Checks that the layout has this client as offered, because all others know it from there.
Outcome<> find_own(const JobLayout& layout, std::uint32_t own, const HostOffer& offer) {
  const JobHost& told = layout.hosts.at(own);
  bool is_own =
      told.address == offer.address && told.port == offer.port && told.procs == offer.procs.size();
  for (std::uint32_t i = 0; is_own && i < told.procs; ++i)
    is_own = layout.procs.at(told.first_proc + i).id == offer.procs[i];
  if (is_own) return {};
  return Problem{"it tells of " + text_of_host(layout, own) + " with " +
                 std::to_string(told.procs) + " processes; expected what this client has told it"};
}

Outcome<JoinedJob> join_at(const TcpAddress& address, const ClientSettings& settings,
                           const std::vector<std::int64_t>& pids, Nanoseconds timeout) {
  Outcome<Socket> server = connect_to(address, std::nullopt, monotonic_now() + timeout);
  if (!server) return server.failure();
  watch_over(*server, kServerSilence);
  Outcome<std::uint32_t> own = host_address(settings, *server);
  if (!own) return own.failure();
  Outcome<Socket> listener = listen_on({*own, 0});
  if (!listener) return listener.failure();
  const HostOffer offer = offer_of(own_address(*listener), pids);
  Outcome<JobLayout> layout = start_up(*server, settings, offer, timeout);
  if (!layout) return layout.failure();
  const std::uint32_t host = layout->first_host(settings.rank);
  if (Outcome<> found = find_own(*layout, host, offer); !found) return found.failure();
  Outcome<std::vector<Socket>> hosts =
      connect_hosts(*layout, host, std::move(*listener), monotonic_now() + timeout);
  if (!hosts) return hosts.failure();
  return JoinedJob{std::move(*layout), settings.rank, host, std::move(*server), std::move(*hosts)};
}

}  // namespace

Outcome<JoinedJob> join(const ClientSettings& settings, const std::vector<std::int64_t>& local_pids,
                        Nanoseconds timeout) {
  const std::string name = "client " + std::to_string(settings.rank) +
                           " of IMPI, with the server at " + settings.server_host + ":" +
                           std::to_string(settings.server_port) + ": ";
  Outcome<std::uint32_t> ipv4 = resolve(settings.server_host);
  if (!ipv4) return Problem{name + ipv4.sentence()};
  Outcome<JoinedJob> joined = join_at({*ipv4, settings.server_port}, settings, local_pids, timeout);
  if (!joined) return Problem{name + joined.sentence()};
  return joined;
}

}  // namespace lintel::mpi::impi
