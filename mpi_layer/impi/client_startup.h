#pragma once
// ClientStartup: one client's way through the start-up of an IMPI job: it authenticates, gives its
// rank, offers what its job has, and learns the layout of all.
//
// Knows no socket and no clock, as server.h. Goes in lock-step, as all clients do: one label, its
// answer, the next. Labels that it did not send it passes over.
//
//   kAuthenticating   AUTH was sent
//   kJoining          IMPI was sent; the server answers, with the number of clients, when it likes:
//                     at the latest when all are there
//   kTelling          a label was sent
//   kFinishing        DONE was sent
//   kReady            the layout is known. The connection stays open and silent until finish();
//                     that it ends earlier is no harm to this client
//   kFailed           with a sentence

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
  enum class Phase { kAuthenticating, kJoining, kTelling, kFinishing, kReady, kFailed };

  struct Settings {
    std::uint32_t rank = 0;  // of the client
    Authentication authentication;
    ClientOffer offer;  // its hosts listen already
    Nanoseconds
        patience;  // for each answer; while others have not joined there is no limit. Longer than
                   // the server's own, which knows whom it waits for
  };

  // The connection to the server has been made.
  ClientStartup(Settings settings, TimePoint now);

  Phase phase() const { return phase_; }

  // Bytes of the server.
  void take(std::string_view bytes, TimePoint now);
  // The connection has ended; `how` is the end of a sentence: "it closed its connection".
  void lose(const std::string& how);
  TimePoint next_deadline() const;
  void advance(TimePoint now);

  // What is to be sent, since the last call.
  std::string take_outgoing() { return std::exchange(outgoing_, {}); }

  // All processes of this client have ended well: says FINI, to which there is no answer. REQUIRES:
  // kReady, once.
  void finish();

  // REQUIRES: kReady.
  const JobLayout& layout() const;
  // REQUIRES: kFailed. Names no key.
  const std::string& problem() const;

 private:
  // Takes the next thing that the server has sent; false when there is none yet, or start-up is
  // over.
  bool take_next(TimePoint now);
  bool take_mechanism(TimePoint now);
  void take_size(const Command& command);
  void take_set(const Command& command);
  void take_done(const Command& command);
  void tell_next();
  void send(CommandWord word, std::string_view payload) { outgoing_ += encode(word, payload); }
  void fail(const std::string& why);

  Settings settings_;
  Phase phase_ = Phase::kAuthenticating;
  TimePoint since_;  // the last answer
  CommandReader reader_{Side::kServer};
  std::string outgoing_;
  std::uint32_t clients_ = 0;
  std::size_t told_ = 0;  // of labels(): answered so far
  Label answered_ = kNoLabel;
  std::map<Label, LabelSet> sets_;
  JobLayout layout_;
  std::string problem_;
};

}  // namespace lintel::mpi::impi
