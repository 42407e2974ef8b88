// A TCP connection that is lost is replaced by another one.
//
// Either side may make it, and both may at once; of two requests that meet, that of the process
// with the lower name is kept, as of connect requests, unless it is stuck. The requester is
// challenged, proves itself, and says how much has arrived; the other side does likewise, and both
// go on from there. Nothing changes for a connection before the other side has proved itself,
// because everybody can ask.
//
// If nobody listens at the peer's address, or somebody does who knows no such connection, then the
// process that knew it, or its session, has ended.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.h"
#include "base/log.h"
#include "transport/direct/connection.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr Error kReplaced{Loss::kPeer, "recv", "the peer has lost the connection"};
constexpr Error kImpossible{Loss::kPeer, "resume",
                            "the peer says that more has arrived than was sent to it", EPROTO};

// Another connection would meet it too: memory that the program has taken away, a limit of the
// system, or descriptors that others have closed and that may be those of other files now.
bool is_of_this_process(Error error) {
  constexpr int kCodes[] = {EBADF, ENOTSOCK, EFAULT, EINVAL, EPERM, ENOMEM, ENOSPC};
  return std::find(std::begin(kCodes), std::end(kCodes), error.code()) != std::end(kCodes);
}

}  // namespace

bool DirectTransport::is_suspended(PeerId id) const {
  const DirectPeer& peer = peers_[id];
  return peer.connection != nullptr &&
         peer.connection->phase == DirectConnection::Phase::kSuspended;
}

// ---- Losing

// The TCP connection of an open connection is of no use any more.
void DirectTransport::lost(DirectConnection& connection, Error error) {
  const bool has_ended = closing_ && connection.outbound.empty();  // nothing is left to be sent
  if (!connection.can_resume() || has_ended || is_of_this_process(error))
    return fail(connection.peer, error);
  suspend(connection, error);
  resume_suspended();
}

void DirectTransport::suspend(DirectConnection& connection, Error error) {
  LINTEL_ASSERT(connection.phase == DirectConnection::Phase::kOpen);
  ++counters_.interrupted;
  connection.is_ending = false;
  connection.stream->interrupt();
  connection.outbound.interrupt();
  connection.suspension.begin(error,
                              connection.stream->position() + connection.outbound.acknowledged(),
                              now_, options_.output_timeout);
  leave_lists(connection);
  close_socket(connection);
  connection.phase = DirectConnection::Phase::kSuspended;
  --open_count_;
  suspended_.push_back(&connection);
}

void DirectTransport::interrupt(PeerId id) {
  lock_.is_held();
  const DirectConnection* const connection = peers_[id].connection;
  // The next poll() notices it.
  if (connection != nullptr && connection->fd.is_open()) reset_connection(connection->fd.get());
}

void DirectTransport::interrupt_if_silent(PeerId id) {
  lock_.is_held();
  const DirectConnection* const connection = peers_[id].connection;
  if (connection != nullptr && connection->fd.is_open() &&
      silence_of(connection->fd.get()) >= options_.output_timeout / kQuarters)
    interrupt(id);
}

// Makes another attempt for each of them, unless it is too early, or gives the peer up.
void DirectTransport::resume_suspended() {
  for (std::size_t i = suspended_.size(); i-- > 0;) {
    DirectConnection& connection = *suspended_[i];
    const PeerId id = connection.peer;
    if (now_ >= connection.suspension.until()) {
      fail(id, connection.suspension.loss());
      continue;
    }
    // Who has called and proved nothing comes by itself. Nobody waits for him in the end.
    if (connection.is_of_unproved_caller()) {
      if (closing_) fail(id, connection.suspension.loss());
      continue;
    }
    connect(id);
  }
}

// ---- Requesting

// A greeting that begins or goes on with a resumption. Its names were checked.
void DirectTransport::on_resumption(DirectConnection& connection, const Greeting& greeting) {
  const auto kind = static_cast<GreetingKind>(greeting.kind);
  const Resumption resumption = connection.greeting.resumption();
  connection.greeting.begin();
  switch (connection.phase) {
    case DirectConnection::Phase::kAccepted:
      if (kind == GreetingKind::kResume) return on_resume_request(connection, greeting, resumption);
      break;
    case DirectConnection::Phase::kChallenged:
      if (kind == GreetingKind::kProof) return on_proof(connection, greeting, resumption);
      break;
    case DirectConnection::Phase::kRequested:
      if (kind == GreetingKind::kChallenge && is_suspended(connection.peer))
        return on_challenge(connection, resumption);
      break;
    case DirectConnection::Phase::kProving:
      if (kind == GreetingKind::kResumed && is_suspended(connection.peer))
        return on_resumed(connection, greeting, resumption);
      break;
    default: break;
  }
  ++counters_.refused_connections;
  give_up_attempt(connection);
}

void DirectTransport::on_challenge(DirectConnection& connection, const Resumption& resumption) {
  const PeerId id = connection.peer;
  const DirectConnection& suspended = *peers_[id].connection;
  connection.exchange.note_nonce_of_peer(resumption);
  connection.begun_at = now_;
  const Parties both = parties(connection, id);
  const Resumption proof =
      connection.exchange.prove_request(suspended.key, both.self, both.peer,
                                        greeter_.next_generation(), suspended.stream->position());
  if (!greeter_.send(connection.fd.get(), both.peer.name, GreetingKind::kProof, proof))
    return give_up_attempt(connection);
  connection.phase = DirectConnection::Phase::kProving;
}

