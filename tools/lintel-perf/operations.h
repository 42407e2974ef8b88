#pragma once
// The operations that are measured, whichever Portals they go through: memory to be attached,
// operations to be started, completions to be counted. api3/ and api4/ implement it.
//
// Thread: one, but for stop() and seen().

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
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

// As aligned as it is large: clang++ 14 calls libatomic for any other structure.
struct alignas(8) ProcessName {
  std::uint32_t nid = 0;  // IPv4 address, host byte order
  std::uint32_t pid = 0;

  bool operator==(const ProcessName&) const = default;
};

// Its entries have the match bits 0, the target of timed operations, or the number of a slot + 1.
inline constexpr std::uint32_t kTimedPortal = 2;

using MemoryPiece = std::span<std::byte>;

// Memory that the API knows of. The bytes stay the caller's, but must stay where they are until
// detach() has returned true.
class Attachment : NotCopied {
 public:
  virtual ~Attachment() = default;

  // Takes the memory back. Returns false as long as an operation is under way with it: then neither
  // the bytes nor this object may go.
  [[nodiscard]] virtual bool detach() = 0;
};

enum class CompletionKind : std::uint8_t {
  kSend,   // the memory may be used again. With counters only puts without an ack are counted
  kAck,    // the target has the bytes
  kReply,  // the fetched bytes are here
  kPut     // at the target: the bytes are in an entry that counts them
};
inline constexpr std::size_t kEventKinds = 4;
constexpr std::size_t index_of(CompletionKind kind) { return static_cast<std::size_t>(kind); }

// What is started. kAdd and kFetchAdd add 64-bit words to those at the target; kFetchAdd and kSwap
// fetch what was there. See OperationLimits for which of them an API has.
enum class MeasuredAction : std::uint8_t { kPut, kAckedPut, kGet, kSwap, kAdd, kFetchAdd };

constexpr CompletionKind end_of(MeasuredAction action) {
  if (action == MeasuredAction::kPut) return CompletionKind::kSend;
  return action == MeasuredAction::kAckedPut || action == MeasuredAction::kAdd
             ? CompletionKind::kAck
             : CompletionKind::kReply;
}

// Every operation moves one whole attachment, of the same length each time; another length is a
// PerfFailure. Completions are counted from the beginning of this object.
class MeasuredOperations : NotCopied {
 public:
  virtual ~MeasuredOperations() = default;

  // Memory that operations start from.
  virtual std::unique_ptr<Attachment> bind(std::span<const MemoryPiece> memory) = 0;
  // Memory that the peer alone may address. `counted`: each arrival is one kPut.
  virtual std::unique_ptr<Attachment> expose(std::uint64_t bits,
                                             std::span<const MemoryPiece> memory, bool counted) = 0;

  // Starts one operation with bound memory. `operand`: what kSwap and kFetchAdd send. Returns false
  // if the library has no room for it now; throws PerfFailure if it refuses it.
  [[nodiscard]] bool start(MeasuredAction action, const Attachment& memory,
                           const Attachment* operand = {}, std::uint64_t bits = 0) {
    if (!issue(action, memory, operand, bits)) [[unlikely]]
      return false;
    owe(end_of(action));
    if (tells_send_ && action != MeasuredAction::kPut && action != MeasuredAction::kGet)
      owe(CompletionKind::kSend);
    return true;
  }

  // Waits until there are at least `at_least` completions of that kind, then takes more that are
  // there already, until `enough`. Returns how many there are. Throws PeerLost when the peer is
  // lost or stop() was called, PerfFailure when an operation failed or completions were lost.
  virtual std::uint64_t wait(CompletionKind kind, std::uint64_t at_least,
                             std::uint64_t enough = 0) = 0;

  // Waits until everything started here has completed: all memory may be used again.
  void settle() {
    for (const CompletionKind kind :
         {CompletionKind::kSend, CompletionKind::kAck, CompletionKind::kReply}) {
      if (count(kind) < owed_[index_of(kind)]) wait(kind, owed_[index_of(kind)]);
    }
  }

  // What wait() and settle() have taken so far.
  std::uint64_t count(CompletionKind kind) const { return taken_[index_of(kind)]; }

  // Makes a present or future wait throw PeerLost(reason). Any thread; the first reason counts.
  void stop(const std::string& reason) {
    stop_reason_.set(reason, [this] { end_waits(); });
  }

  // Grows as long as there is progress. Any thread.
  virtual std::uint64_t seen() const = 0;

 protected:
  // `tells_send`: there is a kSend for every operation that sends, also if another kind ends it.
  explicit MeasuredOperations(bool tells_send) : tells_send_(tells_send) {}

  // The call of the API for start().
  virtual bool issue(MeasuredAction action, const Attachment& memory, const Attachment* operand,
                     std::uint64_t bits) = 0;
  // Frees what waits use, so that they return. Not called again by an implementation that has been
  // stopped.
  virtual void end_waits() = 0;
  void owe(CompletionKind kind) { ++owed_[index_of(kind)]; }

  std::array<std::uint64_t, kEventKinds> taken_{};
  StopReason stop_reason_;

 private:
  const bool tells_send_;
  std::array<std::uint64_t, kEventKinds> owed_{};
};

// What one process needs for one measurement at one size.
struct SideParameters {
  ProcessName peer = {};
  Notify notify = Notify::kEvents;
  std::uint64_t size = 8;       // bytes of every operation
  std::uint64_t pieces = 1;     // an attachment is made of that many
  std::uint64_t slots = 0;      // messages of a verified window, each with memory of its own
  std::uint64_t events = 256;   // what a queue has to hold
  bool exposed = false;         // the peer addresses this side
  bool exposed_events = false;  // and this side is told of each put
  bool local = false;           // this side starts operations
  bool fetched = false;         // and fetches: where the old contents go

  // Nothing starts here; arrivals that a queue has no room for count too.
  bool only_arrivals() const { return exposed_events && !local; }
};

// The most of something, and the name of the limit in this API.
struct Limit {
  std::uint64_t most = 0;
  const char* name = "";
};

struct OperationLimits {
  Limit pieces = {};                           // of one attachment
  std::map<MeasuredAction, Limit> bytes = {};  // of operations whose size has a bound
};

// An interface of one API, opened for operations. Outlives the MeasuredOperations made on it.
class TimedInterface : NotCopied {
 public:
  virtual ~TimedInterface() = default;

  virtual std::unique_ptr<MeasuredOperations> operations(const SideParameters& parameters) = 0;
  const OperationLimits& limits() const { return limits_; }

 protected:
  OperationLimits limits_;
};

// Opens a matching physical interface of Portals 4, beside Portals 3 in one process: both have the
// same nid and pid. `self`: what the process is called through Portals 3, which has to be open.
// Throws PerfFailure(kUnusable) if it cannot be had.
std::unique_ptr<TimedInterface> open_portals4(ProcessName self);

}  // namespace lintel::perf
