#pragma once
// The seam between the engine and any network: everything above this header works the same over
// libfabric, a simulated network, or either of them with faults injected.
//
// A transport carries two things to a peer: short messages, delivered whole, once and in order, and
// writes into memory that the peer has registered. Some carry placed messages too (eager direct
// placement): a message and a payload, which goes from where it lies straight to the memory in
// which the receiver expects it. A payload that nobody expects comes to memory of the transport.
//
// Five implementations: direct/ (TCP), fabric/ (libfabric), simulated/ (many processes in one,
// virtual time), faulty/ (wraps any other and makes it misbehave), session/ (wraps any other and
// adds what the engine relies on: sequence, liveness, shared frames).
//
// Only a session promises "once and in order, or on_peer_failed". What lies below may lose or
// repeat messages when it breaks.
//
// Thread: a transport has no lock. One lock of the owner guards all calls but those marked [any
// thread].
// Time is an argument: nothing here asks a clock.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"

namespace lintel::transport {

// Index of a peer in one transport; dense from 0, never reused while the transport lives.
using PeerId = Id<struct PeerIdTag, std::uint32_t>;
inline constexpr PeerId kNoPeer{0xffffffffU};

// Chosen by the caller of an asynchronous call and handed back with its completion; the transport
// does not look inside.
using Context = Id<struct ContextTag, std::uint64_t>;

// Names a payload to its receiver: the sender stamps it, and whoever expects it says the same.
using PlacementKey = Id<struct PlacementKeyTag, std::uint64_t>;
inline constexpr unsigned kPlacementKeyBits = 63;  // it is a number below 2^63
constexpr bool is_placement_key(PlacementKey key) { return key.value >> kPlacementKeyBits == 0; }

// 32 bits that travel with a write and come out at the target when its bytes are in place. 32
// because some providers carry no more.
using Immediate = Id<struct ImmediateTag, std::uint32_t>;

enum class PostStatus : std::uint8_t {
  kOk,
  kWouldBlock,  // no room now: poll(), then try again. Nothing was taken. Not an error; the owner
                // decides how long to go on.
  kFailed,      // the peer is lost; its operations end through Sink::on_peer_failed, or by
                // disconnect()
};

// Memory in which the next message to a peer is built, lent by reserve().
struct MessageBuffer {
  std::byte* data = nullptr;  // nullptr: nothing was lent (would block)
  std::size_t capacity = 0;   // >= the bytes asked for
  std::uint64_t token = 0;    // the transport's own
  explicit operator bool() const { return data != nullptr; }
};

enum class Access : std::uint8_t { kWriteSource, kWriteTarget };

// A registration made by register_memory(). `key` and `base` are what a peer must present to write
// into it: byte i of the region has the remote address base + i.
struct Region {
  std::uint64_t id = 0;  // the transport's own; 0 = none
  std::uint64_t key = 0;
  std::uint64_t base = 0;
};

// Where a write lands at the peer: made from a Region there and carried here by a message. Foreign
// bytes: a transport checks them
// (or its provider does) and fails the peer rather than trusting them.
struct RemoteMemory {
  std::uint64_t key = 0;
  std::uint64_t address = 0;
};

// Where a write comes from. `region` covers the bytes and was registered for the same peer with
// kWriteSource.
struct LocalMemory {
  const std::byte* data = nullptr;
  std::size_t length = 0;
  Region region;
};

// The payload of a placed message that has arrived.
struct PlacedPayload {
  // All of it, or as much as the memory that was given for it has room for. Where it was expected
  // this is that memory from its first byte.
  std::span<const std::byte> bytes;
  std::uint64_t length = 0;  // as it was sent
};

// What became of memory in which a payload was expected.
enum class Withdrawal : std::uint8_t {
  kNone,       // nothing was expected, or it has come
  kWithdrawn,  // it was expected and will not land there
  kArriving,   // it is landing: on_placed_message() follows, or the peer is lost
};

// What a transport found out about itself; constant while it lives.
struct Attributes {
  std::string name;                       // provider as users know it: "direct", "net",
                                          // "tcp;ofi_rxm", "shm", "simulated"
  std::string version;                    // of the library or the protocol below, for diagnosis and
                                          // for refusing a mix of incompatible ones
  std::size_t max_message_bytes = 0;      // largest message
  std::size_t max_write_bytes = 0;        // largest single write
  std::size_t max_placed_bytes = 0;       // largest payload of a placed message; 0: there are no
                                          // placed messages
  std::size_t max_placed_message = 0;     // and of the message in it
  bool knows_source = false;              // on_message tells the peer; if not, messages must name
                                          // their sender themselves
  bool independent_reservations = false;  // several MessageBuffers may be open at once
};

// What went over the network so far. Never falls.
struct FrameCounts {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t malformed = 0;
  std::uint64_t duplicates = 0;
};

// Receives what poll() finds. Called inside poll(), on the caller's thread, with the owner's lock
// held.
class Sink {
 public:
  virtual ~Sink() = default;
  // A message has come. `message` is valid during the call only. `from` is kNoPeer when the
  // transport cannot tell.
  // The sink may call any function of the transport but poll().
  virtual void on_message(PeerId from, std::span<const std::byte> message) = 0;
  // A placed message has come, in order with the messages: as on_message(), with its payload; zeros
  // may follow the message. Transports without placed messages never call it.
  virtual void on_placed_message(PeerId, std::span<const std::byte>, const PlacedPayload&) {}
  // One message committed to `to` has left: the provider holds it or it is under way. Says nothing
  // about delivery.
  virtual void on_message_left(PeerId to) = 0;
  // The write posted with `context` no longer needs its local bytes (ok), or failed. Says nothing
  // about delivery.
  virtual void on_write_done(Context context, Error error) = 0;
  // A peer's write that carried `immediate` is in place: its bytes are visible to the CPU.
  virtual void on_immediate(Immediate immediate) = 0;
  // The peer is lost, and its connection has ended as by disconnect(): no completion follows for
  // messages to it; writes to it
  // may still complete, with or without error.
  virtual void on_peer_failed(PeerId peer, Error error) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual const Attributes& attributes() const = 0;

