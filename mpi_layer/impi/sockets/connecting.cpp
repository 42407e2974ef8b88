#include "mpi_layer/impi/sockets/connecting.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/log.h"
#include "mpi_layer/impi/dance.h"

namespace lintel::mpi::impi {
namespace {

// The accepted connections that have not sent their rank yet.
class Callers {
 public:
  Callers(Dance& dance, Socket listener, std::vector<Socket>& sockets)
      : dance_(dance),
        listener_(std::move(listener)),
        own_(own_address(listener_)),
        sockets_(sockets) {}
  ~Callers() {
    for (Stranger& stranger : strangers_) refuse(stranger, "it has not said which host it is");
  }
  Callers(const Callers&) = delete;
  Callers& operator=(const Callers&) = delete;

  const TcpAddress& own() const { return own_; }

  // Waits for connections and ranks, and handles them.
  Outcome<> serve(TimePoint deadline) {
    std::vector<pollfd> polled{{listener_.get(), POLLIN, 0}};
    for (const Stranger& stranger : strangers_)
      polled.push_back({stranger.caller.socket.get(), POLLIN, 0});
    const int ready = ::poll(polled.data(), polled.size(), milliseconds_until(deadline));
    if (ready < 0 && errno != EINTR) return Problem{"poll: " + std::string(std::strerror(errno))};
    if (ready <= 0) return {};
    for (std::size_t i = 0; i < strangers_.size(); ++i) {
      if (polled[i + 1].revents != 0) hear(strangers_[i]);
    }
    std::erase_if(strangers_,
                  [](const Stranger& stranger) { return !stranger.caller.socket.is_open(); });
    return polled[0].revents != 0 ? accept_one() : Outcome<>();
  }

 private:
  struct Stranger {
    Caller caller;
    std::string said{};
  };

  Outcome<> accept_one() {
    Outcome<std::optional<Caller>> caller = accept_on(listener_);
    if (!caller) return caller.failure();
    if (!*caller) return {};
    if (strangers_.size() == kMaxStrangers) {
      refuse(strangers_.front(), "it has not said which host it is, and there are many like it");
      strangers_.erase(strangers_.begin());
    }
    strangers_.push_back({std::move(**caller)});
    return {};
  }

  // Reads no byte more than the rank, because packets follow.
  void hear(Stranger& stranger) {
    std::array<char, Dance::kGreetingBytes> bytes;
    const ssize_t got =
        ::recv(stranger.caller.socket.get(), bytes.data(), bytes.size() - stranger.said.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0)
      return refuse(stranger,
                    std::string("its connection has ended: recv: ") + std::strerror(errno));
    if (got == 0)
      return refuse(stranger, "it closed its connection before it said which host it is");
    stranger.said.append(bytes.data(), static_cast<std::size_t>(got));
    if (stranger.said.size() < Dance::kGreetingBytes) return;
    Outcome<std::uint32_t> host = dance_.greeted(stranger.said);
    if (!host) return refuse(stranger, host.sentence());
    sockets_[*host] = std::move(stranger.caller.socket);
  }

  void refuse(Stranger& stranger, const std::string& why) {
    LINTEL_LOG(kWarn, "impi: the connection from %s to %s was closed: %s",
               text_of(stranger.caller.address).c_str(), text_of(own_).c_str(), why.c_str());
    stranger.caller.socket.close();
  }

  Dance& dance_;
  Socket listener_;
  TcpAddress own_;
  std::vector<Socket>& sockets_;
  std::vector<Stranger> strangers_;
};

// Connects and sends the rank of this host. A new connection has room for it.
Outcome<Socket> call_host(const Dance::Call& call, const Dance& dance, TimePoint deadline) {
  Outcome<Socket> socket = connect_to({call.ipv4, call.port}, dance.own_ipv4(), deadline);
  if (!socket) return socket.failure();
  const std::string greeting = dance.greeting();
  if (::send(socket->get(), greeting.data(), greeting.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(greeting.size()))
    return Problem{std::string("its connection has ended: send: ") + std::strerror(errno)};
  return socket;
}

}  // namespace

Outcome<std::vector<Socket>> connect_hosts(const JobLayout& layout, std::uint32_t own,
                                           Socket listener, TimePoint deadline) {
  Outcome<Dance> dance = Dance::of(layout, own);
  if (!dance) return dance.failure();
  std::vector<Socket> sockets(layout.hosts.size());
  for (const Dance::Call& call : dance->calls()) {
    Outcome<Socket> socket = call_host(call, *dance, deadline);
    if (!socket) return Problem{text_of_host(layout, call.host) + ": " + socket.sentence()};
    dance->called(call.host);
    sockets[call.host] = std::move(*socket);
  }
  Callers callers(*dance, std::move(listener), sockets);
  while (!dance->is_complete()) {
    if (Outcome<> served = callers.serve(deadline); !served) return served.failure();
    if (dance->is_complete() || monotonic_now() < deadline) continue;
    return Problem{text_of_host(layout, dance->missing().front()) + " has not connected to " +
                   text_of(callers.own()) + " in time"};
  }
  return sockets;
}

}  // namespace lintel::mpi::impi
