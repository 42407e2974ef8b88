// A TCP connection that is lost is replaced by another one.
//
// Either side may make it, and both may at once; of two requests that meet, that of the process
// with the lower name is kept, as of connect requests. The requester is challenged, proves itself,
// and says how much has arrived; the other side does likewise, and both go on from there. Nothing
// changes for a connection before the other side has proved itself, because everybody can ask.
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

// After this time without an answer an attempt is given up for another one.
constexpr Nanoseconds kAttemptTime = std::chrono::seconds(1);

constexpr Error kReplaced{Loss::kPeer, "recv", "the peer has lost the connection"};
constexpr Error kImpossible{Loss::kPeer, "resume",
                            "the peer says that more has arrived than was sent to it", EPROTO};

// Descriptors that others have closed may be those of other files now.
bool is_of_this_process(Error error) { return error.code() == EBADF || error.code() == ENOTSOCK; }

ResumptionNonce nonce_from(RandomNumbers& random) {
  const std::uint64_t drawn[] = {random.next(), random.next()};
  ResumptionNonce nonce;
  static_assert(sizeof drawn == sizeof nonce);
  std::memcpy(nonce.data(), drawn, sizeof drawn);
  return nonce;
}

Resumption with_nonce(const ResumptionNonce& nonce) {
  Resumption resumption{};
  std::memcpy(resumption.nonce, nonce.data(), nonce.size());
  return resumption;
}

Resumption with_proof(std::uint64_t received, const Digest& proof) {
  Resumption resumption{};
  resumption.received = received;
  std::memcpy(resumption.proof, proof.data(), proof.size());
  return resumption;
}

void copy_nonce(ResumptionNonce& to, const Resumption& from) {
  std::memcpy(to.data(), from.nonce, to.size());
}

bool proves(const Resumption& resumption, const Digest& expected) {
  Digest told;
  std::memcpy(told.data(), resumption.proof, told.size());
  return equal_in_constant_time(told, expected);
}

}  // namespace

bool DirectTransport::is_suspended(PeerId id) const {
  const DirectPeer& peer = peers_[id.value];
  return peer.connection != nullptr && peer.connection->phase == Connection::Phase::kSuspended;
}

// ---- Losing

// The TCP connection of an open connection is of no use any more.
void DirectTransport::lost(Connection& connection, Error error) {
  if (!connection.can_resume() || closing_ || is_of_this_process(error))
    return fail(connection.peer, error);
  suspend(connection, error);
  resume_suspended();
}

void DirectTransport::suspend(Connection& connection, Error error) {
  LINTEL_ASSERT(connection.phase == Connection::Phase::kOpen);
  ++counters_.interrupted;
  connection.loss = error;
  connection.resume_by = now_ + options_.output_timeout;
  connection.is_ending = false;
  connection.stream->interrupt();
  end_waiting(connection);
  for (std::vector<Connection*>* const list : {&recent_, &ending_, &stalled_, &acknowledging_})
    std::erase(*list, &connection);
  connection.wanted = 0;  // the handshake says it
  stop_watching(connection);
  end_socket(std::move(connection.fd));
  connection.phase = Connection::Phase::kSuspended;
  --open_count_;
  suspended_.push_back(&connection);
}

void DirectTransport::interrupt(PeerId id) {
  lock_.is_held();
  const Connection* const connection = at(id).connection;
  // The next poll() notices it.
  if (connection != nullptr && connection->fd.is_open()) reset_connection(connection->fd.get());
}

// Makes another attempt for each of them, unless it is too early, or gives it up.
void DirectTransport::resume_suspended() {
  for (std::size_t i = suspended_.size(); i-- > 0;) {
    Connection& connection = *suspended_[i];
    const PeerId id = connection.peer;
    if (now_ >= connection.resume_by) {
      fail(id, connection.loss);
      continue;
    }
    // Who has called and proved nothing comes by itself.
    if (!connection.is_admitted && connection.binding.made_by_peer) continue;
    Connection* const attempt = at(id).connecting;
    if (attempt != nullptr && now_ - attempt->begun_at > kAttemptTime) {
      tear_down(*attempt);
      refused(id);
    }
    connect(id);
  }
}

