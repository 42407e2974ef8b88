#pragma once
// Messenger: MPI's point-to-point communication between processes that know each other by number, on matched puts of the engine.
//
// One process has one Messenger at a time, which opens an interface of the engine of its own (kMpiKind), so that the program may use Portals beside it.
// It knows bytes, contexts, tags and numbers of processes; datatypes, communicators and groups are its user's, who maps their ranks to these numbers.
//
// What it promises, as MPI does (MPI 4.1 chapter 3):
//   - messages of one sender in one context are matched in the order in which they were sent, whatever their lengths and modes;
//   - a send and a receive that match and have been started complete, whatever else was started and is not received, up to the bound of headers below;
//   - two processes that send each other messages of any length before they receive do not block each other; nor does one that sends to itself;
//   - memory for unexpected messages is bounded (Options::unexpected_bytes); nothing is lost or refused at the bound: a sender that may send nothing ahead
//     sends a header only, and the data follow when they are received. One that has as many messages on their way to a process, unmatched, as that keeps
//     headers for (Options::unexpected_headers) keeps the next ones back, in order.
// How: doc/mpi_layer.md.
//
// Progress: in every call that says so. A process that computes is served by the engine: its posted receives take messages up to the eager limit,
// synchronous ones are answered, and its long messages are pulled. What needs this library at the receiver: to begin to pull a long message that has met its
// receive, to answer CANCEL, and to give credit.
// Thread: any, at any time, but for two things: a request or matched message is used by one thread at a time, and close() and the destructor are the last call.
// Each call takes the process' lock once; one that waits lets it go meanwhile.
// Errors of the caller are returned (Refusal) and leave everything as it was; all others end a request (Failure).
//
// Peers that die or close: every send to them and every receive from them ends with kPeerLost, at once when it is started later, unless its message is here
// already. A receive from any source that is posted at that moment ends so too, as nobody can tell whether it waits for that peer; later ones do not.
// A death that the network does not tell of is noticed (by LINTEL_PEER_TIMEOUT) for peers that a request or a probe names, not on account of any source
// alone. Of one that no message was ever exchanged with nothing would tell: a process that waits for its message is in contact with it after a while
// (Options::contact_after). Receives that are posted and not waited for connect nobody.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/slot_pool.h"
#include "mpi_layer/envelope/envelope.h"
#include "mpi_layer/p2p/matched_message.h"
#include "mpi_layer/p2p/packet.h"
#include "mpi_layer/p2p/peer_table.h"
#include "mpi_layer/p2p/request.h"
#include "mpi_layer/p2p/unexpected_memory.h"
#include "portals/engine/process.h"

namespace lintel::mpi {

class Gateway;

// Why a call was refused: a mistake of the caller.
enum class Refusal : std::uint8_t {
  kNone,
  kProcess,  // no such number
  kContext,
  kTag,
  kLength,
  kRequest,  // it is active, or to be started and not persistent
  kMessage,  // the matched message holds none
  kNoMemory,
  kNoRoom,  // not the messenger's: in memory that its user has set apart for copies
};

struct Options {
  // The same in all processes of a job: credit is derived from them at both ends.
  std::uint32_t most_processes = 1;                   // that will ever be in the table
  std::uint64_t unexpected_bytes = 64 * 1024 * 1024;  // Config::mpi_unexpected_bytes
  std::uint32_t unexpected_headers = 65536;           // of all senders together; at least `least_headers` for each are granted
  std::uint32_t least_headers = 1024;
  // This process' own.
  std::uint32_t most_receives = 200'000;  // that are posted at once; further ones wait, in order, with the messages for them unexpected
  Nanoseconds close_patience = std::chrono::seconds(2);  // see close()
  // How long somebody waits for a message of a process that was never met until that one is greeted.
  Nanoseconds contact_after = std::chrono::milliseconds(2500);
  bool list_completed = false;  // take_completed() is called
  std::uint32_t outside_headers =
      0;  // messages of processes outside that may wait for their receives at once; 0: there are no such processes
};

class Messenger {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Opens the interface, and with it the process' endpoint if it is the first. Null with a sentence in `explanation` if that fails, or one is open.
  // Peers may send from now on. `process` is borrowed.
  static std::unique_ptr<Messenger> open(portals::Process& process, const Options& options, std::string& explanation);
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;
  // close() if that was not called.
  ~Messenger();

  // Ends it: what was sent leaves, sends that are under way complete, control packets leave, as long as some of that goes on within `close_patience`.
  // Requests that are still active are complete then, with kClosed. Blocks. Messages that were never received are dropped.
  void close();

