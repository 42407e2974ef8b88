#pragma once
// Operations of Portals 4 with counting events and nothing else: no event queue anywhere.
//
// A counter says that operations failed, not why. Whether the peer is lost is the Watch's to find out, so a failure waits a moment for its word.

#include <portals4.h>

#include <array>

#include "counter.h"
#include "initiator.h"
#include "portals.h"
#include "stop_reason.h"

namespace lintel::perf::api4 {

class CounterOperations final : public Operations {
 public:
  CounterOperations(ptl_handle_ni_t ni, const OperationsParameters& parameters);

  std::unique_ptr<Descriptor> bind(std::span<const Piece> memory) override;
  std::unique_ptr<Entry> expose(Place place, std::span<const Piece> memory, bool counted) override;

  bool put(const Descriptor& from, Ack ack, Place place) override;
  bool get(const Descriptor& into, Place place) override;
  bool swap(const Descriptor& into, const Descriptor& from, Place place) override;
  bool add(const Descriptor& from, Place place) override;
  bool fetch_add(const Descriptor& into, const Descriptor& from, Place place) override;

  using Operations::wait;
  std::uint64_t wait(Moment kind, std::uint64_t at_least, std::uint64_t enough) override;
  void settle() override;
  void stop(const std::string& reason) override;
  std::uint64_t seen() const override;

 private:
  bool owing(Moment end, bool started);
  [[noreturn]] void reject(const Counter::Outcome& outcome);

  ptl_handle_ni_t ni_;
  Initiator initiator_;
  Portals portals_;
  std::array<Counter, kMoments> counters_;  // by Moment
  StopReason stop_reason_;
};

}  // namespace lintel::perf::api4
