// How a connection takes the place of one whose TCP connection was lost.
#include <cerrno>
#include <utility>

#include "base/log.h"
#include "transport/direct/handshakes.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr Error kReplaced{Loss::kPeer, "recv", "the peer has lost the connection"};
constexpr Error kImpossible{Loss::kPeer, "resume",
                            "the peer says that more has arrived than was sent to it", EPROTO};

}  // namespace

// A greeting that begins or goes on with a resumption. Its names were checked.
void Handshakes::on_resumption(DirectConnection& connection, const Greeting& greeting) {
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
      if (kind == GreetingKind::kChallenge && is_suspended(peers_[connection.peer]))
        return on_challenge(connection, resumption);
      break;
    case DirectConnection::Phase::kProving:
      if (kind == GreetingKind::kResumed && is_suspended(peers_[connection.peer]))
        return on_resumed(connection, greeting, resumption);
      break;
    default: break;
  }
  ++counters_.refused_connections;
  give_up(connection);
}

void Handshakes::on_challenge(DirectConnection& connection, const Resumption& resumption) {
  const PeerId id = connection.peer;
  const DirectConnection& suspended = *peers_[id].connection;
  connection.exchange.note_nonce_of_peer(resumption);
  connection.begun_at = now_;
  const Parties both = parties(connection, id);
  const Resumption proof =
      connection.exchange.prove_request(suspended.key, both.self, both.peer,
                                        greeter_.next_generation(), suspended.stream->position());
  if (!send(connection, both.peer.name, GreetingKind::kProof, proof)) return give_up(connection);
  connection.phase = DirectConnection::Phase::kProving;
}

void Handshakes::on_resumed(DirectConnection& connection, const Greeting& greeting,
                            const Resumption& resumption) {
  const PeerId id = connection.peer;
  DirectConnection& suspended = *peers_[id].connection;
  if (!connection.exchange.is_resumed_by(suspended.key, parties(connection, id).peer,
                                         greeting.generation, resumption)) {
    ++counters_.refused_connections;
    return give_up(connection);
  }
  peers_[id].peer_generation = greeting.generation;
  if (!owner_.acknowledged(suspended, resumption.received)) return owner_.fail(id, kImpossible);
  go_on(suspended, connection);
}

// The process at the peer's address knows no such connection.
void Handshakes::on_no_stream(DirectConnection& connection) {
  const PeerId id = connection.peer;
  if (is_suspended(peers_[id])) return owner_.fail(id, peers_[id].connection->suspension.loss());
  give_up(connection);
}

// ---- Answering

void Handshakes::on_resume_request(DirectConnection& connection, const Greeting& greeting,
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
  if (!send(connection, from, GreetingKind::kChallenge, connection.exchange.draw(nonces_)))
    return owner_.tear_down(connection);
  await_proof(connection);
  connection.phase = DirectConnection::Phase::kChallenged;
}

// Of two requests that meet, that of the lower name is kept; but not for long without an answer,
// because its connection may be stuck. One that was challenged has met the peer.
bool Handshakes::own_request_is_kept(const DirectPeer& peer) const {
  const DirectConnection* const own = peer.connecting;
  if (own == nullptr || own->phase == DirectConnection::Phase::kConnecting ||
      peer.name < greeter_.self())
    return false;
  return own->phase == DirectConnection::Phase::kProving ||
         now_ - own->begun_at <= kSimultaneousConnectTimeout;
}

void Handshakes::refuse_resumption(DirectConnection& connection, ProcessId to) {
  ++counters_.refused_connections;
  send(connection, to, GreetingKind::kNoStream);
  owner_.tear_down(connection);
}

void Handshakes::on_proof(DirectConnection& connection, const Greeting& greeting,
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
  if (greeting.generation <= peer.peer_generation) return owner_.tear_down(connection);
  peer.peer_generation = greeting.generation;
  if (old->phase == DirectConnection::Phase::kOpen) owner_.suspend(*old, kReplaced);
  if (peer.connecting != nullptr) {
    ++counters_.simultaneous_connects;
    owner_.tear_down(*peer.connecting);
  }
  if (!owner_.acknowledged(*old, resumption.received)) {
    owner_.tear_down(connection);
    return owner_.fail(id, kImpossible);
  }
  const Resumption proof = connection.exchange.prove_resumed(
      old->key, both.self, greeter_.next_generation(), old->stream->position());
  if (!send(connection, peer.name, GreetingKind::kResumed, proof))
    return owner_.tear_down(connection);
  go_on(*old, connection);
}

// ---- Both

Handshakes::Parties Handshakes::parties(const DirectConnection& connection, PeerId id) const {
  const DirectPeer& peer = peers_[id];
  Parties both{{greeter_.self(), greeter_.incarnation(), {}},
               {peer.name, peer.peer_incarnation, {}}};
  addresses_of(connection.fd.get(), both.self.end, both.peer.end);
  return both;
}

// `replacement` gives its socket to the suspended connection and ends.
void Handshakes::go_on(DirectConnection& connection, DirectConnection& replacement) {
  DirectPeer& peer = peers_[connection.peer];
  events_.stop_watching(replacement.fd.get(), replacement.watched);
  connection.fd = std::move(replacement.fd);
  connection.low_water = 1;
  owner_.tear_down(replacement);
  attempts_.end(peer.attempt);
  ++counters_.resumed;
  owner_.resumed(connection);
  LINTEL_LOG(kInfo, "the connection to %s pid %u was lost and is resumed: %s",
             to_string(peer.name.nid).c_str(), peer.name.pid.value,
             connection.suspension.loss().reason());
}

}  // namespace lintel::transport