  ProcessId self() const { return self_; }
  // The next number of the table: 0, 1, ... in the same order at all processes, this one included. Errors: kProcess (not an address, in the table already,
  // or the table is full).
  [[nodiscard]] Refusal add_peer(ProcessId process);
  std::size_t peers() const;
  // The same for a process that is reached by the gateway. Errors: kProcess (Options::outside_headers is 0).
  [[nodiscard]] Refusal add_outside();

  // What goes ahead of a message at most, unless it is a parcel, and of that to one process unmatched.
  std::uint64_t eager_limit() const { return eager_limit_; }
  std::uint64_t window_bytes() const { return window_.bytes; }
  std::uint32_t window_headers() const { return window_.headers; }

  // ---- Sends and receives. They do not block. The request is active when they return kNone; it may be complete. Progress: sends.
  // `over`, if given: a send that has ended well already is told at once, as by wait(); else false.
  [[nodiscard]] Refusal send(const SendArguments& arguments, Request& request, bool* over = nullptr);
  [[nodiscard]] Refusal receive(const ReceiveArguments& arguments, Request& request);
  // What most messages are, at the least cost: true if the message has left whole, or is with the engine; it is complete then. False: it is to be sent by
  // send(), for whatever reason; nothing has happened.
  [[nodiscard]] bool send_at_once(const SendArguments& arguments);
  // receive() and wait() in one; blocks. Progress: all.
  [[nodiscard]] Refusal receive_and_wait(const ReceiveArguments& arguments, Request& request);
  // Persistent requests: set up once, inactive; started often, each time after the last was completed.
  [[nodiscard]] Refusal init_send(const SendArguments& arguments, Request& request);
  [[nodiscard]] Refusal init_receive(const ReceiveArguments& arguments, Request& request);
  [[nodiscard]] Refusal start(Request& request);

  // ---- Completion. What is told to be complete is inactive from then on, and its result() is there. An inactive request counts as complete, with
  // whatever result it has; a null pointer as inactive. Progress: all; wait functions block.
  bool test(Request& request);
  void wait(Request& request);
  // All or none of them are told.
  bool test_all(std::span<Request* const> requests);
  void wait_all(std::span<Request* const> requests);
  // The index of one that was active and is complete; kNone: none is active.
  std::size_t wait_any(std::span<Request* const> requests);
  // False: there are active ones, and none is complete.
  bool test_any(std::span<Request* const> requests, std::size_t& index);
  // The indices of all that were active and are complete go to `indices`, which has room for as many as there are requests. Returns how many; kNone: none is
  // active. wait_some returns at least one.
  std::size_t test_some(std::span<Request* const> requests, std::span<std::size_t> indices);
  std::size_t wait_some(std::span<Request* const> requests, std::span<std::size_t> indices);
  // For a user who waits in a way of its own: the requests that have become complete and were not told yet, of all that there are, in the order in which
  // they did; as many as `completed` has room for. Returns how many. Does not wait.
  // REQUIRES: Options::list_completed. All receives that are posted count as waited for.
  std::size_t take_completed(std::span<Request*> completed, portals::Yielding yielding = portals::Yielding::kHere);

  // ---- Probes. `source` may be kAnySource, or kProcNull, which is found at once; `tag` may be kAnyTag. Progress: all.
  struct ProbeArguments {
    std::int32_t source = kAnySource;
    std::uint32_t context = 0;
    std::int32_t tag = kAnyTag;
    bool drives = true;  // of iprobe and improbe: they take in what has come before they look
  };
  // Whether there is a message that a receive with these arguments would get now: its source, tag and length go to `envelope`. Without one, `envelope` says
  // kPeerLost if there will be none from that source, or stays as it was.
  [[nodiscard]] Refusal iprobe(const ProbeArguments& arguments, bool& found, Result& envelope);
  // The same, and takes it: nobody else gets it. `message` holds it or, if there is none, nothing, with the same envelope.
  [[nodiscard]] Refusal improbe(const ProbeArguments& arguments, MatchedMessage& message);
  // The same, but block until there is one, or will be none: kPeerLost in `envelope`, or in the envelope of a message that holds nothing.
  [[nodiscard]] Refusal probe(const ProbeArguments& arguments, Result& envelope);
  [[nodiscard]] Refusal mprobe(const ProbeArguments& arguments, MatchedMessage& message);
  // Receives what a matched probe has found.
  [[nodiscard]] Refusal receive_matched(MatchedMessage& message, void* buffer, std::uint64_t capacity, Request& request);

  // Asks for the end of an active request, and does not block. A receive that has not been matched is complete at once, with `cancelled`. A send whose
  // message has not left, or that the receiver gives back, too; one up to the eager limit that has left is complete anyway. Otherwise the request completes
  // as if nothing had been asked. A wait returns in any case, as soon as the peer makes progress. Of a message to this process it is decided in the call.
  void cancel(Request& request);

