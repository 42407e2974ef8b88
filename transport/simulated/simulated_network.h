#pragma once
// SimulatedNetwork: a network of many processes inside one process, in virtual time, repeatable by
// its seed.
//
// Owns the time, the delays and what is under way; its transports borrow it.
// Thread: one for the network and all its transports; there is no lock.
// Invariants:
//  (1) Messages and placed messages of one (sender, receiver) pair arrive in the order of their
//      commits. At most SimulatedOptions::max_in_flight of them are committed and not polled by the
//      receiver.
//  (2) Between pairs, and between messages and writes, the order is random.
//  (3) The local bytes of a write are read at a random time between post_write and on_write_done.
//      Its immediate is reported after its bytes are in place.
//  (4) The payload of a placed message is read at a random time between commit_placed and its
//      delivery, and is then copied into the memory in which the receiver expects it.
//  (5) The same seed and the same calls give the same run.
// Time advances only by advance_to_next(), run_until() or a poll() with a later time.
// Does not: resend, notice a death of which it is not told (see Death), tell a peer of a
// disconnect(), or make placed messages wait until placement is enabled.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "transport/transport.h"

namespace lintel::transport {

struct SimulatedEndpoint;
struct SimulatedPair;
class SimulatedTransport;

// How a process disappears.
enum class Death : std::uint8_t {
  kSilent,  // nobody is told and messages to it are lost, as when its machine loses power
  // All who know it get on_peer_failed after a delay, and messages to it are refused, as when its
  // kernel closes sockets.
  kNoticed,
};

struct SimulatedOptions {
  std::uint64_t seed = 1;
  Nanoseconds shortest_delay{1'000};
  Nanoseconds longest_delay{20'000};
  std::size_t max_in_flight = 64;         // messages per pair; more would block
  std::size_t max_writes_in_flight = 16;  // writes per pair; more would block
  // A message to a name that never joined: on_peer_failed (true), or nothing.
  bool refuse_absent = true;
  bool virtual_addresses = true;  // Registration::base is the address of the first byte, or 0
  TransportAttributes attributes{.name = "simulated",
                                 .version = "1",
                                 .max_message_bytes = 8192,
                                 .max_write_bytes = 65536,
                                 .max_placed_bytes = 262144,
                                 .max_placed_message = 128,
                                 .knows_source = false,
                                 .independent_reservations = true};
};

struct SimulatedCounters {
  std::uint64_t messages = 0;  // delivered to a receiver's poll queue, placed messages included
  // To a process that had ended, or a placed message whose sender had ended before its payload was
  // read.
  std::uint64_t messages_lost = 0;
  std::uint64_t payloads_placed = 0;   // placed messages whose payload was expected
  std::uint64_t writes = 0;            // whose bytes were written
  std::uint64_t writes_refused = 0;    // wrong key, address, length or peer at the receiver
  std::uint64_t writes_cancelled = 0;  // source or receiver ended before the bytes were read
};

class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(SimulatedOptions options = {});
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;
  ~SimulatedNetwork();

  // Adds a process of that name. Destroying the transport ends the process as Death::kNoticed does,
  // but no process is told.
  // REQUIRES: no living process has the name; the network outlives the transport.
  std::unique_ptr<SimulatedTransport> join(ProcessId name);

  // Ends a process. The messages that it has committed still arrive. Its writes are cancelled, and
  // so are placed messages whose payload was not read yet. No effect if no such process lives.
  void kill(ProcessId name, Death death);

  TimePoint now() const { return now_; }
  // The time of the next event; kNever if nothing is under way.
  TimePoint next_event() const;
  // Advances the time to the next event, which happens. False: nothing is under way, and the time
  // stays.
  bool advance_to_next();
  // Advances the time to `until`; all events up to then happen. Processes see them in poll(). No
  // effect if `until` is past.
  void run_until(TimePoint until);
  // The same, and calls `step(now)` after each event and once at `until`, to poll the processes.
  void run_until(TimePoint until, const std::function<void(TimePoint)>& step);

  const SimulatedCounters& counters() const { return counters_; }
  const SimulatedOptions& options() const { return options_; }

 private:
  friend class SimulatedTransport;
  using Action = std::function<void()>;

  void at(TimePoint when, Action action);
  Nanoseconds random_delay();
  TimePoint random_between(TimePoint from, TimePoint to);
  // The process of that name, dead or alive, or nullptr.
  std::shared_ptr<SimulatedEndpoint> find(ProcessId name) const;
  std::shared_ptr<SimulatedPair> pair(ProcessId from, ProcessId to);
  // Starts the counts of the pair again: what is under way does not count.
  void renew_pair(ProcessId from, ProcessId to);

  SimulatedOptions options_;
  SimulatedCounters counters_;
  std::mt19937_64 random_;
  TimePoint now_{};
  std::uint64_t serial_ = 0;
  std::uint64_t connections_ = 0;  // numbers of connections drawn so far
  std::map<std::pair<TimePoint, std::uint64_t>, Action> events_;
  std::unordered_map<ProcessId, std::shared_ptr<SimulatedEndpoint>> endpoints_;
  std::map<std::pair<ProcessId, ProcessId>, std::shared_ptr<SimulatedPair>> pairs_;
};

}  // namespace lintel::transport
