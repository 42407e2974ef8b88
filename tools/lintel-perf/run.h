#pragma once
// One measurement at one size. Both processes execute the same functions with a PairRun each, which
// tells them apart, so that neither has to ask the other for anything.

#include "contents.h"
#include "interface.h"
#include "measurement.h"
#include "peer.h"
#include "results.h"

namespace lintel::perf {

struct PairRun {
  Portals3Interface& network;
  PairPeer& peer;
  const Settings& settings;
  std::uint64_t size;
  bool initiator;  // it measures, and its row is reported

  // This process's memory and operations, with what all measurements have in common added.
  PairSide side(SideParameters parameters) const {
    parameters.notify = settings.notify;
    parameters.size = size;
    parameters.pieces = settings.pieces;
    return PairSide(network.timed(settings.api), name_of(peer.id()), parameters);
  }

  // Returns when both processes have come here. `allowance`: how much later the peer may come.
  void synchronize(Seconds allowance = {}) const {
    peer.tell();
    peer.await(allowance);
  }

  // The messages that this process makes, and that the peer makes.
  std::uint64_t mine(std::uint64_t pass, std::uint64_t i = 0) const {
    return pattern_id(initiator ? Origin::kInitiator : Origin::kTarget, pass, i);
  }
  std::uint64_t theirs(std::uint64_t pass, std::uint64_t i = 0) const {
    return pattern_id(initiator ? Origin::kTarget : Origin::kInitiator, pass, i);
  }
};

// timed.cpp, and passive.cpp
TableRow measure_timed(const PairRun& run, const MeasurementPart& part);
TableRow measure_passive_target(const PairRun& run);

}  // namespace lintel::perf
