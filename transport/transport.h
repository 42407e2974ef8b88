#pragma once
// Transport: the interface between the engine and a network. Everything above this header works in
// the same way over TCP, libfabric or a simulated network, with or without injected faults.
//
// A transport carries two things to a peer: short messages, and writes into memory that the peer
// has registered. Some transports also carry placed messages (eager direct placement): a message
// with a payload that goes from the sender's memory directly to the memory in which the receiver
// expects it. A payload that is not expected goes to memory of the transport.
//
// There are five implementations: direct/ (TCP), fabric/ (libfabric), simulated/ (many processes in
// one, virtual time), faulty/ (over any other: injects faults), and session/ (over any other: adds
// sequence numbers, liveness and shared frames, on which the engine relies).
//
// Only a session promises "once and in order, or on_peer_failed". The transport below it may lose
// or repeat messages when it breaks.
//
// Thread: a transport has no lock. One lock of the owner guards all calls, except those marked [any
// thread].
// Time is an argument: a transport does not read a clock.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"

namespace lintel::transport {

// Index of a peer in one transport. Dense from 0. Reused only after its owner has called forget(),
// or has been told by on_peer_forgotten().
using PeerId = Id<struct PeerIdTag, std::uint32_t>;
inline constexpr PeerId kNoPeer{0xffffffffU};

// The caller of an asynchronous call chooses it and gets it back with the completion. The transport
// does not interpret it.
using Context = Id<struct ContextTag, std::uint64_t>;

// Identifies the payload of a placed message. The sender sends it; the receiver expects a payload
// by it.
using PlacementKey = Id<struct PlacementKeyTag, std::uint64_t>;
inline constexpr unsigned kPlacementKeyBits = 63;  // the key is a number below 2^63
constexpr bool is_placement_key(PlacementKey key) { return key.value >> kPlacementKeyBits == 0; }

// 32 bits that a write carries. The target receives them when the bytes of the write are in place.
// Some providers carry no more than 32 bits.
using Immediate = Id<struct ImmediateTag, std::uint32_t>;

enum class PostStatus : std::uint8_t {
  kOk,
  // No room now: poll(), then try again. The transport has taken nothing. Not an error; the owner
  // decides how long it tries.
  kWouldBlock,
  kFailed,  // the peer is lost; its operations end by Sink::on_peer_failed() or disconnect()
};

// A secret of the two processes of one session, the same at both ends and another one in each
// session. As secret as what proved them to each other: without a job secret, who has seen their
// first contact can compute it.
using ResumptionKey = std::array<std::byte, 32>;

// Tells the connections of a network apart.
struct ConnectionBinding {
  // Both ends of a connection have the same, and no other connection has it at the same time. All
  // 0: there is no connection, or the network cannot tell.
  std::array<std::byte, 12> bytes{};
  // The other side has made the connection: whoever calls itself the peer. False if unknown.
  bool made_by_peer = false;
};

// Memory that reserve() lends for one message to a peer: the right to one commit() or abandon(). It
// can be moved, not copied; what was moved from is empty.
struct MessageBuffer {
  MessageBuffer() = default;
  MessageBuffer(std::byte* memory, std::size_t bytes, std::uint64_t number)
      : data(memory), capacity(bytes), token(number) {}
  MessageBuffer(MessageBuffer&& other) noexcept
      : data(std::exchange(other.data, nullptr)), capacity(other.capacity), token(other.token) {}
  MessageBuffer& operator=(MessageBuffer&& other) noexcept {
    data = std::exchange(other.data, nullptr);
    capacity = other.capacity;
    token = other.token;
    return *this;
  }

