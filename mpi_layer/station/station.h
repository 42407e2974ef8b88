#pragma once
// Station: this process as the others of its job reach it: the engine's process, the messenger, and
// what all of them must know of each other and agree on. How that travels is its user's business.
//
// One owner, one thread; the messenger says who may call it.

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
  // Starts the engine and opens the messenger, for a job of so many processes; what else `options`
  // has of the settings is set from these. Blocks.
  static Outcome<std::unique_ptr<Station>> open(Options options);
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  // close() if that was not called.
  ~Station();

  Messenger& messenger() { return *messenger_; }

  Outcome<BusinessCard> card() const;
  // Those settings that credit is derived from at both ends of a message, as a line of text.
  std::string limits() const;

  // Makes the numbers of the messenger the ranks of `world`, of which those on kOutsideNode
  // (gateway.h) are the gateway's. Once. Where more of them are on this node than it has
  // processors, whoever waits here yields its own while it polls.
  Outcome<> add(const World& world);

  // Ends the messenger. Blocks. Only the destructor may follow.
  void close() { messenger_.reset(); }

 private:
  Station() = default;
  Outcome<> start(Options options);

  std::unique_ptr<Messenger> messenger_;
  bool host_started_ = false;
};

// Whether all ranks, whose limits() these are, have the same.
Outcome<> compare_limits(const std::vector<std::string>& limits);

}  // namespace lintel::mpi
