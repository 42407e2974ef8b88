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

}  // namespace

bool DirectTransport::is_suspended(PeerId id) const {
  const DirectPeer& peer = at(id);
  return peer.connection != nullptr && peer.connection->phase == Connection::Phase::kSuspended;
}

// ---- Losing

// The TCP connection of an open connection is of no use any more.
void DirectTransport::lost(Connection& connection, Error error) {
  const bool has_ended = closing_ && connection.outbound.empty();  // nothing is left to be sent
  if (!connection.can_resume() || has_ended || is_of_this_process(error))
    return fail(connection.peer, error);
  suspend(connection, error);
  resume_suspended();
}

void DirectTransport::suspend(Connection& connection, Error error) {
  LINTEL_ASSERT(connection.phase == Connection::Phase::kOpen);
  ++counters_.interrupted;
  connection.loss = error;
  connection.is_ending = false;
  connection.stream->interrupt();
  connection.outbound.interrupt();
  // Connections that are lost one after the other before anything arrives are of no use: the time
  // goes on.
  const std::uint64_t arrived = connection.stream->position() + connection.outbound.acknowledged();
  const bool was_of_use = connection.resume_by == kNever || arrived != connection.arrived_before ||
                          now_ - connection.resumed_at > kAttemptTime;
  if (was_of_use) connection.resume_by = now_ + options_.output_timeout;
  connection.arrived_before = arrived;
  leave_lists(connection);
  close_socket(connection);
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

void DirectTransport::interrupt_if_silent(PeerId id) {
  lock_.is_held();
  const Connection* const connection = at(id).connection;
  if (connection != nullptr && connection->fd.is_open() &&
      silence_of(connection->fd.get()) >= options_.output_timeout / kQuarters)
    interrupt(id);
}

// Makes another attempt for each of them, unless it is too early, or gives the peer up.
void DirectTransport::resume_suspended() {
  for (std::size_t i = suspended_.size(); i-- > 0;) {
    Connection& connection = *suspended_[i];
    const PeerId id = connection.peer;
    if (now_ >= connection.resume_by) {
      fail(id, connection.loss);
      continue;
    }
    // Who has called and proved nothing comes by itself. Nobody waits for him in the end.
    if (connection.is_of_unproved_caller()) {
      if (closing_) fail(id, connection.loss);
      continue;
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
      if (kind == GreetingKind::kProof) return on_proof(connection, greeting, resumption);
      break;
    case Connection::Phase::kRequested:
      if (kind == GreetingKind::kChallenge && is_suspended(connection.peer))
        return on_challenge(connection, resumption);
      break;
    case Connection::Phase::kProving:
      if (kind == GreetingKind::kResumed && is_suspended(connection.peer))
        return on_resumed(connection, greeting, resumption);
      break;
    default: break;
  }
  ++counters_.refused_connections;
  give_up_attempt(connection);
}

void DirectTransport::on_challenge(Connection& connection, const Resumption& resumption) {
  const PeerId id = connection.peer;
  const Connection& suspended = *at(id).connection;
  copy_nonce(connection.peer_nonce, resumption);
  connection.begun_at = now_;
  connection.proof_generation = generation_ + 1;  // of the greeting that follows
  const ResumptionHalf own =
      own_half(connection, connection.proof_generation, suspended.stream->position());
  const Digest proof = prove_request(suspended.key, own, peer_half(connection, id));
  if (!send_greeting(connection, at(id).name, GreetingKind::kProof,
                     with_proof(own.received, proof)))
    return give_up_attempt(connection);
  connection.phase = Connection::Phase::kProving;
}

void DirectTransport::on_resumed(Connection& connection, const Greeting& greeting,
                                 const Resumption& resumption) {
  const PeerId id = connection.peer;
  Connection& suspended = *at(id).connection;
  const ResumptionHalf own =
      own_half(connection, connection.proof_generation, suspended.stream->position());
  const ResumptionHalf other = peer_half(connection, id, greeting.generation, resumption.received);
  if (!equal_in_constant_time(resumption.proof, prove_resumed(suspended.key, own, other))) {
    ++counters_.refused_connections;
    return give_up_attempt(connection);
  }
  at(id).peer_generation = greeting.generation;
  if (!acknowledged(suspended, resumption.received)) return fail(id, kImpossible);
  go_on(suspended, connection);
}

// The process at the peer's address knows no such connection.
void DirectTransport::on_no_stream(Connection& connection) {
  const PeerId id = connection.peer;
  if (is_suspended(id)) return fail(id, at(id).connection->loss);
  give_up_attempt(connection);
}

// ---- Answering

void DirectTransport::on_resume_request(Connection& connection, const Greeting& greeting,
                                        const Resumption& resumption) {
  const ProcessId from{NodeId(greeting.from_nid), Pid(greeting.from_pid)};
  const auto known = ids_.find(from);
  if (known == ids_.end()) return refuse_resumption(connection, from);
  const DirectPeer& peer = at(known->second);
  if (peer.connection == nullptr || !peer.connection->can_resume() ||
      peer.peer_incarnation != greeting.incarnation)
    return refuse_resumption(connection, from);
  if (own_request_is_kept(peer)) return refuse_simultaneous(connection, from);
  connection.resumes = known->second;
  copy_nonce(connection.peer_nonce, resumption);
  connection.own_nonce = nonce_from(random_);
  if (!send_greeting(connection, from, GreetingKind::kChallenge, with_nonce(connection.own_nonce)))
    return tear_down(connection);
  await_proof(connection);
  connection.phase = Connection::Phase::kChallenged;
}

// Of two requests that meet, that of the lower name is kept; but not for long without an answer,
// because its connection may be stuck. One that was challenged has met the peer.
bool DirectTransport::own_request_is_kept(const DirectPeer& peer) const {
  const Connection* const own = peer.connecting;
  if (own == nullptr || own->phase == Connection::Phase::kConnecting || peer.name < self_)
    return false;
  return own->phase == Connection::Phase::kProving || now_ - own->begun_at <= kMeetingTime;
}

void DirectTransport::refuse_simultaneous(Connection& connection, ProcessId to) {
  ++counters_.simultaneous_connects;
  send_greeting(connection, to, GreetingKind::kSimultaneous);
  tear_down(connection);
}

void DirectTransport::refuse_resumption(Connection& connection, ProcessId to) {
  ++counters_.refused_connections;
  send_greeting(connection, to, GreetingKind::kNoStream);
  tear_down(connection);
}

void DirectTransport::on_proof(Connection& connection, const Greeting& greeting,
                               const Resumption& resumption) {
  const PeerId id = connection.resumes;
  DirectPeer& peer = at(id);
  Connection* const old = peer.connection;
  // It may have ended since it was asked for.
  if (old == nullptr || !old->can_resume()) return refuse_resumption(connection, peer.name);
  if (own_request_is_kept(peer)) return refuse_simultaneous(connection, peer.name);
  const ResumptionHalf requester =
      peer_half(connection, id, greeting.generation, resumption.received);
  if (!equal_in_constant_time(resumption.proof,
                              prove_request(old->key, requester, own_half(connection))))
    return refuse_resumption(connection, peer.name);
  // An attempt that the peer has given up, and that was long on its way.
  if (greeting.generation <= peer.peer_generation) return tear_down(connection);
  peer.peer_generation = greeting.generation;
  if (old->phase == Connection::Phase::kOpen) suspend(*old, kReplaced);
  if (peer.connecting != nullptr) {
    ++counters_.simultaneous_connects;
    tear_down(*peer.connecting);
  }
  if (!acknowledged(*old, resumption.received)) {
    tear_down(connection);
    return fail(id, kImpossible);
  }
  const ResumptionHalf own = own_half(connection, generation_ + 1,  // of the greeting that follows
                                      old->stream->position());
  const Digest proof = prove_resumed(old->key, requester, own);
  if (!send_greeting(connection, peer.name, GreetingKind::kResumed,
                     with_proof(own.received, proof)))
    return tear_down(connection);
  go_on(*old, connection);
}

// ---- Both

// `generation`, `received`: what the greeting with the proof adds, if it is this half's. An end is
// zeros if the connection has ended; no proof holds then.
ResumptionHalf DirectTransport::own_half(const Connection& connection, std::uint64_t generation,
                                         std::uint64_t received) const {
  ResumptionHalf half{self_, incarnation_, generation, {}, connection.own_nonce, received};
  sockaddr_in other{};
  addresses_of(connection.fd.get(), half.end, other);
  return half;
}

ResumptionHalf DirectTransport::peer_half(const Connection& connection, PeerId id,
                                          std::uint64_t generation, std::uint64_t received) const {
  const DirectPeer& peer = at(id);
  ResumptionHalf half{peer.name, peer.peer_incarnation, generation,
                      {},        connection.peer_nonce, received};
  sockaddr_in own{};
  addresses_of(connection.fd.get(), own, half.end);
  return half;
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
  connection.resumed_at = now_;
  ++open_count_;
  ++counters_.resumed;
  connection.outbound.resume(connection.stream->position());
  connection.unsent_quarters = 0;
  watch_for(connection, EPOLLIN);
  note_recent(connection);
  if (connection.outbound.waits()) begin_waiting(connection);
  LINTEL_LOG(kInfo, "the connection to %s pid %u was lost and is resumed: %s",
             to_string(at(id).name.nid).c_str(), at(id).name.pid.value, connection.loss.reason());
}

}  // namespace lintel::transport
