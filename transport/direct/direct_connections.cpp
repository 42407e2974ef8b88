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

constexpr Nanoseconds kAcceptPause = std::chrono::milliseconds(100);
constexpr int kAcceptsPerPoll = 64;

constexpr Error kNoRecord{Loss::kPeer, "connect", "this process has no memory for a connection",
                          ENOMEM};
constexpr Error kDescriptorClosed{Loss::kPeer, "connect", kClosedByOthers, EBADF};
constexpr Error kSuperseded{Loss::kPeer, "accept", "the peer has begun a connection anew",
                            ECONNRESET};

}  // namespace

void DirectTransport::Connection::begin(PrivateDescriptor socket, Phase first) {
  owner.lock_.is_held();
  fd = std::move(socket);
  phase = first;
  peer = kNoPeer;
  stream.emplace(limits_, owner.buffers_);
  outbound = {};
  watched = kUnwatched;
  ending = kDisconnected;
  unread_quarters = unsent_quarters = 0;
  is_ending = is_admitted = is_expected = false;
  written_key = 0;
  greeting_bytes = 0;
  key = {};
  resumes = kNoPeer;
  resume_by = resumed_at = kNever;
}

// ---- Connecting

// Connects to the peer, unless it is too early for another attempt. Does not throw: without memory
// the attempt has failed, and is repeated like others.
void DirectTransport::connect(PeerId id) {
  DirectPeer& peer = at(id);
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
      connect_from(own_, socket_address_of(peer.name, options_.port_base).value());
  if (!started) {
    if (is_suspended(id) && started.error().code() == ECONNREFUSED)
      return fail(id, peer.connection->loss);
    return refused(id, started.error());
  }
  Connection& connection = take_spare_connection();
  connection.begin(std::move(started).value(), Connection::Phase::kConnecting);
  connection.peer = id;
  connection.begun_at = now_;
  peer.connecting = &connection;
  peer.attempt.in_progress = true;
  ++opening_count_;
  watch_for(connection, EPOLLOUT);
}

// When another attempt is to follow, because the connection may be stuck, or may have ended at the
// other side. A peer that polls rarely needs time for each step.
TimePoint DirectTransport::end_of(const Connection& attempt) const {
  const Nanoseconds limit = std::min(options_.output_timeout, options_.connect_timeout);
  return attempt.begun_at + (attempt.phase == Connection::Phase::kConnecting
                                 ? kAttemptTime
                                 : std::max<Nanoseconds>(kAttemptTime, limit / kQuarters));
}

// There is a record that no connection uses. False: there is no memory for one.
bool DirectTransport::has_spare_connection() {
  if (!spare_.empty()) return true;
  const InboundStream::PieceLimits limits{
      attributes_.max_message_bytes, attributes_.max_write_bytes, attributes_.max_placed_bytes};
  const std::size_t connections = connections_.size() + 1;
  try {
    for (std::vector<Connection*>* const list :
         {&spare_, &torn_down_, &recent_, &sending_, &ending_, &stalled_, &resuming_stalled_,
          &suspended_, &acknowledging_})
      make_room(*list, connections);
    connections_.push_back(std::make_unique<Connection>(*this, limits));
  } catch (const std::bad_alloc&) {
    return false;
  }
  spare_.push_back(connections_.back().get());
  return true;
}

// REQUIRES: has_spare_connection().
DirectTransport::Connection& DirectTransport::take_spare_connection() {
  Connection& connection = *spare_.back();
  spare_.pop_back();
  return connection;
}

// The attempt could not begin because of `obstacle`, or nothing listens at the peer's address, or
// the peer refused the request.
void DirectTransport::refused(PeerId id, Error obstacle) {
  attempts_.refused(at(id).attempt, now_, obstacle);
}

// A connection that is being made comes to nothing, because of `obstacle` if this process has met
// one. If this process has begun it, it tries again.
void DirectTransport::give_up_attempt(Connection& connection, Error obstacle) {
  const PeerId requested = connection.peer;
  tear_down(connection);
  if (requested != kNoPeer) refused(requested, obstacle);
}