  std::byte* data = nullptr;  // nullptr: nothing was lent (would block)
  std::size_t capacity = 0;   // >= the bytes asked for
  std::uint64_t token = 0;    // for the transport only
  explicit operator bool() const { return data != nullptr; }
};

enum class Access : std::uint8_t { kWriteSource, kWriteTarget };

// A registration made by register_memory(). A peer presents `key` and `base` to write into the
// memory: byte i of the region has the remote address base + i.
struct Registration {
  std::uint64_t id = 0;  // for the transport only; 0: none
  std::uint64_t key = 0;
  std::uint64_t base = 0;
};

// The target of a write in the peer's memory. The peer makes it from a Registration and sends it in
// a message. It is foreign input: the transport or its provider checks it, and fails the peer if it
// is wrong.
struct RemoteMemory {
  std::uint64_t key = 0;
  std::uint64_t address = 0;
};

// The source of a write. `region` covers the bytes and was registered for the same peer with
// kWriteSource.
struct LocalMemory {
  const std::byte* data = nullptr;
  std::size_t length = 0;
  Registration region;
};

// The payload of a placed message that has arrived.
struct PlacedPayload {
  // The whole payload, or the first part of it if the memory is shorter. If the payload was
  // expected, this is the memory given to expect_placement(), from its first byte.
  std::span<const std::byte> bytes;
  std::uint64_t length = 0;  // of the payload as it was sent
};

// The result of withdraw_placement().
enum class Withdrawal : std::uint8_t {
  kNone,       // no payload was expected, or it has arrived
  kWithdrawn,  // the payload was expected and will not be put there
  kArriving,   // the payload is arriving: on_placed_message() follows, or the peer is lost
};

// Properties of a transport. They are constant while it exists.
struct TransportAttributes {
  std::string name;  // the provider's name: "direct", "net", "tcp;ofi_rxm", "shm", "simulated"
  // Of the library or protocol below: for diagnosis, and to refuse incompatible ones.
  std::string version;
  std::size_t max_message_bytes = 0;   // largest message
  std::size_t max_write_bytes = 0;     // largest single write
  std::size_t max_placed_bytes = 0;    // largest payload of a placed message; 0: no placed messages
  std::size_t max_placed_message = 0;  // largest message of a placed message
  // on_message() gives the peer; if not, messages must name their sender.
  bool knows_source = false;
  bool independent_reservations = false;  // several MessageBuffers may be open at once
};

// Frames of the network so far. The numbers never decrease.
struct FrameCounts {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t malformed = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t refused = 0;   // contacts: another version, provider or job secret
  std::uint64_t unproved = 0;  // answers and claims of who is not the peer
  std::uint64_t resumed = 0;   // connections that were lost and went on
  // Messages that were sent and not acknowledged before their peer was lost.
  std::uint64_t unacknowledged = 0;
};

// Receives what poll() finds. Called inside poll(), on the thread that polls, with the owner's lock
// held.
class Sink {
 public:
  virtual ~Sink() = default;
  // A message has arrived. `message` is valid during the call only. `from` is kNoPeer if the
  // transport cannot tell. The sink may call any function of the transport except poll().
  virtual void on_message(PeerId from, std::span<const std::byte> message) = 0;
  // A placed message has arrived, in order with the messages. As on_message(), with the payload.
  // Zeros may follow the message. Transports without placed messages never call this.
  virtual void on_placed_message(PeerId, std::span<const std::byte>, const PlacedPayload&) {}
  // One message committed to `to` has left: the provider has it, or it is under way. This says
  // nothing about delivery.
  virtual void on_message_left(PeerId to) = 0;
  // The write posted with `context` no longer needs its local bytes (ok), or has failed. A network
  // that resumes connections says it when the peer has the bytes; of others it says nothing about
  // delivery.
  virtual void on_write_done(Context context, Error error) = 0;
  // A write of `from` that carried `immediate` is in place: its bytes are visible to the CPU.
  // `from` is kNoPeer if the transport cannot tell, as libfabric cannot.
  virtual void on_immediate(PeerId from, Immediate immediate) = 0;
  // The peer is lost, and its connection has ended as by disconnect(). No completion follows for
  // messages to it. Writes to it may still complete, with or without an error.
  virtual void on_peer_failed(PeerId peer, Error error) = 0;
  // Somebody has asked for a connection under the name of the peer, which has one already. The
  // request was refused, and may be repeated. Either the peer was started again and its earlier
  // connection is dead, or the request is not of the peer. The sink finds out whether the peer
  // still answers, and disconnects it if not.
  virtual void on_contested(PeerId) {}
  // The id names nobody from now on, and may name another process later. Called in poll(), for a
  // peer without a session to which nothing waits to be sent, and which is not watched.
  virtual void on_peer_forgotten(PeerId) {}
};

// More than 30 members, because it is the whole interface of a network. More than half of them have
// a default, which a network overrides if it can do more.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual const TransportAttributes& attributes() const = 0;

  // This process' name on the network.
  virtual ProcessId self() const = 0;

