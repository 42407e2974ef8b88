#pragma once
// Handshakes: how connections of a DirectTransport are made, and how one takes the place of a
// connection whose TCP connection was lost.
//
// A process connects to a peer when it has something to send. Of two simultaneous connect requests,
// that of the process with the lower name is kept. A connect request under the name of a peer that
// has a connection is refused: any process of a shared address could send it. If it is of the peer,
// which has lost its connection or was started again, the owner finds this out by asking the peer
// on the connection, and the request, which is repeated, is accepted then.
//
// Either side may make a connection that resumes, and both may at once; the same rule holds, unless
// the request that is kept is stuck. The requester is challenged, proves itself, and says how much
// has arrived; the other side does likewise, and both go on from there. Nothing changes for a
// connection before the other side has proved itself, because everybody can ask. If nobody listens
// at the peer's address, or a process that knows no such connection, then the process that knew it,
// or its session, has ended.
//
// A member of DirectTransport; guarded by its owner's lock. Owns the listening socket; borrows the
// parts that it is given, and connections while they are made. Time is that of begin_poll().
// Invariant: a peer has at most one connection that is being made by this process.
// Does not: send or receive pieces, or end connections: the owner does.
//
// It has more than 30 members because each side of a handshake has several steps, and each greeting
// has a function of its own.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/random_numbers.h"
#include "transport/contact/connect_attempts.h"
#include "transport/contact/half_open_connections.h"
#include "transport/contact/network_options.h"
#include "transport/direct/connection_records.h"
#include "transport/direct/direct_counters.h"
#include "transport/direct/direct_peers.h"
#include "transport/direct/greeter.h"
#include "transport/direct/listener.h"

namespace lintel::transport {

// Its TCP connection is lost, and another one is to take the place.
inline bool is_suspended(const DirectPeer& peer) {
  return peer.connection != nullptr &&
         peer.connection->phase == DirectConnection::Phase::kSuspended;
}

class Handshakes {
 public:
  // What the transport does with connections. Its functions may end any connection, but not the
  // records.
  class Owner {
   public:
    // There is a record for one more connection. False: there is no memory for one.
    virtual bool has_spare_connection() = 0;
    // The peer of that name; the first use adds it.
    virtual Result<PeerId> peer_named(ProcessId name) = 0;
    // Reports these events of the socket from now on.
    virtual void watch_for(DirectConnection& connection, std::uint32_t events) = 0;
    // Ends a connection, without a report.
    virtual void tear_down(DirectConnection& connection) = 0;
    // The peer is lost.
    virtual void fail(PeerId peer, Error error) = 0;
    // It is open: pieces may come.
    virtual void opened(DirectConnection& connection) = 0;
    // Reads what has arrived on an open connection, which this may end.
    virtual void receive_last(DirectConnection& connection) = 0;
    // Another process has asked for a connection under the name of the peer, which has one.
    virtual void contested(PeerId peer) = 0;
    // The TCP connection of an open connection is lost.
    virtual void suspend(DirectConnection& connection, Error error) = 0;
    // The peer has all before `position`. False: it cannot have.
    virtual bool acknowledged(DirectConnection& connection, std::uint64_t position) = 0;
    // A suspended connection has another socket and goes on.
    virtual void resumed(DirectConnection& connection) = 0;

   protected:
    ~Owner() = default;
  };

  // Borrows all of them.
  Handshakes(const NetworkOptions& options, Owner& owner, DirectPeers& peers,
             ConnectionRecords& records, SocketEvents& events, StreamBuffers& buffers,
             DirectCounters& counters);
  Handshakes(const Handshakes&) = delete;
  Handshakes& operator=(const Handshakes&) = delete;

  // Listens at the address of the options. Error: as Listener::open().
  Error listen();
  ProcessId self() const { return greeter_.self(); }
  // Room for so many peers. Throws std::bad_alloc.
  void reserve(std::size_t peers) { attempts_.reserve(peers); }

  void begin_poll(TimePoint now) { now_ = now; }
  // Connects to the peer, unless it is too early for another attempt, or the peer's loss is not
  // reported yet. Does not throw: without memory the attempt has failed, and is repeated like
  // others.
  [[gnu::cold]] void connect(PeerId peer);
  // Callers wait at the listening socket.
  [[gnu::cold]] void accept_connections();
  // A connection that is being made is readable or writable, or has ended.
  [[gnu::cold]] void on_ready(DirectConnection& connection, std::uint32_t events);
  // Ends attempts that have taken too long, and accepted connections that send nothing, if any is
  // due.
  void expire() {
    if (is_calling() || half_open_deadline() <= now_ || listener_.deadline() <= now_)
      expire_overdue();
  }
  TimePoint next_deadline() const {
    return std::min({attempts_.next_deadline(now_), half_open_deadline(), listener_.deadline()});
  }
  // When another attempt is to follow, because the connection may be stuck, or may have ended at
  // the other side. A peer that polls rarely needs time for each step.
  [[gnu::cold]] TimePoint end_of(const DirectConnection& attempt) const;
  // Connections that are being made, by this process or by others.
  std::size_t under_way() const { return under_way_; }
  // This process tries to reach a peer.
  bool is_calling() const { return !attempts_.none(); }

