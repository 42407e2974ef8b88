// Makes connections.
//
// A process connects to a peer when it has something to send. Of two simultaneous connect requests,
// that of the process with the lower name is kept. A connect request under the name of a peer that
// has an open connection is refused: any process of a shared address could send it. If it is of the
// peer, which has lost its connection or was started again, the sink finds this out by asking the
// peer on the connection, and the request, which is repeated, is accepted then.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/log.h"
#include "transport/direct/connection.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr int kAcceptsPerPoll = 64;

constexpr Error kNoRecord{Loss::kPeer, "connect", "this process has no memory for a connection",
                          ENOMEM};
constexpr Error kDescriptorClosed{Loss::kPeer, "connect", kClosedByOthers, EBADF};
constexpr Error kSuperseded{Loss::kPeer, "accept", "the peer has begun a connection anew",
                            ECONNRESET};

}  // namespace

// ---- Connecting

// Connects to the peer, unless it is too early for another attempt. Does not throw: without memory
// the attempt has failed, and is repeated like others.
void DirectTransport::connect(PeerId id) {
  DirectPeer& peer = peers_[id];
  if (peer.failed || (closing_ && !is_suspended(id))) return;
  if (descriptors_closed_) return fail(id, kDescriptorClosed);
  if (!attempts_.may_try(peer.attempt, now_)) return;
  if (peer.connecting != nullptr) {
    if (now_ <= end_of(*peer.connecting)) return;
    give_up_attempt(*peer.connecting);
  }
  attempts_.begin(peer.attempt, now_);
  if (!has_spare_connection()) return refused(id, kNoRecord);
  Result<PrivateDescriptor> started =
      connect_from(listener_.address(), socket_address_of(peer.name, options_.port_base).value());
  if (!started) {
    if (is_suspended(id) && started.error().code() == ECONNREFUSED)
      return fail(id, peer.connection->suspension.loss());
    return refused(id, started.error());
  }
  DirectConnection& connection = connections_.take_spare();
  connection.begin(std::move(started).value(), DirectConnection::Phase::kConnecting, buffers_);
  connection.peer = id;
  connection.begun_at = now_;
  peer.connecting = &connection;
  peer.attempt.in_progress = true;
  ++opening_count_;
  watch_for(connection, EPOLLOUT);
}

// When another attempt is to follow, because the connection may be stuck, or may have ended at the
// other side. A peer that polls rarely needs time for each step.
TimePoint DirectTransport::end_of(const DirectConnection& attempt) const {
  const Nanoseconds limit = std::min(options_.output_timeout, options_.connect_timeout);
  return attempt.begun_at + (attempt.phase == DirectConnection::Phase::kConnecting
                                 ? kAttemptTime
                                 : std::max<Nanoseconds>(kAttemptTime, limit / kQuarters));
}

// There is a record that no connection uses. False: there is no memory for one.
bool DirectTransport::has_spare_connection() {
  const InboundStream::PieceLimits limits{
      attributes_.max_message_bytes, attributes_.max_write_bytes, attributes_.max_placed_bytes};
  return connections_.has_spare(limits, [this](std::size_t connections) {
    lock_.is_held();
    for (std::vector<DirectConnection*>* const list :
         {&sending_, &ending_, &stalled_, &resuming_stalled_, &suspended_, &acknowledging_})
      make_room(*list, connections);
  });
}

// The attempt could not begin because of `obstacle`, or nothing listens at the peer's address, or
// the peer refused the request.
void DirectTransport::refused(PeerId id, Error obstacle) {
  attempts_.refused(peers_[id].attempt, now_, obstacle);
}

// A connection that is being made comes to nothing, because of `obstacle` if this process has met
// one. If this process has begun it, it tries again.
void DirectTransport::give_up_attempt(DirectConnection& connection, Error obstacle) {
  const PeerId requested = connection.peer;
  tear_down(connection);
  if (requested != kNoPeer) refused(requested, obstacle);
}

