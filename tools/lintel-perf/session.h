#pragma once
// The client's end of the conversation with one server: requests, replies, and the watch over the phases in between.
//
// Borrows the interfaces and the channel. Thread: one.

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "control_channel.h"
#include "interface.h"
#include "live_peer.h"
#include "side.h"
#include "timed_interfaces.h"
#include "watch.h"

namespace lintel::perf {

class Session {
 public:
  Session(const Interface& network, TimedInterfaces& timed, ControlChannel& control, ptl_process_id_t peer,
          std::chrono::duration<double> deadline);

  // Sends a request {"do": what, arguments...} and returns when it lies at the server, whose reply finish() takes. One at a time.
  void start(const char* what, nlohmann::json arguments);

  // Waits until the server says that it begins what start() asked for.
  void await_notice();

  // The reply. `allowance`: how much longer than the deadline it may take. Throws Failure with the server's sentence if it reports one.
  nlohmann::json finish(std::chrono::duration<double> allowance = {});

  nlohmann::json call(const char* what, nlohmann::json arguments, std::chrono::duration<double> allowance = {});

  // Ends the conversation; does not throw.
  void bye();

  // Guards a phase in which up to `bytes` are under way.
  std::unique_ptr<Watch> watch(Operations& operations, std::uint64_t bytes) const;

  // The interface of that API, opened here.
  TimedInterface& timed(Api api) { return timed_.of(api); }
  ptl_process_id_t peer() const { return peer_.id(); }

 private:
  nlohmann::json await(const char* kind, std::chrono::duration<double> limit);
  std::chrono::milliseconds send_limit() const;

  const Interface& network_;
  TimedInterfaces& timed_;
  ControlChannel& control_;
  LivePeer peer_;
  std::chrono::duration<double> deadline_;
  std::uint64_t number_ = 0;  // of the last request
};

// The time that a slow machine may need to move, fill or compare that many bytes.
std::chrono::duration<double> time_for(std::uint64_t bytes);

// Both sides of one measurement at one size, set up here and at the server; taken down at the end.
class Pair {
 public:
  Pair(Session& session, const SideParameters& own, const SideParameters& target);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  Session& session() { return session_; }
  Side& own() { return own_; }

  // Runs `traffic` on this side under watch; `in_flight`: how many messages may be under way.
  template <class Traffic>
  void watched(std::uint64_t in_flight, Traffic traffic) {
    const auto guard = session_.watch(*own_.operations, in_flight * own_.parameters.size);
    traffic();
  }

  // The server's memory for the timed operations: writes message `id`, writes what differs from it, or compares. `what`: "exposed" or "local".
  void fill_target(const char* what, std::uint64_t id);
  void poison_target(const char* what, std::uint64_t id);
  void check_target(const char* what, std::uint64_t id);

  // The words of sums.h in the server's exposed memory: writes their start, or compares with what `times` sums leave.
  void begin_target_sums();
  void check_target_sums(std::uint64_t times);

  // As fill_target() and check_target(), for `count` slots with the messages from `first` on.
  void fill_target_slots(Origin origin, std::uint64_t first, std::uint64_t count);
  void check_target_slots(Origin origin, std::uint64_t first, std::uint64_t count);

 private:
  Session& session_;
  Side own_;
};

}  // namespace lintel::perf