  // The peer of that name; the first use adds it. Sends nothing and does not block. Error
  // (kOperation): the name cannot be an address on this network.
  virtual Result<PeerId> resolve(ProcessId name) = 0;
  // REQUIRES: `peer` came from resolve() or from a Sink call of this transport.
  virtual ProcessId name_of(PeerId peer) const = 0;

  // Begins to make a connection with the peer if there is none, as commit() does, for an owner that
  // can compute its first message meanwhile. Sends no message and does not block. True: there is
  // one, or the network needs none.
  virtual bool reach(PeerId) { return true; }

  // Lends room for one message of at most `bytes` bytes to `peer`. An empty buffer means would
  // block.
  // REQUIRES: bytes <= attributes().max_message_bytes. The caller gives each buffer back by exactly
  // one commit() or abandon(), before any other call to this transport, unless
  // attributes().independent_reservations.
  virtual MessageBuffer reserve(PeerId peer, std::size_t bytes) = 0;
  // Sends the first `bytes` bytes of the buffer. After kWouldBlock or kFailed the buffer is still
  // lent: commit it again, or abandon it. Does not throw; without memory it would block.
  virtual PostStatus commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) = 0;
  virtual void abandon(PeerId peer, const MessageBuffer& buffer) = 0;

  // Ends the connection to the peer, if there is one, and all attempts to make one. After it
  // returns:
  //  * Nothing that the peer has sent on this connection changes memory or is reported: no message,
  //    no write, and no placed message. Memory of expect_placement() is the caller's again, as if
  //    withdraw_placement() had returned kWithdrawn.
  //  * The frames and records of what was committed to the peer are free, and the local bytes are
  //    the caller's. Whole messages that the network has already taken may still arrive at the
  //    peer.
  //  * The next poll() calls on_write_done() with an error for each write and placed message that
  //    has not ended. on_message_left() and on_peer_failed() do not follow.
  // Lent buffers stay lent, and registrations stay until deregister_memory(). The next commit() to
  // the peer makes a new connection. The network decides whether it tells the peer. May be called
  // inside all Sink calls except on_message_left().
  // A network that cannot take back what it has passed on says so in its own contract.
  virtual void disconnect(PeerId peer) = 0;

  // Receives placed messages from now on, expected or not. Before this call they wait, and so does
  // everything that their sender sends after them.
  virtual void enable_placement() {}
  // Sends a placed message: the first `bytes` bytes of the buffer, and `payload`, which must not
  // change before on_write_done(context). Otherwise as commit(). It would also block if other
  // messages wait in the same frame. The message should not begin with a zero byte: a network may
  // use its first byte to see that it has begun to arrive.
  // REQUIRES: bytes <= attributes().max_placed_message, 0 < payload.size() <=
  // attributes().max_placed_bytes.
  virtual PostStatus commit_placed(PeerId, const MessageBuffer&, std::size_t,
                                   std::span<const std::byte>, PlacementKey, Context) {
    return PostStatus::kWouldBlock;
  }
  // Expects the payload with that key from `peer` in `memory`, if it has not begun to arrive. The
  // memory is the transport's until on_placed_message(), on_peer_failed() or withdraw_placement().
  // At most one per peer. False: not possible now; the payload goes to memory of the transport.
  virtual bool expect_placement(PeerId, PlacementKey, std::span<std::byte>) { return false; }
  // Gives the memory of expect_placement() back to the caller, unless it returns kArriving. May be
  // a system call. disconnect() gives it back even while the payload arrives.
  virtual Withdrawal withdraw_placement(PeerId) { return Withdrawal::kNone; }

  // Makes memory usable in writes to or from `peer`. May be a system call. The memory stays the
  // caller's and must outlive the registration. Error: kOperation (bad memory, no resources).
  virtual Result<Registration> register_memory(PeerId peer, std::span<std::byte> memory,
                                               Access access) = 0;
  // Ends a registration. After it returns, no write of a peer changes the memory.
  virtual void deregister_memory(const Registration& region) = 0;

  // Starts to write `from` to `to` at `peer`, which gets on_immediate(immediate) when all bytes are
  // in place. The local bytes must not change before on_write_done(context).
  // REQUIRES: 0 < from.length <= attributes().max_write_bytes.
  virtual PostStatus post_write(PeerId peer, const LocalMemory& from, RemoteMemory to,
                                Immediate immediate, Context context) = 0;

  // Of the present connection with the peer. The owner covers it by its proofs: what was proved on
  // a connection holds on no other.
  virtual ConnectionBinding binding(PeerId) const { return {}; }

  // The owner has accepted the peer. Until then a connection that the peer has made counts as
  // half-open: their number and their time are bounded, and placed messages on it wait.
  // A network that resumes connections uses the key to know that a new connection is of the same
  // peer. Each call replaces the peer's earlier key; with zeros, the connection is not resumed.
  virtual void admit(PeerId, const ResumptionKey&) {}

  // Before admit(): the peer has what it needs to compute the key, and this process has not seen
  // its proof yet. If the connection is lost now, the peer may resume it with this key, within the
  // time and number that bound half-open connections.
  virtual void allow_resumption(PeerId, const ResumptionKey&) {}

  // Breaks the connection with the peer, and with it all that is on its way. A network that resumes
  // connections goes on over another one, as after any loss; others do nothing. A fault for tests.
  virtual void interrupt(PeerId) {}
  // interrupt() for a peer of which the owner has not heard for long. No effect if the network has
  // heard of its machine lately: then what the owner waits for is behind other bytes that are on
  // their way, or the peer does not answer, and another connection would change neither.
  virtual void interrupt_if_silent(PeerId) {}

  // The owner does not use the id any more, unless resolve() or a Sink call gives it again. The
  // transport may then give it to another name: at once, or when the connection with the peer has
  // ended and was reported by on_peer_failed(), in which forget() may be called again.
  virtual void forget(PeerId) {}

  // While `watched`, the death of the peer is noticed even if no message is on its way to it,
  // because an operation waits for its answer. Calls nest: one watch(peer, false) for each
  // watch(peer, true).
  virtual void watch(PeerId peer, bool watched) = 0;

  // The owner has seen a write to or from the peer end. That counts as an answer of the peer: its
  // messages may have to wait behind many bytes.
  virtual void note_progress(PeerId) {}

  // Sends the messages that were held back to share a frame, and reports to `sink` what has
  // happened. Never blocks. Returns the number of reports.
  virtual std::size_t poll(TimePoint now, Sink& sink) = 0;
  // poll() in two halves, for an owner that sends to the peers from which it receives: between the
  // halves it can add messages to the frames that are held back. If there were no reports, flush()
  // has nothing to do.
  virtual std::size_t poll_arrivals(TimePoint now, Sink& sink) { return poll(now, sink); }
  virtual void flush(Sink&) {}

  // Asks, in the next poll(), for the acknowledgements of all messages that were committed before,
  // and awaited_arrivals() is about these from now on.
  virtual void await_arrival() {}
  // In how many frames they are, without those that peers have acknowledged, and of peers that are
  // lost. 0 also if the network cannot tell.
  virtual std::size_t awaited_arrivals() const { return 0; }

  // The orderly end: sends what is queued, and tells the peers that nothing more will come. After
  // the first call reserve() lends nothing.
  // True: everything has left, and where the network can tell, has been acknowledged by each peer
  // that has proved who it is, unless that is lost. False: poll() and call again, for as long as
  // the owner wants to wait. Not inside poll().
  virtual bool close(TimePoint) { return true; }
  // The owner does not call close() again, though it was not true. Peers that have not acknowledged
  // all messages are logged.
  virtual void give_up_close() {}

  // When poll() must be called next even if nothing arrives. kNever: only arrivals matter.
  virtual TimePoint next_deadline() const = 0;

  // A file descriptor that becomes readable when poll() has something to do, or -1. [any thread may
  // wait on it]
  virtual int wait_fd() const = 0;
  // Arms wait_fd(). False: poll() again first, because something may have arrived already.
  virtual bool prepare_wait() = 0;

  // One sentence about a peer for a user: its state, and why it was lost.
  virtual std::string describe(PeerId) const { return {}; }
  // Messages to the peer that had been accepted and were not acknowledged when it was lost.
  virtual std::uint64_t lost_messages(PeerId) const { return 0; }

  // Frames and duplicates so far, for the process' counters.
  virtual FrameCounts frame_counts() const { return {}; }

  // Appends human-readable state, for diagnosis.
  virtual void dump(std::string&) const {}
};

}  // namespace lintel::transport
