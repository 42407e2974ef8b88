#pragma once
// The operations that are measured, without a word of which Portals they go through: memory to be attached, operations to be started, completions to be
// counted. Portals 3 is behind it in api3/, Portals 4 in api4/.
//
// Thread: one, but for stop() and seen(). What it does not do: look at clocks, or at message bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "api_choice.h"
#include "seam.h"

namespace lintel::perf {

struct ProcessName {
  std::uint32_t nid = 0;  // IPv4 address, host byte order
  std::uint32_t pid = 0;
};

inline constexpr std::uint32_t kTimedPortal = 2;  // one entry: the target of timed operations
inline constexpr std::uint32_t kSlotPortal = 3;   // one entry per message of a verified window; match bits are the slot's number

struct Place {
  std::uint32_t portal = kTimedPortal;
  std::uint64_t bits = 0;
};

struct Piece {
  std::byte* start;
  std::uint64_t length;
};

// Memory that the API knows of. The bytes stay the caller's, but must stay where they are until detach() has returned true.
class LINTEL_PERF_SEAM Attachment {
 public:
  virtual ~Attachment() = default;

  // Takes the memory back. Returns false as long as an operation is under way with it: then neither the bytes nor this object may go.
  [[nodiscard]] virtual bool detach() = 0;

 protected:
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;
};

// Memory that operations start from.
class LINTEL_PERF_SEAM Descriptor : public Attachment {};

// Memory that the peer may address.
class LINTEL_PERF_SEAM Entry : public Attachment {};

enum class Moment : std::uint8_t {
  kSent,     // the memory here may be used again. With counters only puts without an ack are counted
  kAcked,    // the target has the bytes
  kReplied,  // the fetched bytes are here
  kArrived   // at the target: the bytes are in an entry whose arrivals are counted
};
inline constexpr std::size_t kMoments = 4;
constexpr std::size_t index_of(Moment kind) { return static_cast<std::size_t>(kind); }

enum class Ack : bool { kNo, kYes };

// All operations move one whole descriptor, of the same length each time; another length is a Failure. Those that start one return false if the library has
// no room for it now, and throw Failure if it refuses it for another reason. Completions are counted from the beginning of this object.
class LINTEL_PERF_SEAM Operations {
 public:
  virtual ~Operations() = default;
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  virtual std::unique_ptr<Descriptor> bind(std::span<const Piece> memory) = 0;
  // The peer alone may put, get, swap and combine there. `counted`: each arrival is one kArrived.
  virtual std::unique_ptr<Entry> expose(Place place, std::span<const Piece> memory, bool counted) = 0;

  [[nodiscard]] virtual bool put(const Descriptor& from, Ack ack, Place place) = 0;
  [[nodiscard]] virtual bool get(const Descriptor& into, Place place) = 0;
  [[nodiscard]] virtual bool swap(const Descriptor& into, const Descriptor& from, Place place) = 0;
  // Adds 64-bit words to those at the target; ends with its ack. REQUIRES: Limits::atomic is not 0.
  [[nodiscard]] virtual bool add(const Descriptor& from, Place place) = 0;
  // The same, and fetches what was there. REQUIRES: Limits::fetch_atomic is not 0.
  [[nodiscard]] virtual bool fetch_add(const Descriptor& into, const Descriptor& from, Place place) = 0;

  // Waits until there are at least `at_least` completions of that kind, then takes more that are there already, until `enough`. Returns how many there are.
  // Throws PeerLost when the peer is lost or stop() was called, Failure when an operation failed or completions were lost.
  virtual std::uint64_t wait(Moment kind, std::uint64_t at_least, std::uint64_t enough) = 0;
  std::uint64_t wait(Moment kind, std::uint64_t at_least) { return wait(kind, at_least, at_least); }

  // Waits until everything started here has ended and told all it has to tell: all memory may be used again.
  virtual void settle() = 0;

  // What wait() and settle() have taken so far.
  std::uint64_t count(Moment kind) const { return taken_[index_of(kind)]; }

  // Makes a present or future wait throw PeerLost(reason). Any thread; the first reason counts.
  virtual void stop(const std::string& reason) = 0;

  // Grows as long as there is progress. Any thread.
  virtual std::uint64_t seen() const = 0;

 protected:
  Operations() = default;

  void owe(Moment kind) { ++owed_[index_of(kind)]; }
  void take(Moment kind, std::uint64_t how_many) { taken_[index_of(kind)] += how_many; }
  bool settled(Moment kind) const { return taken_[index_of(kind)] >= owed_[index_of(kind)]; }
  bool settled() const { return settled(Moment::kSent) && settled(Moment::kAcked) && settled(Moment::kReplied); }

  std::array<std::uint64_t, kMoments> taken_{};
  std::array<std::uint64_t, kMoments> owed_{};  // by what was started here
};

struct OperationsParameters {
  ProcessName peer;
  std::uint64_t length = 8;  // of every operation, bytes
  Notify notify = Notify::kEvents;
  std::uint64_t events = 256;  // what a queue has to hold
  bool only_arrivals = false;  // nothing starts here; arrivals that a queue has no room for count too
};

// The most of something, and the name of the limit in this API. 0: the API has no such operation.
struct Limit {
  std::uint64_t most = 0;
  const char* name = "";
};

struct Limits {
  Limit pieces;  // of one descriptor or entry
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