// A connection that is being made is readable or writable, or has ended.
void DirectTransport::on_handshake_ready(Connection& connection, std::uint32_t events) {
  const PeerId peer = connection.peer;
  if (connection.phase == Connection::Phase::kConnecting) {
    const int outcome = outcome_of_connect(connection.fd.get());
    const bool resumes = is_suspended(peer);
    // A process listens as long as it lives.
    if (resumes && outcome == ECONNREFUSED) return fail(peer, at(peer).connection->loss);
    if (outcome != 0 ||
        !(resumes ? begin_resumption(connection)
                  : send_greeting(connection, at(peer).name, GreetingKind::kConnect)))
      return give_up_attempt(connection);
    connection.phase = Connection::Phase::kRequested;
    connection.begun_at = now_;
    return watch_for(connection, EPOLLIN);
  }
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0) return;
  while (connection.greeting_bytes < connection.greeting_size()) {
    const std::size_t room = connection.greeting_size() - connection.greeting_bytes;
    const iovec rest{connection.greeting.data() + connection.greeting_bytes, room};
    const ssize_t got = receive_from(connection.fd.get(), {&rest, 1});
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return give_up_attempt(connection);
    connection.greeting_bytes += static_cast<std::size_t>(got);
  }
  on_greeting(connection);
}