  // This process' own name on the network.
  virtual ProcessId self() const = 0;

  // The peer of that name, made known on first use. Does not talk to it, does not block.
  // Error (kOperation): the name cannot be an address on this network.
  virtual Result<PeerId> resolve(ProcessId name) = 0;
  // REQUIRES: `peer` came from resolve() or from a Sink call of this transport.
  virtual ProcessId name_of(PeerId peer) const = 0;

  // Lends room for one message of at most `bytes` bytes to `peer`; an empty buffer means would
  // block.
  // REQUIRES: bytes <= attributes().max_message_bytes. A buffer is given back by exactly one
  // commit() or abandon(), before any other call on this transport unless
  // attributes().independent_reservations.
  virtual MessageBuffer reserve(PeerId peer, std::size_t bytes) = 0;
  // Sends the first `bytes` bytes of the buffer. On kWouldBlock and kFailed the buffer is still
  // lent: commit it again, or abandon it.
  virtual PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) = 0;
  virtual void abandon(PeerId peer, const MessageBuffer& buffer) = 0;

  // Ends the connection to the peer, if there is one, and all attempts to make one. When it
  // returns:
  //  * Nothing that the peer has sent on this connection changes memory any more, or is reported:
  //    no message, no write, and no
  //    placed message, whose memory is the caller's again as if withdraw_placement() had withdrawn
  //    it.
  //  * The frames and records of what was committed to the peer are free, and its local bytes are
  //    the caller's. Whole messages
  //    that the network has taken already may still arrive. on_write_done() follows with an error,
  //    in the next poll(), for each
  //    write and placed message that has not ended; on_message_left() and on_peer_failed() do not
  //    follow.
  // Buffers that are lent stay lent, and registrations stay until deregister_memory(). The next
  // commit() to the peer makes a new connection. Whether the peer is told is up to the network. May
  // be called inside Sink calls but on_message_left(). A network that cannot take back what it has
  // given to others states that in its own contract.
  virtual void disconnect(PeerId peer) = 0;

