#pragma once
// Server: the rendezvous of the clients of one IMPI job. It authenticates clients, collects their
// labels, sends each client the contributions of all, and waits until all have ended.
//
// Knows neither sockets nor the clock: it gets bytes and times, and returns decisions and notes.
// The owner of the sockets carries out the decisions in their order. Connections are independent of
// each other until all clients have joined, so none can block another.
//
//   kJoining      a connection sends AUTH, a key if KEY was chosen, and IMPI with its rank. If a
//                 client leaves, its rank may be taken again.
//   kCollecting   all clients have joined and were told so. Clients send COLL and DONE. Sets go to
//                 all clients as soon as they are complete. The job fails if a client is lost.
//   kRunning      DONE was sent to all. A client sends FINI, or is lost, which is noted; the others
//                 go on.
//   kSucceeded    all clients have sent FINI.
//   kFailed       a client was lost after all had joined.
//
// A client that does not send in time what is expected of it is lost. The memory that one
// connection can make the server use is bounded. No note contains a key.
//
// More than 30 members, because each command of a client and each end of a connection has a
// function, and all of them read and change the same phase.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "mpi_layer/impi/authentication.h"
#include "mpi_layer/impi/command.h"
#include "mpi_layer/impi/label_collection.h"

namespace lintel::mpi::impi {

class Server {
 public:
  enum class ServerPhase { kJoining, kCollecting, kRunning, kSucceeded, kFailed };
  using ConnectionId = std::uint64_t;

  // The most connections that have not joined. A further one ends the oldest of them, because a
  // real client joins at once.
  static constexpr std::size_t kMaxUnknownConnections = 64;

  struct ServerSettings {
    unsigned clients = 0;  // 1 to kMaxClients
    Authentication authentication;
    Nanoseconds timeout;  // time for a connection to join, and for a client to send its next label
  };
  struct Decision {
    ConnectionId connection;
    std::shared_ptr<const std::string> bytes;  // to be sent; null: the connection is to be closed,
                                               // and will be named no more
  };
  struct Note {
    bool is_problem;
    std::string sentence;
  };

  explicit Server(ServerSettings settings);

  ServerPhase phase() const { return phase_; }
  bool is_over() const {
    return phase_ == ServerPhase::kSucceeded || phase_ == ServerPhase::kFailed;
  }
  // True while clients may still join.
  bool accepts() const { return phase_ == ServerPhase::kJoining; }

  // A new connection; `name` is its address, for notes. REQUIRES: accepts().
  ConnectionId open(std::string name, TimePoint now);
  // Bytes have arrived. Bytes of a connection that is to be closed are ignored.
  void take(ConnectionId connection, std::string_view bytes, TimePoint now);
  // The connection has ended; `how` is the end of a sentence: "it closed its connection".
  void lose(ConnectionId connection, const std::string& how);

  // When advance() must be called at the latest; kNever: not before another call.
  TimePoint next_deadline() const;
  // Ends the connections that are late.
  void advance(TimePoint now);

  // The decisions and notes since the last call, in order.
  std::vector<Decision> take_decisions() { return std::exchange(decisions_, {}); }
  std::vector<Note> take_notes() { return std::exchange(notes_, {}); }

 private:
  enum class ClientStep { kAuth, kKey, kImpi, kJoined };
  struct ClientConnection {
    std::string name;
    TimePoint since;  // when it was opened; after it has joined: when it had to send something
    ClientStep step = ClientStep::kAuth;
    unsigned rank = 0;  // after it has joined
    CommandReader reader{CommandSender::kClient};
  };
  enum class Presence { kAbsent, kPresent, kFinished, kLost };

  // Handles the next command of the peer. False: it has not all arrived, or the peer was removed.
  bool take_next(ConnectionId connection, TimePoint now);
  void take_mask(ConnectionId connection, ClientConnection& peer, const Command& command);
  void take_rank(ConnectionId connection, ClientConnection& peer, const Command& command,
                 TimePoint now);
  void take_command(ConnectionId connection, ClientConnection& peer, const Command& command,
                    TimePoint now);
  void begin_collecting(TimePoint now);
  void answer_complete(TimePoint now);
  void finish(ConnectionId connection, ClientConnection& peer);
  void end_if_all_left();

  void send(ConnectionId connection, std::string bytes);
  void send_all(std::string bytes);
  // Ends a connection and removes its peer, with all consequences for the job. `why` is the end of
  // a sentence.
  void drop(ConnectionId connection, const std::string& why);
  void close(ConnectionId connection);
  TimePoint deadline_of(const ClientConnection& peer) const;
  std::string text_of(const ClientConnection& peer) const;
  void note(std::string sentence) { notes_.push_back({false, std::move(sentence)}); }
  void note_problem(std::string sentence) { notes_.push_back({true, std::move(sentence)}); }

  ServerSettings settings_;
  ServerPhase phase_ = ServerPhase::kJoining;
  std::map<ConnectionId, ClientConnection> peers_;  // in the order of their opening
  ConnectionId last_connection_ = 0;
  std::vector<Presence> presence_;  // of each client
  LabelCollection collection_;
  std::vector<Decision> decisions_;
  std::vector<Note> notes_;
};

}  // namespace lintel::mpi::impi
