// Connects and accepts. Greetings that resume are in resuming_handshakes.cpp.
#include "transport/direct/handshakes.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/assert.h"
#include "base/log.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kAcceptsPerPoll = 64;

constexpr Error kNoRecord{Loss::kPeer, "connect", "this process has no memory for a connection",
                          ENOMEM};
constexpr Error kSuperseded{Loss::kPeer, "accept", "the peer has begun a connection anew",
                            ECONNRESET};
constexpr Error kNobodyThere{Loss::kPeer, "connect",
                             "nobody accepts a connection at the peer's address", ETIMEDOUT};
constexpr Error kNotAdmitted{Loss::kPeer, "accept", "the peer has connected and begun no session",
                             ETIMEDOUT};

}  // namespace

Handshakes::Handshakes(const NetworkOptions& options, Owner& owner, DirectPeers& peers,
                       ConnectionRecords& records, SocketEvents& events, StreamBuffers& buffers,
                       DirectCounters& counters)
    : options_(options),
      owner_(owner),
      peers_(peers),
      records_(records),
      events_(events),
      buffers_(buffers),
      counters_(counters),
      attempts_(options.connect_timeout),
      half_open_(kMaxHalfOpen, options.connect_timeout),
      unproved_(kMaxHalfOpen, options.connect_timeout) {}

Error Handshakes::listen() {
  if (const Error error = listener_.open(options_, events_); !error.ok()) return error;
  greeter_.set_self(listener_.name());
  return {};
}

// ---- Connecting

void Handshakes::connect(PeerId id) {
  DirectPeer& peer = peers_[id];
  if (peer.failed || (closing_ && !is_suspended(peer))) return;
  if (!attempts_.may_try(peer.attempt, now_)) return;
  if (peer.connecting != nullptr) {
    if (now_ <= end_of(*peer.connecting)) return;
    give_up(*peer.connecting);
  }
  attempts_.begin(peer.attempt, now_);
  if (!owner_.has_spare_connection()) return refused(id, kNoRecord);
  Result<PrivateDescriptor> started =
      connect_from(listener_.address(), socket_address_of(peer.name, options_.port_base).value());
  if (!started) {
    if (is_suspended(peer) && started.error().code() == ECONNREFUSED)
      return owner_.fail(id, peer.connection->suspension.loss());
    return refused(id, started.error());
  }
  DirectConnection& connection = records_.take_spare();
  connection.begin(std::move(started).value(), DirectConnection::Phase::kConnecting, buffers_);
  connection.peer = id;
  connection.begun_at = now_;
  peer.connecting = &connection;
  peer.attempt.in_progress = true;
  ++under_way_;
  owner_.watch_for(connection, EPOLLOUT);
}

TimePoint Handshakes::end_of(const DirectConnection& attempt) const {
  const Nanoseconds limit = std::min(options_.output_timeout, options_.connect_timeout);
  return attempt.begun_at + (attempt.phase == DirectConnection::Phase::kConnecting
                                 ? kAttemptTime
                                 : std::max<Nanoseconds>(kAttemptTime, limit / kOutputQuarters));
}

// The attempt could not begin because of `obstacle`, or nothing listens at the peer's address, or
// the peer refused the request.
void Handshakes::refused(PeerId id, Error obstacle) {
  attempts_.refused(peers_[id].attempt, now_, obstacle);
}

void Handshakes::give_up(DirectConnection& connection, Error obstacle) {
  const PeerId requested = connection.peer;
  owner_.tear_down(connection);
  if (requested != kNoPeer) refused(requested, obstacle);
}

