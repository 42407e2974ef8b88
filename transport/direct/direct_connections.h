#pragma once
// DirectConnections: what becomes of the connections of a DirectTransport that Handshakes has made:
// they open, are lost, are resumed and end, and with them what waited for them.
//
// A part of a DirectTransport; guarded by its lock. Borrows the parts that it is given.
// Any call that names a loss, an end or an attempt may end any connection.
// Invariant: a loss is listed in DirectTables::failed, once for each peer, until report_failures()
// or disconnect().
// Does not: make connections, or read what has arrived on one that ends.

#include <cstddef>

#include "transport/direct/direct_sender.h"
#include "transport/direct/direct_tables.h"
#include "transport/direct/handshakes.h"
#include "transport/direct/reserved_list.h"

namespace lintel::transport {

class DirectConnections {
 public:
  // Borrows them.
  DirectConnections(DirectTables& tables, DirectSender& sender, Handshakes& handshakes)
      : tables_(tables), sender_(sender), handshakes_(handshakes) {}
  DirectConnections(const DirectConnections&) = delete;
  DirectConnections& operator=(const DirectConnections&) = delete;

  // Room for so many connections. Throws std::bad_alloc.
  void reserve(std::size_t connections) { suspended_.reserve(connections); }

  // The open connection, or one that is to be resumed. Null: there is none. One is being made then,
  // unless the transport closes, a loss of the peer is not reported yet, or the descriptors are
  // closed, with which the peer is lost.
  DirectConnection* to(PeerId peer) {
    DirectConnection* const open = tables_.peers[peer].connection;
    if (open == nullptr) connect(peer);
    return open;
  }
  // A connection that was made carries pieces from now on.
  [[gnu::cold]] void opened(DirectConnection& connection);

  // The TCP connection of an open connection is of no use any more. Its peer is lost if it cannot
  // be resumed, if another one would meet the error too, or if nothing is left to be sent and the
  // transport closes. Else it is suspended, and another attempt is made for all that are.
  [[gnu::cold]] void lost(DirectConnection& connection, Error error);
  // Waits for another TCP connection. REQUIRES: it is open and can be resumed.
  [[gnu::cold]] void suspend(DirectConnection& connection, Error error);
  // A suspended connection has another socket and goes on.
  [[gnu::cold]] void resumed(DirectConnection& connection);
  bool has_suspended() const { return !suspended_.empty(); }
  // Makes another attempt for each of the suspended ones, unless it is too early, or gives the peer
  // up.
  [[gnu::cold]] void resume_suspended();
  // A process that was stopped gives its peers their time. Before DirectTables::now is set.
  [[gnu::cold]] void prolong_suspensions(TimePoint now);
  TimePoint next_deadline() const { return has_suspended() ? suspension_deadline() : kNever; }

  // Ends a connection, made or not, and what waited for it: operations go to DirectTables::ended,
  // and nobody is told of the connection. In poll() its stream only stops, because it may be the
  // caller; ConnectionRecords::recycle() destroys it. REQUIRES: its phase is not kClosed.
  [[gnu::cold]] void tear_down(DirectConnection& connection);
  // The open connection is lost, or none can be made: ends both connections of the peer and the
  // operations on them.
  [[gnu::cold]] void fail(PeerId peer, Error error);
  // As fail(), without a report, also of a loss that was not reported yet. Data that the kernel has
  // may still arrive at the peer, such as a goodbye.
  [[gnu::cold]] void disconnect(PeerId peer);
  // There is no memory for what has arrived. The peer of an open connection is given up, because a
  // part of what it has sent is missing from now on. A connection that is being made is tried again
  // by the side that has begun it.
  [[gnu::cold]] void no_memory_for(DirectConnection& connection);
  // Tells the sink of all losses. Throws what it throws: the next call tells that loss again.
  [[gnu::cold]] void report_failures(Sink& sink);

  // Something has arrived on it: it is among those that are read first.
  void note_recent(DirectConnection& connection) {
    tables_.reading.note(connection, tables_.open_count);
  }
  // epoll reports nothing of the connection until DirectSender::watch_for().
  [[gnu::cold]] void stop_watching(DirectConnection& connection);
  // The epoll instance was closed, and not by this transport: it reaches nobody any more. All peers
  // are lost. `code`: what epoll_wait has said.
  [[gnu::cold]] void on_descriptors_closed(int code);
  bool are_descriptors_closed() const { return descriptors_closed_; }

 private:
  [[gnu::cold]] void connect(PeerId peer);
  [[gnu::cold]] void leave_lists(DirectConnection& connection);
  [[gnu::cold]] void close_socket(DirectConnection& connection);
  [[gnu::cold]] void end_connections(DirectPeer& peer, Error ending);
  [[gnu::cold]] TimePoint suspension_deadline() const;

  DirectTables& tables_;
  DirectSender& sender_;
  Handshakes& handshakes_;
  ReservedList<DirectConnection*> suspended_;
  bool descriptors_closed_ = false;
};

}  // namespace lintel::transport
