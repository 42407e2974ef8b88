#pragma once
// DrivenParts: constructs the parts of a messenger, opens and closes them, dispatches the engine's
// events to them, runs the work that they have put off, and blocks callers that wait.
//
//   EngineAccess      the interface, its events
//   PeerTable         processes by number, with each part's record of them
//   CreditLedger      flow control of unexpected messages
//   ControlPackets    sends control packets
//   PeerWatch         which peers the engine watches, sessions with peers that have none
//   UnexpectedBlocks  memory for unexpected messages
//   EagerPlacement    long messages directly into the buffer of their receive
//   RequestEnds       requests that have ended
//   Sends, Receives   the protocols of sends, of receives
//   Probes            finds unexpected messages
//   OutsideProcesses  processes of other jobs, for the gateway
//
// Owned by Messenger, which has the contract for callers; the process' lock guards it.
// Does not: know the protocols.
// More than 30 members: each part is one.

#include <memory>
#include <string>
#include <utility>

#include "mpi_layer/p2p/messenger_options.h"
#include "mpi_layer/p2p/outside_processes.h"
#include "mpi_layer/p2p/probes.h"

namespace lintel::mpi {

class DrivenParts {
 public:
  DrivenParts(portals::Process& process, const MessengerOptions& options);
  DrivenParts(const DrivenParts&) = delete;
  DrivenParts& operator=(const DrivenParts&) = delete;

  // Messenger::open(), close(), add_peer() and add_outside().
  bool open(std::string& explanation) LINTEL_EXCLUDES(kLock);
  void close() LINTEL_EXCLUDES(kLock);
  CallError add_peer(ProcessId process) LINTEL_REQUIRES(kLock);
  CallError add_outside() LINTEL_REQUIRES(kLock);

  // [any thread] Constant after open().
  Mutex& lock() const LINTEL_RETURN_CAPABILITY(kLock) { return engine_.lock(); }
  ProcessId self() const { return self_; }
  std::uint64_t eager_limit() const { return eager_limit_; }
  Credit window() const { return window_; }

  PeerTable& peers() { return peers_; }
  const PeerTable& peers() const { return peers_; }
  PeerWatch& watch() { return watch_; }
  RequestEnds& ends() { return ends_; }
  Sends& sends() { return sends_; }
  Receives& receives() { return receives_; }
  Probes& probes() { return probes_; }
  OutsideProcesses& outside() { return outside_; }

  // One turn of progress. Returns how much happened in the engine.
  std::size_t turn(portals::Yielding yielding = portals::Yielding::kHere) LINTEL_REQUIRES(kLock);
  // Handles all events, then runs the work that they have made possible, and repeats until there
  // are no more events.
  void drain() LINTEL_REQUIRES(kLock) {
    if (engine_.has_events() || deferred_work_.any() || ends_.any_ended()) drain_all();
  }
  // Ends a call that has posted or completed something.
  void finish() LINTEL_REQUIRES(kLock);
  // The number of events handled so far. It grows as long as there is traffic.
  std::uint64_t events_handled() const LINTEL_REQUIRES(kLock) { return events_handled_; }
  // Blocks until `holds` returns true, and releases the lock meanwhile. `contact`
  // (PeerWatch::contact_if_due()) is called at the beginning of the wait and then each time its
  // result asks for it: true while the awaited peer has no session yet.
  template <class Holds, class Contact>
  void wait_until(Holds holds, Contact contact) LINTEL_REQUIRES(kLock);
  // The same for the completion of requests. `requests`: one request, or a span of them.
  template <class Requests, class Holds>
  void wait_for(Requests&& requests, Holds holds) LINTEL_REQUIRES(kLock) {
    wait_until(std::move(holds),
               [&]() LINTEL_REQUIRES(kLock) { return watch_.contact_if_due(requests); });
  }

 private:
  template <class Holds>
  class Awaited;

  bool set_up(std::uint32_t headers) LINTEL_REQUIRES(kLock);
  void release() LINTEL_EXCLUDES(kLock);
  bool idle() LINTEL_REQUIRES(kLock);
  void drain_all() LINTEL_REQUIRES(kLock);
  void take(const portals::Event& event) LINTEL_REQUIRES(kLock);
  void on_control(const portals::Event& event) LINTEL_REQUIRES(kLock);
  void on_peer_lost(ProcessId process) LINTEL_REQUIRES(kLock);
  void run_deferred_work() LINTEL_REQUIRES(kLock);
  SharedParts shared();

  const MessengerOptions options_;
  ProcessId self_;
  std::uint64_t eager_limit_ = 0;
  Credit window_;
  DeferredWork deferred_work_;
  GatewayLink link_;
  EngineAccess engine_;
  PeerTable peers_;
  CreditLedger credit_;
  ControlPackets controls_;
  PeerWatch watch_;
  UnexpectedBlocks unexpected_blocks_;
  EagerPlacement placement_;
  RequestEnds ends_;
  Sends sends_;
  Receives receives_;
  Probes probes_;
  OutsideProcesses outside_;
  std::uint64_t events_handled_ LINTEL_GUARDED_BY(kLock) = 0;
  unsigned sleepers_ LINTEL_GUARDED_BY(kLock) = 0;
};

// The condition that a blocking call gives to the engine. While the caller sleeps, any thread that
// handles an event or completes a request wakes it.
template <class Holds>
class DrivenParts::Awaited final : public portals::Condition {
 public:
  Awaited(DrivenParts& parts, Holds holds)
      : Condition(true), parts_(parts), holds_(std::move(holds)) {}
  bool holds() override {
    kLock.is_held();
    parts_.drain();
    return holds_();
  }
  void react() override {
    kLock.is_held();
    parts_.drain();
  }
  void asleep(bool asleep) override {
    kLock.is_held();
    parts_.sleepers_ += asleep ? 1U : ~0U;
    parts_.engine_.asleep(asleep);
  }

 private:
  DrivenParts& parts_;
  Holds holds_;
};

template <class Holds, class Contact>
void DrivenParts::wait_until(Holds holds, Contact contact) {
  Awaited<Holds> awaited(*this, std::move(holds));
  if (awaited.holds()) return;
  bool over = false;
  while (!over) over = engine_.wait_until(awaited, contact() ? watch_.next_contact() : kNever);
}

}  // namespace lintel::mpi