  // One turn: takes in what has arrived. Returns how much happened.
  std::size_t progress();

  // ---- For the gateway, with the lock held.
  // Borrowed until it is replaced; null: sends to processes outside are lost, and nothing is relayed.
  void set_gateway(Gateway* gateway);
  // A message from outside begins: it is there for receives and probes. Its number, which ascends for each source, or 0: as many of that source wait as may, its share of Options::outside_headers, and nothing has happened.
  // REQUIRES: what a message may have of context, tag and length.
  std::uint64_t deliver(std::int32_t source, std::uint32_t context, std::int32_t tag, std::uint64_t length);
  // Its sender wants it back. True: it was there, and is gone. False: it has met a receive, of which the gateway was told, or a matched probe.
  bool withdraw(std::int32_t source, std::uint64_t sequence);
  // What Gateway's functions have been given is over.
  void end_outside_send(Request& request, Failure failure, bool cancelled);
  void end_outside_receive(Request& request, Failure failure);
  void refuse_cancel(Request& request);
  // A send or receive of the gateway's own, to or from a process that is not outside; Gateway::on_relay_end() tells its end, later. REQUIRES: sound arguments; it is not active.
  void relay(const SendArguments& arguments, Request& request);
  void relay(const ReceiveArguments& arguments, Request& request);
  // Takes in what the engine has done, which may call the gateway. Not from within its send(), receive() and cancel(). Returns how much happened.
  std::size_t take_in();

 private:
  // How many portals there are, and which.
  enum Portal : std::uint32_t { kMessages = 0, kRests = 1, kControl = 2 };
  template <class Holds>
  class Awaited;  // completion.h: what a waiting call waits for
  struct Copied;  // a buffered send that goes on by itself

  Messenger(portals::Process& process, const Options& options);

  // messenger.cpp
  bool set_up();
  void release();
  bool quiet();
  void end_all();
  void watch(Peer& peer);
  void unwatch(Peer& peer);
  void watch(Request& request, Peer& peer);
  void unwatch(Request& request);
  void complete(Request& request, Failure failure);
  // completion.cpp
  std::size_t turn(portals::Yielding yielding = portals::Yielding::kHere);
  // All events there are, then what has become possible by them, which may lead to more.
  void drain() {
    if (queue_->unread() > 0 || chores_ || ended_some_) drain_all();
  }
  void drain_all();
  void take_all();
  void take(const portals::Event& event);
  void tidy();
  void finish();
  static std::size_t first_complete(std::span<Request* const> requests, bool& active);
  static std::size_t collect(std::span<Request* const> requests, std::span<std::size_t> indices);
  static void retire(Request& request);
  template <class Holds, class Seek>
  void wait_until(Holds holds, Seek seek);
  // A send or receive as it was asked for, checked and set up in `request`, which is not active.
  template <class Arguments>
  Refusal admit(const Arguments& arguments, Request& request, bool persistent);
  // parcels.cpp
  static constexpr std::uint64_t kLeastParcel = 32 * 1024;  // a shorter message is sooner copied than expected
  bool may_be_parcel(std::uint64_t length, std::uint32_t context) const;
  bool goes_as_parcel(const Peer& peer, std::uint64_t length, std::uint32_t context) const;
  bool try_send_parcel(Peer& peer, Request& request);
  void on_parcel_left(const portals::Event& event);
  bool is_parcel(const Request& request);
  void judge_arrival(Peer& peer, const portals::Event& event);
  bool may_expect(const Request& receive) const;
  void expect_next(Peer& peer);
  bool forget_landing(const Request& receive);
  bool forget_landing(Peer& peer);
  // send.cpp
  Refusal check(const SendArguments& arguments);
  void prepare(const SendArguments& arguments, Request& request);
  Refusal begin_send(Request& request);
  Refusal begin_buffered(Request& request);
  static void set_out(Request& request);
  void start_send(Request& request);
  void leave_or_queue(Peer& peer, Request& request);
  std::uint64_t part_ahead(const Peer& peer, std::uint64_t length) const;
  bool goes_whole(const Peer& peer, std::uint64_t length) const;
  bool try_send(Peer& peer, Request& request);
  portals::Status expose_rest(const Peer& peer, Request& request, std::uint64_t ahead);
  bool withdraw_rest(Request& request);
  // A message on its way to the engine.
  struct Departure {
    const std::byte* buffer;
    std::uint64_t match_bits;
    std::uint64_t sequence;
    MessageHeader header;
    std::uint64_t ahead;
    bool ack = false;
    SlotId active_id{};
  };
  portals::RequestArguments put_of(const Peer& peer, const Departure& message) const;
  portals::Status put_message(const Peer& peer, const Departure& message);
  void charge(Peer& peer, std::uint64_t ahead);
  void has_left(Peer& peer, Request& request);
  void flush(Peer& peer);
  void on_ack(const portals::Event& event);
  void on_rest_pulled(const portals::Event& event);
  void end_send(Request& request, Failure failure);
  Request* active_send(const Peer& peer, std::uint32_t request_id, std::uint64_t sequence);
  // receive.cpp
  void prepare(const ReceiveArguments& arguments, Request& request);
  Refusal check(const ReceiveArguments& arguments);
  void begin_receive(Request& request);
  bool post_or_queue(Request& request);
  bool post(Request& request);
  void note_arrival(Peer& peer, const portals::Event& event);
  void on_message(const portals::Event& event);
  void on_matched(Peer* peer, const portals::Event& event);
  void matched(Request& request, Peer& peer, const MessageHeader& header, std::uint64_t sequence, bool tell_sender);
  void pull(Request& request);
  bool try_pull(Request& request);
  void on_pulled(const portals::Event& event);
  // probe.cpp
  Refusal check(const ProbeArguments& arguments);
  portals::UnexpectedMessage* find(const ProbeArguments& arguments);
  bool is_awaited(const portals::UnexpectedHeader& header);
  bool look(const ProbeArguments& arguments, Result& envelope);
  bool take_matched(const ProbeArguments& arguments, MatchedMessage& message);
  bool will_never_come(const ProbeArguments& arguments);
  template <class Look>
  void wait_for_message(const ProbeArguments& arguments, Result& envelope, Look look);
  void not_found(const ProbeArguments& arguments, Result& envelope);
  // contact.cpp
  bool seek(Peer& peer);
  bool seek(const Request& request);
  bool seek(std::span<Request* const> requests);
  void seek_strangers();
  void greet(Peer& peer);
  // outside.cpp
  void send_outside(Peer& peer, Request& request);
  void receive_outside(Request& request, Peer& peer, std::uint64_t sequence);
  void hand_back_relayed();
  // control.cpp
  void tell(Peer& peer, const Control& control);
  void tell_credit(Peer& peer, const Credit& credit);
  bool try_tell(const Peer& peer, const Control& control);
  void on_control(const portals::Event& event);
  void decide_own(Request& request);
  void on_cancel(Peer& peer, const Control& control);
  void owe(Peer& peer, std::uint64_t bytes);
  void give_credit();
  // failure.cpp
  void on_peer_lost(ProcessId process);
  void lose(RequestList& requests, const Peer* peer);

