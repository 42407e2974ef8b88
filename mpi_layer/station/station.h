#pragma once
// Station: the endpoint of this process in its job: the engine's process, the messenger, and the
// data that all processes must exchange and agree on. Its user exchanges them.
//
// One owner, one thread. The messenger says which threads may call it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mpi_layer/bootstrap/business_card.h"
#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/bootstrap/world.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

class Station {
 public:
  // Starts the engine and opens the messenger. Values of `options` that are also settings are
  // overwritten from the settings. Blocks.
  static Outcome<std::unique_ptr<Station>> open(MessengerOptions options);
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  // Calls close() if that was not called.
  ~Station();

  Messenger& messenger() { return *messenger_; }

  Outcome<BusinessCard> card() const;
  // The settings from which both ends of a message compute credit, as a line of text.
  std::string limits() const;

  // Gives the session the secret of `world`, and adds its processes to the messenger, so that its
  // numbers are their ranks. No process may send before all have called it. Those on
  // kOutsideNode (gateway.h) are outside processes. Call it once. If more processes are on this
  // node than it has processors, waits yield the processor while they poll.
  Outcome<> add(const World& world);

  // Closes the messenger. Blocks. Only the destructor may follow.
  void close() { messenger_.reset(); }

 private:
  Station() = default;
  Outcome<> start(MessengerOptions options);

  std::unique_ptr<Messenger> messenger_;
  bool host_started_ = false;
};

// Fails unless the limits() of all ranks are the same.
Outcome<> compare_limits(const std::vector<std::string>& limits);

}  // namespace lintel::mpi
