#pragma once
// Server: the rendezvous of the clients of one IMPI job: lets them in, collects their labels, tells
// each of all, and waits for their ends.
//
// Knows no sockets and no clock: bytes and times go in, decisions and notes come out. Whoever has
// the sockets carries out the decisions in their order. Connections are independent of each other
// until all clients have joined, so none can block another.
//
//   kJoining      a connection says AUTH, a key if KEY was chosen, IMPI with its rank; a rank whose
//                 client leaves is free again.
//   kCollecting   all clients have joined and were told so. COLL and DONE; sets go to all as soon
//                 as they are complete. A client that is lost ends the job.
//   kRunning      all have been told DONE. A client says FINI, or is lost, which is told; the
//                 others go on.
//   kSucceeded    all have said FINI.
//   kFailed       a client was lost after all had joined.
//
// A client of which something is expected, and which does not send it in time, is lost. What the
// bytes of one connection may make the server hold is bounded. Keys appear in no note.

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
  enum class Phase { kJoining, kCollecting, kRunning, kSucceeded, kFailed };
  using Connection = std::uint64_t;

  // Connections that have not joined. One more ends the oldest of them: an honest one has joined
  // long before.
  static constexpr std::size_t kMaxStrangers = 64;

  struct Settings {
    unsigned clients = 0;  // 1 to kMaxClients
    Authentication authentication;
    Nanoseconds patience;  // time for a connection to join, and for a client to send its next label
  };
  struct Decision {
    Connection connection;
    std::shared_ptr<const std::string> bytes;  // to be sent; null: the connection is to be closed,
                                               // and will be named no more
  };
  struct Note {
    bool is_problem;
    std::string sentence;
  };

  explicit Server(Settings settings);

  Phase phase() const { return phase_; }
  bool is_over() const { return phase_ == Phase::kSucceeded || phase_ == Phase::kFailed; }
  // New connections are of use: not all clients have joined.
  bool accepts() const { return phase_ == Phase::kJoining; }

  // A new connection; `name` is its address, for notes. REQUIRES: accepts().
  Connection open(std::string name, TimePoint now);
  // Bytes have come. Those of a connection that was to be closed are passed over.
  void take(Connection connection, std::string_view bytes, TimePoint now);
  // The connection has ended; `how` is the end of a sentence: "it closed its connection".
  void lose(Connection connection, const std::string& how);

  // When advance() will have something to do at the latest; kNever: not before something else
  // happens.
  TimePoint next_deadline() const;
  // Gives up those that are late.
  void advance(TimePoint now);

  // What has come up since the last call, in order.
  std::vector<Decision> take_decisions() { return std::exchange(decisions_, {}); }
  std::vector<Note> take_notes() { return std::exchange(notes_, {}); }

 private:
  enum class Step { kAuth, kKey, kImpi, kJoined };
  struct Peer {
    std::string name;
    TimePoint since;  // it was opened; when it has joined: something was expected of it
    Step step = Step::kAuth;
    unsigned rank = 0;  // when it has joined
    CommandReader reader{Side::kClient};
  };
  enum class Presence { kAbsent, kPresent, kFinished, kLost };

  // Takes the next thing that the peer has sent; false when there is none yet, or the peer is gone.
  bool take_next(Connection connection, TimePoint now);
  void take_mask(Connection connection, Peer& peer, const Command& command);
  void take_rank(Connection connection, Peer& peer, const Command& command, TimePoint now);
  void take_command(Connection connection, Peer& peer, const Command& command, TimePoint now);
  void begin_collecting(TimePoint now);
  void answer_complete(TimePoint now);
  void finish(Connection connection, Peer& peer);
  void end_if_all_left();

  void send(Connection connection, std::string bytes);
  void send_all(std::string bytes);
  // Ends a connection, whose peer is then gone, with what follows from it. `why` is the end of a
  // sentence.
  void drop(Connection connection, const std::string& why);
  void close(Connection connection);
  TimePoint deadline_of(const Peer& peer) const;
  std::string text_of(const Peer& peer) const;
  void note(std::string sentence) { notes_.push_back({false, std::move(sentence)}); }
  void complain(std::string sentence) { notes_.push_back({true, std::move(sentence)}); }

  Settings settings_;
  Phase phase_ = Phase::kJoining;
  std::map<Connection, Peer> peers_;  // in the order of their opening
  Connection last_connection_ = 0;
  std::vector<Presence> presence_;  // of each client
  LabelCollection collection_;
  std::vector<Decision> decisions_;
  std::vector<Note> notes_;
};

}  // namespace lintel::mpi::impi
