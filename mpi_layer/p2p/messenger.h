#pragma once
// Messenger: MPI's point-to-point communication between processes that know each other by number,
// on matched puts of the engine. A facade: each part below owns its state and says its rules.
//
// It opens an interface of the engine of its own; a process has one at a time. It knows bytes,
// contexts, tags and numbers of processes, to which its user maps ranks.
//
// Promises, as MPI does (MPI 4.1 chapter 3):
//   - messages of one sender in one context are matched in the order in which they were sent;
//   - a send and a receive that match and have been started complete, whatever else was started and
//     is not received, up to Options::unexpected_headers. Further sends there wait, in order;
//   - two processes that send each other messages of any length before they receive do not block
//     each other; nor does one that sends to itself;
//   - memory for unexpected messages is bounded (Options::unexpected_bytes), and nothing is refused
//     at the bound: a sender sends a header only, and the data follow when they are received.
// How: doc/mpi_layer.md.
//
// Progress: in every call that says so. While the process computes, the engine serves it: posted
// receives take messages up to the eager limit, synchronous ones are answered, the rests of its
// long messages are pulled. The receiver's calls are needed to begin a pull, answer CANCEL, give
// credit.
// Thread: any, but a request or matched message is used by one thread at a time, and close() and
// the destructor are the last call. Each call takes the process' lock; one that waits lets it go
// meanwhile.
// Errors of the caller are returned (Refusal) and change nothing; all others end a request
// (Failure).
//
// Lost peers: every send to them and every receive from them ends with kPeerLost, unless its
// message is here already. So does a receive from any source that is posted at that moment; later
// ones do not. A death is noticed of peers that a request or a probe names (peer_watch.h).
//
// More than 30 members: one for each call that MPI has.

#include <memory>
#include <span>
#include <string>

#include "mpi_layer/p2p/driven_parts.h"

namespace lintel::mpi {

class Messenger {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};
  using ProbeArguments = mpi::ProbeArguments;

  // Opens the interface, and with it the process' endpoint if it is the first. Peers may send from
  // now on. Null with a sentence in `explanation` if that fails, or one is open. `process` is
  // borrowed.
  static std::unique_ptr<Messenger> open(portals::Process& process, const Options& options,
                                         std::string& explanation);
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;
  ~Messenger();  // close() if that was not called

  // Ends it: what was sent leaves, sends that are under way complete, control packets leave, as
  // long as some of that goes on within `close_patience`. Requests that are still active are
  // complete then, with kClosed. Messages that were never received are dropped. Blocks.
  void close();

  ProcessId self() const { return parts_.self(); }
  // The next number of the table: 0, 1, ... in the same order at all processes, this one included.
  // Errors: kProcess (not an address, in the table already, or the table is full; of add_outside():
  // Options::outside_headers is 0).
  [[nodiscard]] Refusal add_peer(ProcessId process);
  [[nodiscard]] Refusal add_outside();  // for a process that the gateway reaches
  std::size_t peers() const;

  // What goes ahead of a message at most, unless it is placed, and of that to one process
  // unmatched.
  std::uint64_t eager_limit() const { return parts_.eager_limit(); }
  Credit window() const { return parts_.window(); }

  // ---- Sends and receives. They do not block. The request is active when they return kNone; it
  // may be complete. Progress: sends. `over`, if given: a send that has ended well already is told
  // at once, as by wait(); else false.
  [[nodiscard]] Refusal send(const SendArguments& arguments, SendRequest& request,
                             bool* over = nullptr);
  [[nodiscard]] Refusal receive(const ReceiveArguments& arguments, ReceiveRequest& request);
  // At the least cost: true if the message has left whole, or is with the engine; it is complete
  // then. False: it is to be sent by send(), for whatever reason; nothing has happened.
  [[nodiscard]] bool send_at_once(const SendArguments& arguments);
  // receive() and wait() in one; blocks. Progress: all.
  [[nodiscard]] Refusal receive_and_wait(const ReceiveArguments& arguments,
                                         ReceiveRequest& request);
  // Persistent requests: set up once, inactive; started often, each time after the last was
  // completed.
  [[nodiscard]] Refusal init_send(const SendArguments& arguments, SendRequest& request);
  [[nodiscard]] Refusal init_receive(const ReceiveArguments& arguments, ReceiveRequest& request);
  [[nodiscard]] Refusal start(Request& request);

  // ---- Completion. What is told to be complete is inactive from then on, and its result() is
  // there. An inactive request counts as complete, with whatever result it has; a null pointer as
  // inactive. Progress: all; wait functions block.
  bool test(Request& request);
  void wait(Request& request);
  // All or none of them are told.
  bool test_all(std::span<Request* const> requests);
  void wait_all(std::span<Request* const> requests);
  // The index of one that was active and is complete; kNone: none is active.
  std::size_t wait_any(std::span<Request* const> requests);
  // False: there are active ones, and none is complete.
  bool test_any(std::span<Request* const> requests, std::size_t& index);
  // The indices of all that were active and are complete go to `indices`, which has room for as
  // many as there are requests. Returns how many, wait_some() at least one; kNone: none is active.
  std::size_t test_some(std::span<Request* const> requests, std::span<std::size_t> indices);
  std::size_t wait_some(std::span<Request* const> requests, std::span<std::size_t> indices);
  // For a user who waits in a way of its own: the requests that have become complete and were not
  // told yet, in that order; as many as `completed` has room for. Returns how many. Does not wait.
  // REQUIRES: Options::list_completed. All receives that are posted count as waited for.
  std::size_t take_completed(std::span<Request*> completed,
                             portals::Yielding yielding = portals::Yielding::kHere);

  // ---- Probes: as Probes::look() and take(). Progress: all. Without a message, `envelope` says
  // kPeerLost if there will be none from that source, or stays as it was; probe() and mprobe()
  // block until there is one, or will be none.
  [[nodiscard]] Refusal iprobe(const ProbeArguments& arguments, bool& found, Result& envelope);
  [[nodiscard]] Refusal improbe(const ProbeArguments& arguments, MatchedMessage& message);
  [[nodiscard]] Refusal probe(const ProbeArguments& arguments, Result& envelope);
  [[nodiscard]] Refusal mprobe(const ProbeArguments& arguments, MatchedMessage& message);
  // Receives what a matched probe has found.
  [[nodiscard]] Refusal receive_matched(MatchedMessage& message, void* buffer,
                                        std::uint64_t capacity, ReceiveRequest& request);

  // Asks for the end of an active request, and does not block. A receive that has not been matched
  // is complete at once, with `cancelled`. So is a send whose message has not left, or that the
  // receiver gives back. Others complete as if nothing had been asked, as soon as the peer makes
  // progress.
  void cancel(Request& request);

  // One turn: takes in what has arrived. Returns how much happened.
  std::size_t progress();

  // ---- For the gateway, with the lock held
  OutsideProcesses& outside() { return parts_.outside(); }
  // Takes in what the engine has done, which may call the gateway. Not from within its send(),
  // receive() and cancel(). Returns how much happened.
  std::size_t take_in() LINTEL_REQUIRES(kLock);

 private:
  Messenger(portals::Process& process, const Options& options) : parts_(process, options) {}
  void not_found(const ProbeArguments& arguments, Result& envelope) LINTEL_REQUIRES(kLock);
  template <class Look>
  void wait_for_message(const ProbeArguments& arguments, Result& envelope, Look look)
      LINTEL_REQUIRES(kLock);

  DrivenParts parts_;
};

}  // namespace lintel::mpi