void DirectTransport::on_resumed(DirectConnection& connection, const Greeting& greeting,
                                 const Resumption& resumption) {
  const PeerId id = connection.peer;
  DirectConnection& suspended = *peers_[id].connection;
  if (!connection.exchange.is_resumed_by(suspended.key, parties(connection, id).peer,
                                         greeting.generation, resumption)) {
    ++counters_.refused_connections;
    return give_up_attempt(connection);
  }
  peers_[id].peer_generation = greeting.generation;
  if (!acknowledged(suspended, resumption.received)) return fail(id, kImpossible);
  go_on(suspended, connection);
}

// The process at the peer's address knows no such connection.
void DirectTransport::on_no_stream(DirectConnection& connection) {
  const PeerId id = connection.peer;
  if (is_suspended(id)) return fail(id, peers_[id].connection->suspension.loss());
  give_up_attempt(connection);
}

// ---- Answering

void DirectTransport::on_resume_request(DirectConnection& connection, const Greeting& greeting,
                                        const Resumption& resumption) {
  const ProcessId from = sender_of(greeting);
  const PeerId known = peers_.find(from);
  if (known == kNoPeer) return refuse_resumption(connection, from);
  const DirectPeer& peer = peers_[known];
  if (peer.connection == nullptr || !peer.connection->can_resume() ||
      peer.peer_incarnation != greeting.incarnation)
    return refuse_resumption(connection, from);
  if (own_request_is_kept(peer)) return refuse_simultaneous(connection, from);
  connection.resumes = known;
  connection.exchange.note_nonce_of_peer(resumption);
  if (!greeter_.send(connection.fd.get(), from, GreetingKind::kChallenge,
                     connection.exchange.draw(nonces_)))
    return tear_down(connection);
  await_proof(connection);
  connection.phase = DirectConnection::Phase::kChallenged;
}

// Of two requests that meet, that of the lower name is kept; but not for long without an answer,
// because its connection may be stuck. One that was challenged has met the peer.
bool DirectTransport::own_request_is_kept(const DirectPeer& peer) const {
  const DirectConnection* const own = peer.connecting;
  if (own == nullptr || own->phase == DirectConnection::Phase::kConnecting || peer.name < self_)
    return false;
  return own->phase == DirectConnection::Phase::kProving || now_ - own->begun_at <= kMeetingTime;
}

void DirectTransport::refuse_simultaneous(DirectConnection& connection, ProcessId to) {
  ++counters_.simultaneous_connects;
  greeter_.send(connection.fd.get(), to, GreetingKind::kSimultaneous);
  tear_down(connection);
}

void DirectTransport::refuse_resumption(DirectConnection& connection, ProcessId to) {
  ++counters_.refused_connections;
  greeter_.send(connection.fd.get(), to, GreetingKind::kNoStream);
  tear_down(connection);
}

void DirectTransport::on_proof(DirectConnection& connection, const Greeting& greeting,
                               const Resumption& resumption) {
  const PeerId id = connection.resumes;
  DirectPeer& peer = peers_[id];
  DirectConnection* const old = peer.connection;
  // It may have ended since it was asked for.
  if (old == nullptr || !old->can_resume()) return refuse_resumption(connection, peer.name);
  if (own_request_is_kept(peer)) return refuse_simultaneous(connection, peer.name);
  const Parties both = parties(connection, id);
  if (!connection.exchange.is_request_of(old->key, both.self, both.peer, greeting.generation,
                                         resumption))
    return refuse_resumption(connection, peer.name);
  // An attempt that the peer has given up, and that was long on its way.
  if (greeting.generation <= peer.peer_generation) return tear_down(connection);
  peer.peer_generation = greeting.generation;
  if (old->phase == DirectConnection::Phase::kOpen) suspend(*old, kReplaced);
  if (peer.connecting != nullptr) {
    ++counters_.simultaneous_connects;
    tear_down(*peer.connecting);
  }
  if (!acknowledged(*old, resumption.received)) {
    tear_down(connection);
    return fail(id, kImpossible);
  }
  const Resumption proof = connection.exchange.prove_resumed(
      old->key, both.self, greeter_.next_generation(), old->stream->position());
  if (!greeter_.send(connection.fd.get(), peer.name, GreetingKind::kResumed, proof))
    return tear_down(connection);
  go_on(*old, connection);
}

// ---- Both

DirectTransport::Parties DirectTransport::parties(const DirectConnection& connection,
                                                  PeerId id) const {
  const DirectPeer& peer = peers_[id];
  Parties both{{self_, greeter_.incarnation(), {}}, {peer.name, peer.peer_incarnation, {}}};
  addresses_of(connection.fd.get(), both.self.end, both.peer.end);
  return both;
}

// `replacement` gives its socket to the suspended connection and ends.
void DirectTransport::go_on(DirectConnection& connection, DirectConnection& replacement) {
  const PeerId id = connection.peer;
  stop_watching(replacement);
  connection.fd = std::move(replacement.fd);
  tear_down(replacement);
  std::erase(suspended_, &connection);
  attempts_.end(peers_[id].attempt);
  connection.phase = DirectConnection::Phase::kOpen;
  connection.suspension.resumed(now_);
  ++open_count_;
  ++counters_.resumed;
  connection.outbound.resume(connection.stream->position());
  watch_for(connection, EPOLLIN);
  note_recent(connection);
  if (connection.outbound.waits()) begin_waiting(connection);
  LINTEL_LOG(kInfo, "the connection to %s pid %u was lost and is resumed: %s",
             to_string(peers_[id].name.nid).c_str(), peers_[id].name.pid.value,
             connection.suspension.loss().reason());
}

}  // namespace lintel::transport