void Handshakes::on_ready(DirectConnection& connection, std::uint32_t events) {
  const PeerId peer = connection.peer;
  if (connection.phase == DirectConnection::Phase::kConnecting) {
    const int outcome = outcome_of_connect(connection.fd.get());
    const bool resumes = is_suspended(peers_[peer]);
    // A process listens as long as it lives.
    if (resumes && outcome == ECONNREFUSED)
      return owner_.fail(peer, peers_[peer].connection->suspension.loss());
    const bool begun =
        outcome == 0 && send(connection, peers_[peer].name,
                             resumes ? GreetingKind::kResume : GreetingKind::kConnect,
                             resumes ? connection.exchange.draw(nonces_) : Resumption());
    if (!begun) return give_up(connection);
    connection.phase = DirectConnection::Phase::kRequested;
    connection.begun_at = now_;
    return owner_.watch_for(connection, EPOLLIN);
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  while (!connection.greeting.is_complete()) {
    const iovec rest = connection.greeting.room();
    const ssize_t got = receive_from(connection.fd.get(), {&rest, 1});
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return give_up(connection);
    connection.greeting.arrived(static_cast<std::size_t>(got));
  }
  on_greeting(connection);
}

void Handshakes::on_greeting(DirectConnection& connection) {
  const Greeting greeting = connection.greeting.greeting();
  const PeerId requested = connection.peer;
  const ProcessId from = sender_of(greeting);
  const bool is_answer = connection.phase == DirectConnection::Phase::kRequested ||
                         connection.phase == DirectConnection::Phase::kProving;
  const PeerId named = is_answer ? requested : connection.resumes;
  // A sender must have the address that it names.
  const bool believed =
      named != kNoPeer
          ? from == peers_[named].name
          : htonl(from.nid.value) == connection.address.sin_addr.s_addr && from != greeter_.self();
  const Greeter::GreetingVerdict verdict = greeter_.judge(greeting);
  if (verdict != Greeter::GreetingVerdict::kForThisProcess || !believed) {
    if (verdict == Greeter::GreetingVerdict::kOtherVersion)
      log_other_version(from, greeting.version);
    ++counters_.refused_connections;
    return give_up(connection);
  }
  const auto kind = static_cast<GreetingKind>(greeting.kind);
  if (has_resumption(greeting.kind)) return on_resumption(connection, greeting);
  if (is_answer && kind == GreetingKind::kNoStream) return on_no_stream(connection);
  if (!is_answer) {
    if (kind == GreetingKind::kConnect && connection.phase == DirectConnection::Phase::kAccepted)
      return on_connect_request(connection, greeting);
    return owner_.tear_down(connection);
  }
  if (kind == GreetingKind::kAccept && peers_[requested].connection == nullptr)
    return opened(connection, requested, greeting);
  give_up(connection);
}

// A few times: a stranger must not fill the log.
void Handshakes::log_other_version(ProcessId from, unsigned version) {
  constexpr std::uint64_t kLogged = 16;
  if (++counters_.other_versions > kLogged) return;
  LINTEL_LOG(kWarn,
             "refused a connection with %s pid %u: it speaks version %u of the stream of direct; "
             "expected: version %u, as this process",
             to_string(from.nid).c_str(), from.pid.value, version, unsigned{kStreamVersion});
}

// ---- Accepting

void Handshakes::accept_connections() {
  for (int count = 0; count < kAcceptsPerPoll; ++count) {
    if (!owner_.has_spare_connection()) return listener_.pause(now_, events_);
    AcceptedSocket accepted = listener_.accept(now_, events_);
    if (!accepted.fd.is_open()) {
      if (accepted.error == 0) return;
      continue;
    }
    DirectConnection& connection = records_.take_spare();
    connection.begin(std::move(accepted.fd), DirectConnection::Phase::kAccepted, buffers_);
    connection.address = accepted.address;
    ++under_way_;
    take_place(half_open_, connection);
    owner_.watch_for(connection, EPOLLIN);
  }
}

void Handshakes::on_connect_request(DirectConnection& connection, const Greeting& greeting) {
  // The peer may have accepted a request of this process meanwhile. That connection stays.
  if (has_been_ended(connection.fd.get())) return owner_.tear_down(connection);
  const auto refuse = [&] {
    ++counters_.refused_connections;
    owner_.tear_down(connection);
  };
  if (closing_) return refuse();
  const ProcessId from = sender_of(greeting);
  const bool is_new = peers_.find(from) == kNoPeer;
  const Result<PeerId> resolved = owner_.peer_named(from);
  if (!resolved) return refuse();
  DirectPeer& peer = peers_[resolved.value()];
  // A request of this process counts only if it has reached the peer. Otherwise it may take long.
  const bool simultaneous = peer.connecting != nullptr &&
                            peer.connecting->phase == DirectConnection::Phase::kRequested &&
                            greeter_.self() < from;
  const bool is_older = peer.connection != nullptr &&
                        peer.peer_incarnation == greeting.incarnation &&
                        greeting.generation <= peer.peer_generation;
  if (simultaneous || is_older) return refuse_simultaneous(connection, from);
  if (peer.connection != nullptr && peer.connection->phase == DirectConnection::Phase::kOpen)
    owner_.receive_last(*peer.connection);
  // A connection on which nobody has proved anything gives way to another request under its name.
  if (peer.connection != nullptr && !peer.connection->gives_way()) {
    ++counters_.contested;
    owner_.tear_down(connection);
    return owner_.contested(resolved.value());
  }
  if (peer.connection != nullptr) owner_.fail(resolved.value(), kSuperseded);
  if (peer.connecting != nullptr) {
    ++counters_.simultaneous_connects;
    owner_.tear_down(*peer.connecting);
  }
  if (!send(connection, from, GreetingKind::kAccept)) {
    owner_.tear_down(connection);
    // Nobody has been told of a new peer, so nobody would forget it.
    if (is_new) peers_.forget(resolved.value());
    return;
  }
  await_proof(connection);
  opened(connection, resolved.value(), greeting);
}

// Its request was answered. Those that send nothing no longer compete with it for a place.
void Handshakes::await_proof(DirectConnection& connection) {
  half_open_.remove(connection);
  take_place(unproved_, connection);
}

void Handshakes::take_place(HalfOpenConnections& list, DirectConnection& connection) {
  if (HalfOpenConnection* const oldest = list.displaced_by_next(); oldest != nullptr)
    drop_half_open(*oldest);
  list.add(connection, now_);
}

void Handshakes::opened(DirectConnection& connection, PeerId id, const Greeting& greeting) {
  DirectPeer& peer = peers_[id];
  LINTEL_ASSERT(peer.connection == nullptr);
  if (peer.connecting == &connection) peer.clear_connecting();
  connection.phase = DirectConnection::Phase::kOpen;
  connection.peer = id;
  connection.binding = binding_of(connection.fd.get(), listener_.address());
  peer.connection = &connection;
  peer.peer_incarnation = greeting.incarnation;
  peer.peer_generation = greeting.generation;
  --under_way_;
  attempts_.end(peer.attempt);
  owner_.opened(connection);
}

void Handshakes::refuse_simultaneous(DirectConnection& connection, ProcessId to) {
  ++counters_.simultaneous_connects;
  send(connection, to, GreetingKind::kSimultaneous);
  owner_.tear_down(connection);
}

// ---- Ending

void Handshakes::forget(DirectConnection& connection) {
  if (!connection.has_streams()) --under_way_;
  (connection.phase == DirectConnection::Phase::kAccepted ? half_open_ : unproved_)
      .remove(connection);
  if (connection.peer != kNoPeer && peers_[connection.peer].connecting == &connection)
    peers_[connection.peer].clear_connecting();
}

// Ends attempts that have taken too long, and accepted connections that send nothing.
void Handshakes::expire_overdue() {
  attempts_.expire(now_, [this](PeerId id, ConnectAttempts::Expiry end) {
    const Error obstacle = peers_[id].attempt.obstacle;
    if (is_suspended(peers_[id])) return connect(id);  // it has a limit of its own: they begin anew
    if (end == ConnectAttempts::Expiry::kTimedOut)
      return owner_.fail(id, obstacle.ok() ? kNobodyThere : obstacle);
    if (peers_[id].connecting != nullptr) owner_.tear_down(*peers_[id].connecting);
  });
  listener_.end_pause(now_, events_);
  for (HalfOpenConnections* const list : {&half_open_, &unproved_}) {
    while (HalfOpenConnection* const silent = list->overdue(now_)) drop_half_open(*silent);
  }
}

// The connect request has not arrived in time, or nothing that made the owner admit the peer; or
// another connection needs the place.
void Handshakes::drop_half_open(HalfOpenConnection& half_open) {
  ++counters_.refused_connections;
  auto& connection = static_cast<DirectConnection&>(half_open);
  if (connection.has_streams()) return owner_.fail(connection.peer, kNotAdmitted);
  owner_.tear_down(connection);
}

}  // namespace lintel::transport
