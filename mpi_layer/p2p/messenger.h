#pragma once
// Messenger: MPI's point-to-point communication between numbered processes, on matched puts of the
// engine. It is a facade over DrivenParts: each part owns its state and documents its rules. It has
// more than 30 members: one for each call of MPI.
//
// It opens an interface of the engine of its own. A process has one messenger at a time. It deals
// with bytes, contexts, tags and process numbers. Its user maps ranks to these numbers.
//
// Guarantees (MPI 4.1 chapter 3; how: doc/mpi_layer.md):
//   - messages of one sender in one context are matched in the order in which they were sent;
//   - a send and a receive that match and have been started complete, whatever else was started and
//     is not received, up to MessengerOptions::unexpected_headers. Further sends there wait, in
//     order;
//   - two processes that send each other messages of any length before they receive do not block
//     each other; nor does one that sends to itself;
//   - memory for unexpected messages is bounded (MessengerOptions::unexpected_bytes), and nothing
//     is refused at the bound: a sender sends a header only, and the data follow when they are
//     received.
//
// Progress: every call that says so makes progress. While the process computes, the engine fills
// posted receives with messages up to the eager limit, answers synchronous sends that match them,
// and sends the rests of its long messages. The receiver must call the messenger to begin a pull,
// to answer CANCEL and to return credit.
// Thread: any. A request or matched message is used by one thread at a time. No other call may run
// during or after close() and the destructor. Each call takes the process' lock; a call that waits
// releases it meanwhile. Errors: a caller's mistake is returned (CallError), and nothing has
// changed. Every other error ends a request (RequestFailure).
//
// Lost peers: every send to them, and every receive from them whose message has not arrived, ends
// with kPeerLost. So does a receive from any source that is posted when the peer is lost; later
// ones do not. The death of a peer is noticed while a request or a probe names it (peer_watch.h).

#include <memory>
#include <span>
#include <string>

#include "mpi_layer/p2p/driven_parts.h"

namespace lintel::mpi {

class Messenger {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Opens the interface. If it is the first interface of the process, the endpoint is opened too.
  // Peers may send from now on. Returns null, with a sentence in `explanation`, if that fails or if
  // the process has a messenger already. `process` is borrowed.
  static std::unique_ptr<Messenger> open(portals::Process& process, const MessengerOptions& options,
                                         std::string& explanation);
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;
  ~Messenger();  // calls close() if that was not called

  // Closes the messenger. First it waits until sends under way are complete and control packets
  // have left; it gives up when nothing has happened for ProcessOptions::linger. Then
  // requests that are still active complete with kClosed. Messages that were never received are
  // dropped. Blocks.
  void close();

  ProcessId self() const { return parts_.self(); }
  // Adds a process with the next number: 0, 1, ... All processes add all processes, themselves
  // included, in the same order. Errors: kProcess (not an address, in the table already, or the
  // table is full; in add_outside(): MessengerOptions::outside_headers is 0).
  [[nodiscard]] CallError add_peer(ProcessId process);
  [[nodiscard]] CallError add_outside();  // a process that the gateway reaches
  std::size_t peers() const;

  // The most bytes of a message that are sent before it is matched, unless it is placed; and the
  // most that may be unmatched at one process.
  std::uint64_t eager_limit() const { return parts_.eager_limit(); }
  Credit window() const { return parts_.window(); }

  // ---- Sends and receives. They do not block. If they return kNone, the request is active, and
  // may already be complete. Progress: sends. `over`, if not null: set to true if the send has
  // completed without a failure; then the request is inactive, as after wait(). Else set to false.
  [[nodiscard]] CallError send(const SendArguments& arguments, SendRequest& request,
                               bool* over = nullptr);
  [[nodiscard]] CallError receive(const ReceiveArguments& arguments, ReceiveRequest& request);
  // The cheapest way to send. True: the engine has all of the message, and the send is complete.
  // False: nothing has changed; use send(), which reports errors.
  [[nodiscard]] bool send_at_once(const SendArguments& arguments);
  // receive() followed by wait(). Blocks. Progress: all.
  [[nodiscard]] CallError receive_and_wait(const ReceiveArguments& arguments,
                                           ReceiveRequest& request);
  // Persistent requests: set up once, inactive then. start() REQUIRES an inactive request.
  [[nodiscard]] CallError init_send(const SendArguments& arguments, SendRequest& request);
  [[nodiscard]] CallError init_receive(const ReceiveArguments& arguments, ReceiveRequest& request);
  [[nodiscard]] CallError start(MessageRequest& request);

