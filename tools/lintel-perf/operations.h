#pragma once
// The operations that are measured, without a word of which Portals they go through: memory to be
// attached, operations to be started, completions to be counted. api3/ and api4/ implement it.
//
// Thread: one, but for stop() and seen(). What it does not do: look at clocks, or at message bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "failure.h"

namespace lintel::perf {

enum class Api : int { kPortals3 = 3, kPortals4 = 4 };

// How completion is learnt.
enum class Notify { kEvents, kCounters };

// As options and reports name it.
constexpr const char* name_of(Notify notify) {
  return notify == Notify::kEvents ? "events" : "counters";
}

struct ProcessName {
  std::uint32_t nid = 0;  // IPv4 address, host byte order
  std::uint32_t pid = 0;
};

inline constexpr std::uint32_t kTimedPortal = 2;  // one entry: the target of timed operations
// One entry for each message of a verified window; its match bits are the slot's number.
inline constexpr std::uint32_t kSlotPortal = 3;

struct Place {
  std::uint32_t portal = kTimedPortal;
  std::uint64_t bits = 0;
};

struct Piece {
  std::byte* start;
  std::uint64_t length;
};

// Memory that the API knows of. The bytes stay the caller's, but must stay where they are until
// detach() has returned true.
class LINTEL_PERF_SEAM Attachment {
 public:
  virtual ~Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  // Takes the memory back. Returns false as long as an operation is under way with it: then neither
  // the bytes nor this object may go.
  [[nodiscard]] virtual bool detach() = 0;

 protected:
  Attachment() = default;
};

enum class Moment : std::uint8_t {
  kSent,     // the memory may be used again. With counters only puts without an ack are counted
  kAcked,    // the target has the bytes
  kReplied,  // the fetched bytes are here
  kArrived   // at the target: the bytes are in an entry whose arrivals are counted
};
inline constexpr std::size_t kMoments = 4;
constexpr std::size_t index_of(Moment moment) { return static_cast<std::size_t>(moment); }

// What is started. kAdd and kFetchAdd add 64-bit words to those at the target; kFetchAdd and kSwap
// fetch what was there. See Limits for which of them an API has.
enum class Action : std::uint8_t { kPut, kAckedPut, kGet, kSwap, kAdd, kFetchAdd };

constexpr Moment end_of(Action action) {
  if (action == Action::kPut) return Moment::kSent;
  return action == Action::kAckedPut || action == Action::kAdd ? Moment::kAcked : Moment::kReplied;
}

// Every operation moves one whole attachment, of the same length each time; another length is a
// Failure. Completions are counted from the beginning of this object.
class LINTEL_PERF_SEAM Operations {
 public:
  virtual ~Operations() = default;
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  // Memory that operations start from.
  virtual std::unique_ptr<Attachment> bind(std::span<const Piece> memory) = 0;
  // Memory that the peer alone may address. `counted`: each arrival is one kArrived.
  virtual std::unique_ptr<Attachment> expose(Place place, std::span<const Piece> memory,
                                             bool counted) = 0;

  // Starts one operation with bound memory. `operand`: what kSwap and kFetchAdd send; unused by the
  // others. Returns false if the library has no room for it now; throws Failure if it refuses it.
  [[nodiscard]] bool start(Action action, const Attachment& memory, const Attachment* operand = {},
                           Place place = {}) {
    if (!issue(action, memory, operand, place)) [[unlikely]]
      return false;
    owe(end_of(action));
    if (tells_sent_ && action != Action::kPut && action != Action::kGet) owe(Moment::kSent);
    return true;
  }

  // Waits until there are at least `at_least` completions of that kind, then takes more that are
  // there already, until `enough`. Returns how many there are. Throws PeerLost when the peer is
  // lost or stop() was called, Failure when an operation failed or completions were lost.
  virtual std::uint64_t wait(Moment moment, std::uint64_t at_least, std::uint64_t enough) = 0;
  std::uint64_t wait(Moment moment, std::uint64_t at_least) {
    return wait(moment, at_least, at_least);
  }

  // Waits until everything started here has told all it has to tell: all memory may be used again.
  void settle() {
    for (const Moment moment : {Moment::kSent, Moment::kAcked, Moment::kReplied}) {
      if (count(moment) < owed_[index_of(moment)]) wait(moment, owed_[index_of(moment)]);
    }
  }

  // What wait() and settle() have taken so far.
  std::uint64_t count(Moment moment) const { return taken_[index_of(moment)]; }

  // Makes a present or future wait throw PeerLost(reason). Any thread; the first reason counts.
  virtual void stop(const std::string& reason) = 0;

  // Grows as long as there is progress. Any thread.
  virtual std::uint64_t seen() const = 0;

 protected:
  // `tells_sent`: kSent is told of every operation that sends, also if it ends with another moment.
  explicit Operations(bool tells_sent) : tells_sent_(tells_sent) {}

  // The call of the API; as start().
  virtual bool issue(Action action, const Attachment& memory, const Attachment* operand,
                     Place place) = 0;
  void owe(Moment moment) { ++owed_[index_of(moment)]; }

  std::array<std::uint64_t, kMoments> taken_{};

 private:
  const bool tells_sent_;
  std::array<std::uint64_t, kMoments> owed_{};
};

struct OperationsParameters {
  ProcessName peer;
  std::uint64_t length = 8;  // of every operation, bytes
  Notify notify = Notify::kEvents;
  std::uint64_t events = 256;  // what a queue has to hold
  // Nothing starts here; arrivals that a queue has no room for count too.
  bool only_arrivals = false;
};

// The most of something, and the name of the limit in this API. 0: there is no such operation.
struct Limit {
  std::uint64_t most = 0;
  const char* name = "";
};

struct Limits {
  Limit pieces;  // of one attachment
  Limit swap;    // bytes, as the next two
  Limit atomic;
  Limit fetch_atomic;
};

// An interface of one API, opened for operations. Outlives the Operations made on it.
class LINTEL_PERF_SEAM TimedInterface {
 public:
  virtual ~TimedInterface() = default;
  TimedInterface(const TimedInterface&) = delete;
  TimedInterface& operator=(const TimedInterface&) = delete;

  virtual const Limits& limits() const = 0;
  virtual std::unique_ptr<Operations> operations(const OperationsParameters& parameters) = 0;

  // Makes the end of this object leave the interface open, see Interface::abandon().
  virtual void abandon() = 0;

 protected:
  TimedInterface() = default;
};

}  // namespace lintel::perf
