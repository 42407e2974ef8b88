#pragma once
// ClientStartup: one client's side of the start-up of an IMPI job. It authenticates, announces its
// rank, offers what its job has, and learns the layout of the whole job.
//
// Knows neither sockets nor the clock, as server.h. Every client sends one label, waits for its
// answer, and sends the next. Answers to labels that it did not send are ignored.
//
//   kAuthenticating   AUTH was sent
//   kJoining          IMPI was sent. The server answers with the number of clients, at the latest
//                     when all clients have joined
//   kSendingLabels    a label was sent
//   kFinishing        DONE was sent
//   kReady            the layout is known. The connection stays open without traffic until
//                     finish(). If it ends earlier, this client continues
//   kFailed           problem() says why

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "mpi_layer/impi/authentication.h"
#include "mpi_layer/impi/client_offer.h"
#include "mpi_layer/impi/command.h"
#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi {

class ClientStartup {
 public:
  enum class StartupPhase {
    kAuthenticating,
    kJoining,
    kSendingLabels,
    kFinishing,
    kReady,
    kFailed
  };

  struct StartupSettings {
    std::uint32_t rank = 0;  // of the client
    Authentication authentication;
    ClientOffer offer;  // its hosts are listening
    // The time limit for each answer, except while other clients have not joined. It is to be
    // longer than that of the server, whose message names the late client.
    Nanoseconds timeout;
  };

  // The connection to the server has been made.
  ClientStartup(StartupSettings settings, TimePoint now);

  StartupPhase phase() const { return phase_; }

  // Bytes from the server.
  void take(std::string_view bytes, TimePoint now);
  // The connection has ended; `how` is the end of a sentence: "it closed its connection".
  void lose(const std::string& how);
  TimePoint next_deadline() const;
  void advance(TimePoint now);

  // The bytes to be sent since the last call.
  std::string take_outgoing() { return std::exchange(outgoing_, {}); }

  // Call it once, when all processes of this client have ended successfully. Sends FINI, which has
  // no answer. REQUIRES: kReady.
  void finish();

  // REQUIRES: kReady.
  const JobLayout& layout() const;
  // REQUIRES: kFailed. Contains no key.
  const std::string& problem() const;

 private:
  // Handles the next command of the server. False: it has not all arrived, or start-up is over.
  bool take_next(TimePoint now);
  bool take_mechanism(TimePoint now);
  void take_size(const Command& command);
  void take_set(const Command& command);
  void take_done(const Command& command);
  void send_next_label();
  void send(CommandWord word, std::string_view payload) { outgoing_ += encode(word, payload); }
  void fail(const std::string& why);

  StartupSettings settings_;
  StartupPhase phase_ = StartupPhase::kAuthenticating;
  TimePoint since_;  // time of the last answer
  CommandReader reader_{CommandSender::kServer};
  std::string outgoing_;
  std::uint32_t clients_ = 0;
  std::size_t labels_answered_ = 0;  // of labels(): the number answered
  Label answered_ = kNoLabel;
  std::map<Label, LabelSet> sets_;
  JobLayout layout_;
  std::string problem_;
};

}  // namespace lintel::mpi::impi