void DirectTransport::on_greeting(Connection& connection) {
  const auto greeting = decode<Greeting>(connection.greeting.data());
  const PeerId requested = connection.peer;
  const ProcessId from{NodeId(greeting.from_nid), Pid(greeting.from_pid)};
  const ProcessId to{NodeId(greeting.to_nid), Pid(greeting.to_pid)};
  const bool is_answer = connection.phase == Connection::Phase::kRequested ||
                         connection.phase == Connection::Phase::kProving;
  const PeerId named = is_answer ? requested : connection.resumes;
  // A sender must have the address that it names.
  const bool believed =
      named != kNoPeer
          ? from == at(named).name
          : htonl(from.nid.value) == connection.address.sin_addr.s_addr && from != self_;
  if (greeting.magic != kGreetingMagic || greeting.version != kStreamVersion || to != self_ ||
      !believed) {
    if (greeting.magic == kGreetingMagic && greeting.version != kStreamVersion)
      log_other_version(from, greeting.version);
    ++counters_.refused_connections;
    return give_up_attempt(connection);
  }
  const auto kind = static_cast<GreetingKind>(greeting.kind);
  if (has_resumption(greeting.kind)) return on_resumption(connection, greeting);
  if (is_answer && kind == GreetingKind::kNoStream) return on_no_stream(connection);
  if (!is_answer) {
    if (kind == GreetingKind::kConnect && connection.phase == Connection::Phase::kAccepted)
      return on_connect_request(connection, greeting);
    return tear_down(connection);
  }
  if (kind == GreetingKind::kAccept && at(requested).connection == nullptr)
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

bool DirectTransport::send_greeting(Connection& connection, ProcessId to, GreetingKind kind,
                                    const Resumption& resumption) {
  const Greeting greeting{kGreetingMagic,
                          kStreamVersion,
                          static_cast<std::uint8_t>(kind),
                          0,
                          self_.nid.value,
                          self_.pid.value,
                          to.nid.value,
                          to.pid.value,
                          incarnation_,
                          ++generation_};
  std::byte wire[sizeof greeting + sizeof resumption];
  encode(wire, greeting);
  encode(wire + sizeof greeting, resumption);
  const iovec whole{wire, has_resumption(greeting.kind) ? sizeof wire : sizeof greeting};
  // The first bytes of a connection always have room.
  return send_to(connection.fd.get(), {&whole, 1}) == static_cast<ssize_t>(whole.iov_len);
}

// ---- Accepting

void DirectTransport::accept_connections() {
  for (int count = 0; count < kAcceptsPerPoll; ++count) {
    if (!has_spare_connection()) return pause_accepting();
    AcceptedSocket accepted = accept_at(listener_.get(), own_);
    if (!accepted.fd.is_open()) {
      if (accepted.error == EMFILE || accepted.error == ENFILE || accepted.error == ENOBUFS ||
          accepted.error == ENOMEM)
        return pause_accepting();
      if (accepted.error == 0) return;
      continue;  // that connection has ended
    }
    Connection& connection = take_spare_connection();
    connection.begin(std::move(accepted.fd), Connection::Phase::kAccepted);
    connection.address = accepted.address;
    ++opening_count_;
    take_place(half_open_, connection);
    watch_for(connection, EPOLLIN);
  }
}

// There is no descriptor or memory for a connection. It stays in the kernel's queue; to ask for it
// again at once would keep a processor busy.
void DirectTransport::pause_accepting() {
  epoll_event nothing{0, {.ptr = nullptr}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener_.get(), &nothing);
  listen_again_ = now_ + kAcceptPause;
}

void DirectTransport::on_connect_request(Connection& connection, const Greeting& greeting) {
  // The peer may have accepted one of this process meanwhile, which must not give way to this one.
  if (has_been_ended(connection.fd.get())) return tear_down(connection);
  const ProcessId from{NodeId(greeting.from_nid), Pid(greeting.from_pid)};
  const Result<PeerId> resolved = resolve(from);
  if (!resolved || closing_) {
    ++counters_.refused_connections;
    return tear_down(connection);
  }
  DirectPeer& peer = at(resolved.value());
  // Only a request that has reached the peer counts: another one may take a long time.
  const bool simultaneous = peer.connecting != nullptr &&
                            peer.connecting->phase == Connection::Phase::kRequested && self_ < from;
  const bool is_older = peer.connection != nullptr &&
                        peer.peer_incarnation == greeting.incarnation &&
                        greeting.generation <= peer.peer_generation;
  if (simultaneous || is_older) return refuse_simultaneous(connection, from);
  if (peer.connection != nullptr && peer.connection->phase == Connection::Phase::kOpen)
    receive_last(*peer.connection);
  // A connection on which nobody has proved anything, as those that are half-open, keeps no other
  // process of the name away.
  if (peer.connection != nullptr && !gives_way(*peer.connection)) {
    ++counters_.contested;
    tear_down(connection);
    return sink_->on_contested(resolved.value());
  }
  if (peer.connection != nullptr) fail(resolved.value(), kSuperseded);
  if (peer.connecting != nullptr) {
    ++counters_.simultaneous_connects;
    tear_down(*peer.connecting);
  }
  if (!send_greeting(connection, from, GreetingKind::kAccept)) return tear_down(connection);
  await_proof(connection);
  opened(connection, resolved.value(), greeting);
}

// Its request was answered. Those that send nothing no longer compete with it for a place.
void DirectTransport::await_proof(Connection& connection) {
  half_open_.remove(connection);
  take_place(unproved_, connection);
}

void DirectTransport::take_place(HalfOpenConnections& list, Connection& connection) {
  if (HalfOpenConnection* const oldest = list.displaced_by_next(); oldest != nullptr)
    drop_half_open(*oldest);
  list.add(connection, now_);
}

HalfOpenConnections& DirectTransport::list_of(const Connection& connection) {
  return connection.phase == Connection::Phase::kAccepted ? half_open_ : unproved_;
}

// To whoever else requests a connection in the name of its peer. One that this process has made
// does not, until it is lost: the peer was where it was sought.
bool DirectTransport::gives_way(const Connection& connection) {
  return connection.is_of_unproved_caller() ||
         (connection.phase == Connection::Phase::kSuspended && !connection.is_admitted);
}

void DirectTransport::opened(Connection& connection, PeerId id, const Greeting& greeting) {
  DirectPeer& peer = at(id);
  LINTEL_ASSERT(peer.connection == nullptr);
  if (peer.connecting == &connection) clear_connecting(peer);
  connection.phase = Connection::Phase::kOpen;
  connection.peer = id;
  connection.binding = binding_of(connection);
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
  const Connection* const connection = at(id).connection;
  return connection == nullptr ? ConnectionBinding() : connection->binding;
}

ConnectionBinding DirectTransport::binding_of(const Connection& connection) const {
  sockaddr_in near{};
  sockaddr_in far{};
  if (!addresses_of(connection.fd.get(), near, far)) return {};
  ConnectionBinding binding;
  // A port on which somebody listens is never chosen for a socket that connects.
  binding.made_by_peer = near.sin_port == own_.sin_port;
  const sockaddr_in* const ends[] = {binding.made_by_peer ? &far : &near,
                                     binding.made_by_peer ? &near : &far};
  std::byte* at = binding.bytes.data();
  for (const sockaddr_in* const end : ends) {
    std::memcpy(at, &end->sin_addr.s_addr, 4);
    std::memcpy(at + 4, &end->sin_port, 2);
    at += 6;
  }
  return binding;
}

void DirectTransport::allow_resumption(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  Connection* const connection = at(id).connection;
  if (connection != nullptr && !connection->is_admitted) connection->key = key;
}

void DirectTransport::admit(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  DirectPeer& peer = at(id);
  Connection* const connection = peer.connection;
  if (connection == nullptr) return;
  connection->is_admitted = true;
  outbound_.set_apart(peer.frames, false);
  connection->key = key;
  unproved_.remove(*connection);
}

}  // namespace lintel::transport