  portals::Process& process_;
  Options options_;
  ProcessId self_;
  std::uint64_t eager_limit_ = 0;
  std::uint64_t parcel_limit_ = 0;  // 0: there are none
  portals::NetworkInterface* interface_ = nullptr;
  portals::EventQueue* queue_ = nullptr;
  SlotId queue_id_;
  SlotId everything_;  // the descriptor of all memory, which puts and gets name parts of
  SlotId parcels_;     // the same for parcels, whose puts tell when their memory is free again
  Credit window_;      // of each sender
  PeerTable peers_;
  UnexpectedMemory unexpected_;
  std::int64_t granted_ = 0;  // bytes that senders may still send ahead or have under way
  SlotPool<Request*> active_sends_;
  RequestList any_source_;  // receives that are posted for it
  RequestList unposted_;
  RequestList unpulled_;
  RequestList completed_;                          // with Options::list_completed
  std::vector<Peer*> blocked_;                     // peers with a backlog
  std::vector<Peer*> credit_due_;                  // peers to be given credit
  std::vector<std::pair<Peer*, Control>> untold_;  // control packets that had no room
  std::vector<Peer*> strangers_;                   // with Options::list_completed: peers that were not met when they began to be watched
  TimePoint strangers_since_ = kNever;             // when that was first looked at
  Gateway* gateway_ = nullptr;
  std::size_t outside_ = 0;  // of the peers
  RequestList relayed_;      // the gateway's own that have ended
  std::vector<std::unique_ptr<Copied>> copied_;
  bool copied_ended_ = false;  // some of them
  // Something waits for tidy(): who adds to credit_due_, untold_, unpulled_, unposted_, blocked_ or relayed_ says so.
  bool chores_ = false;
  std::uint64_t happened_ = 0;  // events taken; grows while something goes on
  unsigned sleepers_ = 0;
  bool ended_some_ = false;  // a request has ended since waiting callers were told
};

template <class Arguments>
Refusal Messenger::admit(const Arguments& arguments, Request& request, bool persistent) {
  if (request.active()) return Refusal::kRequest;
  if (const Refusal refusal = check(arguments); refusal != Refusal::kNone) return refusal;
  request.persistent_ = persistent;
  if (persistent) request.result_ = {};
  prepare(arguments, request);
  return Refusal::kNone;
}

}  // namespace lintel::mpi