// A connection that is being made is readable or writable, or has ended.
void DirectTransport::on_handshake_ready(DirectConnection& connection, std::uint32_t events) {
  const PeerId peer = connection.peer;
  if (connection.phase == DirectConnection::Phase::kConnecting) {
    const int outcome = outcome_of_connect(connection.fd.get());
    const bool resumes = is_suspended(peer);
    // A process listens as long as it lives.
    if (resumes && outcome == ECONNREFUSED)
      return fail(peer, peers_[peer].connection->suspension.loss());
    const bool begun =
        outcome == 0 && greeter_.send(connection.fd.get(), peers_[peer].name,
                                      resumes ? GreetingKind::kResume : GreetingKind::kConnect,
                                      resumes ? connection.exchange.draw(nonces_) : Resumption());
    if (!begun) return give_up_attempt(connection);
    connection.phase = DirectConnection::Phase::kRequested;
    connection.begun_at = now_;
    return watch_for(connection, EPOLLIN);
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  while (!connection.greeting.is_complete()) {
    const iovec rest = connection.greeting.room();
    const ssize_t got = receive_from(connection.fd.get(), {&rest, 1});
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return give_up_attempt(connection);
    connection.greeting.arrived(static_cast<std::size_t>(got));
  }
  on_greeting(connection);
}

void DirectTransport::on_greeting(DirectConnection& connection) {
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
          : htonl(from.nid.value) == connection.address.sin_addr.s_addr && from != self_;
  const Greeter::Verdict verdict = greeter_.judge(greeting);
  if (verdict != Greeter::Verdict::kForThisProcess || !believed) {
    if (verdict == Greeter::Verdict::kOtherVersion) log_other_version(from, greeting.version);
    ++counters_.refused_connections;
    return give_up_attempt(connection);
  }
  const auto kind = static_cast<GreetingKind>(greeting.kind);
  if (has_resumption(greeting.kind)) return on_resumption(connection, greeting);
  if (is_answer && kind == GreetingKind::kNoStream) return on_no_stream(connection);
  if (!is_answer) {
    if (kind == GreetingKind::kConnect && connection.phase == DirectConnection::Phase::kAccepted)
      return on_connect_request(connection, greeting);
    return tear_down(connection);
  }
  if (kind == GreetingKind::kAccept && peers_[requested].connection == nullptr)
    return opened(connection, requested, greeting);
  give_up_attempt(connection);
}

// A few times: the log is no place for a stranger to fill.
void DirectTransport::log_other_version(ProcessId from, unsigned version) {
  constexpr std::uint64_t kLogged = 16;
  if (++counters_.other_versions > kLogged) return;
  LINTEL_LOG(kWarn,
             "refused a connection with %s pid %u: it speaks version %u of the stream of direct; "
             "expected: version %u, as this process",
             to_string(from.nid).c_str(), from.pid.value, version, unsigned{kStreamVersion});
}

// ---- Accepting

void DirectTransport::accept_connections() {
  for (int count = 0; count < kAcceptsPerPoll; ++count) {
    if (!has_spare_connection()) return listener_.pause(now_, events_);
    AcceptedSocket accepted = listener_.accept(now_, events_);
    if (!accepted.fd.is_open()) {
      if (accepted.error == 0) return;
      continue;
    }
    DirectConnection& connection = connections_.take_spare();
    connection.begin(std::move(accepted.fd), DirectConnection::Phase::kAccepted, buffers_);
    connection.address = accepted.address;
    ++opening_count_;
    take_place(half_open_, connection);
    watch_for(connection, EPOLLIN);
  }
}

void DirectTransport::on_connect_request(DirectConnection& connection, const Greeting& greeting) {
  // The peer may have accepted one of this process meanwhile, which must not give way to this one.
  if (has_been_ended(connection.fd.get())) return tear_down(connection);
  const ProcessId from = sender_of(greeting);
  const Result<PeerId> resolved = resolve(from);
  if (!resolved || closing_) {
    ++counters_.refused_connections;
    return tear_down(connection);
  }
  DirectPeer& peer = peers_[resolved.value()];
  // Only a request that has reached the peer counts: another one may take a long time.
  const bool simultaneous = peer.connecting != nullptr &&
                            peer.connecting->phase == DirectConnection::Phase::kRequested &&
                            self_ < from;
  const bool is_older = peer.connection != nullptr &&
                        peer.peer_incarnation == greeting.incarnation &&
                        greeting.generation <= peer.peer_generation;
  if (simultaneous || is_older) return refuse_simultaneous(connection, from);
  if (peer.connection != nullptr && peer.connection->phase == DirectConnection::Phase::kOpen)
    receive_last(*peer.connection);
  // A connection on which nobody has proved anything, as those that are half-open, keeps no other
  // process of the name away.
  if (peer.connection != nullptr && !peer.connection->gives_way()) {
    ++counters_.contested;
    tear_down(connection);
    return sink_->on_contested(resolved.value());
  }
  if (peer.connection != nullptr) fail(resolved.value(), kSuperseded);
  if (peer.connecting != nullptr) {
    ++counters_.simultaneous_connects;
    tear_down(*peer.connecting);
  }
  if (!greeter_.send(connection.fd.get(), from, GreetingKind::kAccept))
    return tear_down(connection);
  await_proof(connection);
  opened(connection, resolved.value(), greeting);
}

// Its request was answered. Those that send nothing no longer compete with it for a place.
void DirectTransport::await_proof(DirectConnection& connection) {
  half_open_.remove(connection);
  take_place(unproved_, connection);
}

void DirectTransport::take_place(HalfOpenConnections& list, DirectConnection& connection) {
  if (HalfOpenConnection* const oldest = list.displaced_by_next(); oldest != nullptr)
    drop_half_open(*oldest);
  list.add(connection, now_);
}

void DirectTransport::opened(DirectConnection& connection, PeerId id, const Greeting& greeting) {
  DirectPeer& peer = peers_[id];
  LINTEL_ASSERT(peer.connection == nullptr);
  if (peer.connecting == &connection) peer.clear_connecting();
  connection.phase = DirectConnection::Phase::kOpen;
  connection.peer = id;
  connection.binding = binding_of(connection.fd.get(), listener_.address());
  peer.connection = &connection;
  outbound_.set_apart(peer.frames, connection.is_of_unproved_caller());
  peer.peer_incarnation = greeting.incarnation;
  peer.peer_generation = greeting.generation;
  --opening_count_;
  ++open_count_;
  attempts_.end(peer.attempt);
  watch_for(connection, EPOLLIN);
  if (!peer.failed) note_recent(connection);  // else it is read after the loss has been reported
}

// A connection that was resumed is still the one that it began as.
ConnectionBinding DirectTransport::binding(PeerId id) const {
  lock_.is_held();
  const DirectConnection* const connection = peers_[id].connection;
  return connection == nullptr ? ConnectionBinding() : connection->binding;
}

void DirectTransport::allow_resumption(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  DirectConnection* const connection = peers_[id].connection;
  if (connection != nullptr && !connection->is_admitted) connection->key = key;
}

void DirectTransport::admit(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  DirectPeer& peer = peers_[id];
  DirectConnection* const connection = peer.connection;
  if (connection == nullptr) return;
  connection->is_admitted = true;
  outbound_.set_apart(peer.frames, false);
  connection->key = key;
  unproved_.remove(*connection);
}

}  // namespace lintel::transport