  // ---- Completion. A request that is reported complete becomes inactive, and result() is valid.
  // An inactive request counts as complete with the result that it has. A null pointer counts as
  // inactive. Progress: all. The wait functions block.
  bool test(MessageRequest& request);
  void wait(MessageRequest& request);
  // Reports all requests or none.
  bool test_all(std::span<MessageRequest* const> requests);
  void wait_all(std::span<MessageRequest* const> requests);
  // Returns the index of an active request that is complete; kNone: no request is active.
  std::size_t wait_any(std::span<MessageRequest* const> requests);
  // False: some requests are active, and none of them is complete.
  bool test_any(std::span<MessageRequest* const> requests, std::size_t& index);
  // Writes the indices of all active requests that are complete to `indices`, which must have room
  // for all requests. Returns their number, in wait_some() at least one; kNone: no request is
  // active.
  std::size_t test_some(std::span<MessageRequest* const> requests, std::span<std::size_t> indices);
  std::size_t wait_some(std::span<MessageRequest* const> requests, std::span<std::size_t> indices);
  // For a user that does not use the functions above: reports requests that have completed, in
  // order of their completion, as many as `completed` has room for. Returns their number. Does not
  // block. Every posted receive counts as waited for. REQUIRES: MessengerOptions::list_completed.
  std::size_t take_completed(std::span<MessageRequest*> completed,
                             portals::Yielding yielding = portals::Yielding::kHere);

  // ---- Probes: as Probes::look() and take(). Progress: all. If no message is found, `envelope`
  // gets kPeerLost if the source is lost, else it is not changed. probe() and mprobe() block until
  // there is a message or the source is lost.
  [[nodiscard]] CallError iprobe(const ProbeArguments& arguments, bool& found,
                                 MessageResult& envelope);
  [[nodiscard]] CallError improbe(const ProbeArguments& arguments, MatchedMessage& message);
  [[nodiscard]] CallError probe(const ProbeArguments& arguments, MessageResult& envelope);
  [[nodiscard]] CallError mprobe(const ProbeArguments& arguments, MatchedMessage& message);
  // Receives a message that a matched probe has found.
  [[nodiscard]] CallError receive_matched(MatchedMessage& message, void* buffer,
                                          std::uint64_t capacity, ReceiveRequest& request);

  // Cancels an active request if possible. Does not block. An unmatched receive, and a send whose
  // message has not left, complete at once with `cancelled`. A send that has left completes with
  // `cancelled` if the receiver has not matched it, else normally, when the peer makes progress.
  void cancel(MessageRequest& request);

  // Makes one turn of progress. Returns the number of things that happened; 0: nothing.
  std::size_t progress();

  // ---- For the gateway, with the lock held
  OutsideProcesses& outside() { return parts_.outside(); }
  // Handles the engine's events, which may call the gateway. Not to be called from Gateway::send(),
  // receive() or cancel(). Returns the number of events.
  std::size_t handle_events() LINTEL_REQUIRES(kLock);

 private:
  Messenger(portals::Process& process, const MessengerOptions& options)
      : parts_(process, options) {}
  void not_found(const ProbeArguments& arguments, MessageResult& envelope) LINTEL_REQUIRES(kLock);
  template <class Look>
  void wait_for_message(const ProbeArguments& arguments, MessageResult& envelope, Look look)
      LINTEL_REQUIRES(kLock);

  DrivenParts parts_;
};

}  // namespace lintel::mpi