  // A connection that is being made comes to nothing, because of `obstacle` if this process has met
  // one. If this process has begun it, it tries again.
  [[gnu::cold]] void give_up(DirectConnection& connection, Error obstacle = {});
  // The owner ends the connection, made or not.
  [[gnu::cold]] void forget(DirectConnection& connection);
  // Nobody wants a connection with the peer any more.
  [[gnu::cold]] void end_attempts(DirectPeer& peer) { attempts_.end(peer.attempt); }
  // The peer has proved to the owner who it is.
  [[gnu::cold]] void admitted(DirectConnection& connection) { unproved_.remove(connection); }
  // Only connections that resume are made from now on.
  void close() { closing_ = true; }

 private:
  // An attempt that does not reach the peer's host is given up for another one after it.
  static constexpr Nanoseconds kAttemptTime = std::chrono::seconds(1);
  // A request to resume that is not answered for longer gives way to one of the peer. The kernel
  // has repeated a lost packet by then.
  static constexpr Nanoseconds kSimultaneousConnectTimeout = std::chrono::milliseconds(250);
  // Accepted connections without a request yet, and as many whose peer has not proved itself yet.
  static constexpr std::size_t kMaxHalfOpen = 256;

  TimePoint half_open_deadline() const {
    return std::min(half_open_.next_deadline(), unproved_.next_deadline());
  }
  [[gnu::cold]] void expire_overdue();
  [[gnu::cold]] void refused(PeerId peer, Error obstacle = {});
  [[gnu::cold]] void take_place(HalfOpenConnections& list, DirectConnection& connection);
  [[gnu::cold]] void drop_half_open(HalfOpenConnection& half_open);
  [[gnu::cold]] void await_proof(DirectConnection& connection);
  [[gnu::cold]] bool send(DirectConnection& connection, ProcessId to, GreetingKind kind,
                          const Resumption& resumption = {}) {
    return greeter_.send(connection.fd.get(), to, kind, resumption);
  }

  // What greetings say (handshakes.cpp).
  [[gnu::cold]] void on_greeting(DirectConnection& connection);
  [[gnu::cold]] void log_other_version(ProcessId from, unsigned version);
  [[gnu::cold]] void on_connect_request(DirectConnection& connection, const Greeting& greeting);
  [[gnu::cold]] void opened(DirectConnection& connection, PeerId peer, const Greeting& greeting);
  [[gnu::cold]] void refuse_simultaneous(DirectConnection& connection, ProcessId to);

  // Of connections that resume (resuming_handshakes.cpp).
  [[gnu::cold]] void on_resumption(DirectConnection& connection, const Greeting& greeting);
  [[gnu::cold]] void on_resume_request(DirectConnection& connection, const Greeting& greeting,
                                       const Resumption& resumption);
  [[gnu::cold]] void on_challenge(DirectConnection& connection, const Resumption& resumption);
  [[gnu::cold]] void on_proof(DirectConnection& connection, const Greeting& greeting,
                              const Resumption& resumption);
  [[gnu::cold]] void on_resumed(DirectConnection& connection, const Greeting& greeting,
                                const Resumption& resumption);
  [[gnu::cold]] void on_no_stream(DirectConnection& connection);
  [[gnu::cold]] bool own_request_is_kept(const DirectPeer& peer) const;
  [[gnu::cold]] void refuse_resumption(DirectConnection& connection, ProcessId to);
  struct Parties {
    ResumptionExchange::Party self, peer;
  };
  [[gnu::cold]] Parties parties(const DirectConnection& connection, PeerId peer) const;
  [[gnu::cold]] void go_on(DirectConnection& connection, DirectConnection& replacement);

  const NetworkOptions& options_;
  Owner& owner_;
  DirectPeers& peers_;
  ConnectionRecords& records_;
  SocketEvents& events_;
  StreamBuffers& buffers_;
  DirectCounters& counters_;
  Greeter greeter_;
  Listener listener_;
  RandomNumbers nonces_;
  ConnectAttempts attempts_;
  HalfOpenConnections half_open_;  // the request is awaited
  HalfOpenConnections unproved_;   // the proof, or admitted(), is awaited
  std::size_t under_way_ = 0;
  bool closing_ = false;
  TimePoint now_{};
};

}  // namespace lintel::transport