// ---- Requesting

bool DirectTransport::begin_resumption(Connection& connection) {
  connection.own_nonce = nonce_from(random_);
  return send_greeting(connection, at(connection.peer).name, GreetingKind::kResume,
                       with_nonce(connection.own_nonce));
}

// A greeting that begins or goes on with a resumption. Its names were checked.
void DirectTransport::on_resumption(Connection& connection, const Greeting& greeting) {
  const auto kind = static_cast<GreetingKind>(greeting.kind);
  const auto resumption = decode<Resumption>(connection.greeting.data() + sizeof(Greeting));
  connection.greeting_bytes = 0;
  switch (connection.phase) {
    case Connection::Phase::kAccepted:
      if (kind == GreetingKind::kResume) return on_resume_request(connection, greeting, resumption);
      break;
    case Connection::Phase::kChallenged:
      if (kind == GreetingKind::kProof) return on_proof(connection, resumption);
      break;
    case Connection::Phase::kRequested:
      if (kind == GreetingKind::kChallenge && is_suspended(connection.peer))
        return on_challenge(connection, resumption);
      break;
    case Connection::Phase::kProving:
      if (kind == GreetingKind::kResumed && is_suspended(connection.peer))
        return on_resumed(connection, resumption);
      break;
    default: break;
  }
  ++counters_.refused_connections;
  const PeerId requested = connection.peer;
  tear_down(connection);
  if (requested != kNoPeer) refused(requested);
}

void DirectTransport::on_challenge(Connection& connection, const Resumption& resumption) {
  const PeerId id = connection.peer;
  const Connection& suspended = *at(id).connection;
  copy_nonce(connection.peer_nonce, resumption);
  const std::uint64_t received = suspended.stream->position();
  const Digest proof =
      prove_request(suspended.key, own_half(connection, received), peer_half(connection, id, 0));
  if (send_greeting(connection, at(id).name, GreetingKind::kProof, with_proof(received, proof))) {
    connection.phase = Connection::Phase::kProving;
    return;
  }
  tear_down(connection);
  refused(id);
}

void DirectTransport::on_resumed(Connection& connection, const Resumption& resumption) {
  const PeerId id = connection.peer;
  Connection& suspended = *at(id).connection;
  const std::uint64_t received = suspended.stream->position();
  const Digest expected = prove_resumed(suspended.key, own_half(connection, received),
                                        peer_half(connection, id, resumption.received));
  if (!proves(resumption, expected)) {
    ++counters_.refused_connections;
    tear_down(connection);
    return refused(id);
  }
  if (!suspended.outbound.acknowledge(resumption.received, [&](Outbound& record) {
        lock_.is_held();
        has_arrived(record);
      }))
    return fail(id, kImpossible);
  go_on(suspended, connection);
}

// The process at the peer's address knows no such connection.
void DirectTransport::on_no_stream(Connection& connection) {
  const PeerId id = connection.peer;
  if (is_suspended(id)) return fail(id, at(id).connection->loss);
  tear_down(connection);
  refused(id);
}

// ---- Answering