  // Placed messages are received from now on, expected or not. Until then they wait, and so does
  // what their sender sends after
  // them.
  virtual void enable_placement() {}
  // Sends a placed message: the first `bytes` bytes of the buffer and `payload`, which must not
  // change until on_write_done(context). As commit() otherwise; it also would block where other
  // messages wait in the same frame. The message should not begin with a zero byte: a network may
  // tell by its first byte that it has begun to arrive. REQUIRES: bytes <=
  // attributes().max_placed_message, 0 < payload.size() <= attributes().max_placed_bytes.
  virtual PostStatus commit_placed(PeerId, const MessageBuffer&, std::size_t,
                                   std::span<const std::byte>, PlacementKey, Context) {
    return PostStatus::kWouldBlock;
  }
  // The payload with that key, if it comes from `peer` and has not begun to, is to land in
  // `memory`, which is the transport's until on_placed_message(), on_peer_failed() or
  // withdraw_placement(). One per peer. False: not possible now; the payload comes to memory of the
  // transport.
  virtual bool expect_placement(PeerId, PlacementKey, std::span<std::byte>) { return false; }
  // The memory is the caller's again, unless kArriving is returned. May be a system call.
  // disconnect() takes it also from a placed message that arrives.
  virtual Withdrawal withdraw_placement(PeerId) { return Withdrawal::kNone; }

  // Makes memory usable in writes to or from `peer`. May be a system call; the bytes stay the
  // caller's and must outlive the registration. Error: kOperation (bad memory, no resources).
  virtual Result<Region> register_memory(PeerId peer, std::span<std::byte> memory,
                                         Access access) = 0;
  // Ends a registration: once it has returned, no write of a peer changes the memory.
  virtual void deregister_memory(const Region& region) = 0;

  // Starts writing `from` to `to` at `peer`, which gets on_immediate(immediate) once all bytes are
  // in place. The local bytes must not change until on_write_done(context).
  // REQUIRES: 0 < from.length <= attributes().max_write_bytes.
  virtual PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to,
                                Immediate immediate, Context context) = 0;

  // While `watched`, the peer's death is noticed even if no message is on its way to it: somebody
  // waits for its answer. Calls nest.
  virtual void watch(PeerId peer, bool watched) = 0;

  // The owner has seen a write to or from the peer end, which is as good as an answer: messages may
  // have to wait behind many bytes.
  virtual void note_progress(PeerId) {}

  // Sends what is held back to share a frame, and reports to `sink` whatever has happened. Never
  // blocks. Returns the number of reports.
  virtual std::size_t poll(TimePoint now, Sink& sink) = 0;
  // poll() in two halves, for an owner that has something to send to whom it hears from: what is
  // held back may share its frames. Only what happens between them comes between them. If there
  // were no reports, flush() has nothing to do.
  virtual std::size_t poll_arrivals(TimePoint now, Sink& sink) { return poll(now, sink); }
  virtual void flush(Sink&) {}

  // The orderly end: sends what is queued and lets peers know that nothing more will come. From the
  // first call on reserve() lends nothing. True when all of it has left; while false, poll() and
  // call again for as long as waiting is worth it. Not inside poll().
  virtual bool close(TimePoint) { return true; }

  // When poll() must be called next even if nothing arrives; kNever if only arrivals matter.
  virtual TimePoint next_deadline() const = 0;

  // A file descriptor that becomes readable when poll() would find something, or -1. [any thread
  // may wait on it]
  virtual int wait_fd() const = 0;
  // Arms wait_fd(). False: poll() again first, something may be there already.
  virtual bool prepare_wait() = 0;

  // One sentence about a peer, for people: its state, and why it was lost.
  virtual std::string describe(PeerId) const { return {}; }

  // Frames and duplicates so far, for the process' counters.
  virtual FrameCounts frame_counts() const { return {}; }

  // Appends human-readable state, for diagnosis.
  virtual void dump(std::string&) const {}
};

}  // namespace lintel::transport
