#pragma once
// The two processes' talk about what is measured, after they have greeted each other.

#include <nlohmann/json.hpp>
#include <optional>

#include "contents.h"
#include "control_channel.h"
#include "interface.h"
#include "liveness.h"
#include "side.h"

namespace lintel::perf {

// The time that a slow machine may need to move, fill or compare that many bytes.
Seconds time_for(std::uint64_t bytes);

// The other process, which may die meanwhile.
//
// Borrows the interface and the channel. Thread: one. Remembers from call to call when the peer
// last gave a sign of life; after a second without one it is probed, so a peer that computes, and
// says nothing, counts as alive.
class OtherProcess {
 public:
  // `deadline`: how long a message may take, a probe stay unanswered, and operations stand still.
  OtherProcess(Interface& network, ControlChannel& control, ptl_process_id_t id, Seconds deadline)
      : network_(network), control_(control), id_(id), deadline_(deadline) {}

  ptl_process_id_t id() const { return id_; }
  bool is(ptl_process_id_t process) const {
    return process.nid == id_.nid && process.pid == id_.pid;
  }
  Seconds deadline() const { return deadline_; }

  void send(const nlohmann::json& message) { control_.send(id_, message, deadline_); }

  // The next control message, from anybody, or nothing after `limit`. Throws PeerLost when the peer
  // is dead; messages that have arrived stay in the channel.
  std::optional<ControlMessage> receive(Seconds limit);

  // Runs `traffic`, in which up to `bytes` are under way, under watch.
  template <class Traffic>
  void watched(Operations& operations, std::uint64_t bytes, Traffic traffic) {
    const Watch guard(network_.handle(), id_, operations, deadline_ + time_for(bytes));
    traffic();
  }

 private:
  void look_for_life();

  Interface& network_;
  ControlChannel& control_;
  ptl_process_id_t id_;
  Seconds deadline_;
  Clock::time_point last_sign_ = Clock::now();
  std::optional<PeerProbe> probe_;  // made at the first silence
};

// The client's end of the conversation with one server: requests and replies. Thread: one.
class Conversation {
 public:
  Conversation(Interface& network, ControlChannel& control, ptl_process_id_t peer, Seconds deadline)
      : network_(network), control_(control), peer_(network, control, peer, deadline) {}

  // Sends a request {"do": what, arguments...} and returns when it lies at the server, whose reply
  // finish() takes. One at a time.
  void start(const char* what, nlohmann::json arguments);

  // Waits until the server says that it begins what start() asked for.
  void await_notice();

  // Takes the reply. `allowance`: how much longer than the deadline it may take. Throws Failure
  // with the server's sentence if it reports one.
  void finish(Seconds allowance = {});

  // start() and finish().
  void call(const char* what, nlohmann::json arguments, Seconds allowance = {});

  // Ends the conversation; does not throw.
  void bye();

  Interface& network() { return network_; }
  OtherProcess& peer() { return peer_; }

 private:
  nlohmann::json await(const char* kind, Seconds limit);

  Interface& network_;
  ControlChannel& control_;
  OtherProcess peer_;
  std::uint64_t number_ = 0;  // of the last request
};

// Both sides of one measurement at one size, set up here and at the server; taken down at the end.
class Pair {
 public:
  Pair(Conversation& conversation, const SideParameters& own, const SideParameters& target);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  Side& own() { return own_; }

  // Runs `traffic` on this side under watch; `in_flight`: how many messages may be under way.
  template <class Traffic>
  void watched(std::uint64_t in_flight, Traffic traffic) {
    conversation_.peer().watched(*own_.operations, in_flight * own_.parameters.size, traffic);
  }

  // The server's memory for the timed operations: `request` is "fill" (writes message `id`),
  // "poison"
  // (what differs from it) or "check"; `what` is "exposed" or "local".
  void at_target(const char* request, const char* what, std::uint64_t id);

  // "begin_sums" writes the start of sums to the exposed memory; "check_sums" compares with what
  // `times` sums leave.
  void sums_at_target(const char* request, std::uint64_t times);

  // "fill_slots" and "check_slots": `count` slots with the messages of `origin` from `first` on.
  void slots_at_target(const char* request, Origin origin, std::uint64_t first,
                       std::uint64_t count);

 private:
  Conversation& conversation_;
  Side own_;
};

}  // namespace lintel::perf