void DirectTransport::on_resume_request(Connection& connection, const Greeting& greeting,
                                        const Resumption& resumption) {
  const ProcessId from{NodeId(greeting.from_nid), Pid(greeting.from_pid)};
  const auto known = ids_.find(from);
  if (known == ids_.end()) return refuse_resumption(connection, from);
  const DirectPeer& peer = at(known->second);
  if (peer.connection == nullptr || !peer.connection->can_resume() || closing_ ||
      peer.peer_incarnation != greeting.incarnation)
    return refuse_resumption(connection, from);
  const bool simultaneous = peer.connecting != nullptr &&
                            peer.connecting->phase != Connection::Phase::kConnecting &&
                            self_ < from;
  if (simultaneous) {
    ++counters_.simultaneous_connects;
    send_greeting(connection, from, GreetingKind::kSimultaneous);
    return tear_down(connection);
  }
  connection.resumes = known->second;
  copy_nonce(connection.peer_nonce, resumption);
  connection.own_nonce = nonce_from(random_);
  if (!send_greeting(connection, from, GreetingKind::kChallenge, with_nonce(connection.own_nonce)))
    return tear_down(connection);
  connection.phase = Connection::Phase::kChallenged;
}

void DirectTransport::refuse_resumption(Connection& connection, ProcessId to) {
  ++counters_.refused_connections;
  send_greeting(connection, to, GreetingKind::kNoStream);
  tear_down(connection);
}

void DirectTransport::on_proof(Connection& connection, const Resumption& resumption) {
  const PeerId id = connection.resumes;
  DirectPeer& peer = at(id);
  Connection* const old = peer.connection;
  // It may have ended since it was asked for.
  if (old == nullptr || !old->can_resume() || closing_)
    return refuse_resumption(connection, peer.name);
  ResumptionHalf requester = peer_half(connection, id, resumption.received);
  if (!proves(resumption, prove_request(old->key, requester, own_half(connection, 0))))
    return refuse_resumption(connection, peer.name);
  if (old->phase == Connection::Phase::kOpen) suspend(*old, kReplaced);
  if (peer.connecting != nullptr) {
    ++counters_.simultaneous_connects;
    tear_down(*peer.connecting);
  }
  if (!old->outbound.acknowledge(resumption.received, [&](Outbound& record) {
        lock_.is_held();
        has_arrived(record);
      })) {
    tear_down(connection);
    return fail(id, kImpossible);
  }
  const std::uint64_t received = old->stream->position();
  const Digest proof = prove_resumed(old->key, requester, own_half(connection, received));
  if (!send_greeting(connection, peer.name, GreetingKind::kResumed, with_proof(received, proof)))
    return tear_down(connection);
  go_on(*old, connection);
}

// ---- Both

// An end is zeros if the connection has ended; no proof holds then.
ResumptionHalf DirectTransport::own_half(const Connection& connection,
                                         std::uint64_t received) const {
  sockaddr_in own{};
  sockaddr_in other{};
  addresses_of(connection.fd.get(), own, other);
  return {self_, incarnation_, own, connection.own_nonce, received};
}

ResumptionHalf DirectTransport::peer_half(const Connection& connection, PeerId id,
                                          std::uint64_t received) const {
  sockaddr_in own{};
  sockaddr_in other{};
  addresses_of(connection.fd.get(), own, other);
  const DirectPeer& peer = peers_[id.value];
  return {peer.name, peer.peer_incarnation, other, connection.peer_nonce, received};
}

// `replacement` gives its socket to the suspended connection and ends.
void DirectTransport::go_on(Connection& connection, Connection& replacement) {
  const PeerId id = connection.peer;
  stop_watching(replacement);
  connection.fd = std::move(replacement.fd);
  tear_down(replacement);
  std::erase(suspended_, &connection);
  attempts_.end(at(id).attempt);
  connection.phase = Connection::Phase::kOpen;
  connection.resume_by = kNever;
  ++open_count_;
  ++counters_.resumed;
  connection.outbound.resume(connection.stream->position());
  connection.heard_in = polls_;
  watch_for(connection, EPOLLIN);
  note_recent(connection);
  if (connection.outbound.waits()) begin_waiting(connection);
  LINTEL_LOG(kInfo, "the connection to %s pid %u was lost and is resumed: %s",
             to_string(at(id).name.nid).c_str(), at(id).name.pid.value, connection.loss.reason());
}

}  // namespace lintel::transport
