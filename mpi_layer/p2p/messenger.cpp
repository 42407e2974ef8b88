// Opening and closing, sends and receives.

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

std::unique_ptr<Messenger> Messenger::open(portals::Process& process, const Options& options,
                                           std::string& explanation) {
  std::unique_ptr<Messenger> made(new Messenger(process, options));
  if (!made->exchange_.open(explanation)) return nullptr;
  return made;
}

Messenger::~Messenger() { close(); }

void Messenger::close() { exchange_.close(); }

Refusal Messenger::add_peer(ProcessId process) {
  const ProcessLock lock(exchange_.lock());
  return exchange_.add_peer(process);
}

Refusal Messenger::add_outside() {
  const ProcessLock lock(exchange_.lock());
  return exchange_.add_outside();
}

std::size_t Messenger::peers() const {
  const ProcessLock lock(exchange_.lock());
  return exchange_.peers().size();
}

// ---- Sends and receives

Refusal Messenger::send(const SendArguments& arguments, SendRequest& request, bool* over) {
  const ProcessLock lock(exchange_.lock());
  Sends& sends = exchange_.sends();
  if (const Refusal refusal = sends.set_up(arguments, request, false); refusal != Refusal::kNone) {
    return refusal;
  }
  if (sends.wants_turn(request)) exchange_.turn();
  const Refusal refusal = sends.begin(request);
  if (Sends::is_being_placed(request)) {
    // The network has mostly taken all of it by now: to ask spares its sender a wait.
    exchange_.turn();
  } else {
    exchange_.finish();
  }
  if (over != nullptr) {
    *over = refusal == Refusal::kNone && !request.under_way() &&
            request.result().failure == Failure::kNone;
    if (*over) RequestEnds::retire(request);
  }
  return refusal;
}

bool Messenger::send_at_once(const SendArguments& arguments) {
  const ProcessLock lock(exchange_.lock());
  if (!exchange_.sends().send_at_once(arguments)) return false;
  exchange_.finish();
  return true;
}

Refusal Messenger::receive(const ReceiveArguments& arguments, ReceiveRequest& request) {
  const ProcessLock lock(exchange_.lock());
  Receives& receives = exchange_.receives();
  if (const Refusal refusal = receives.set_up(arguments, request, false);
      refusal != Refusal::kNone) {
    return refusal;
  }
  receives.begin(request);
  exchange_.finish();
  return Refusal::kNone;
}

Refusal Messenger::receive_and_wait(const ReceiveArguments& arguments, ReceiveRequest& request) {
  const ProcessLock lock(exchange_.lock());
  Receives& receives = exchange_.receives();
  if (const Refusal refusal = receives.set_up(arguments, request, false);
      refusal != Refusal::kNone) {
    return refusal;
  }
  receives.begin(request);
  exchange_.drain();  // what it has claimed
  if (request.under_way()) {
    exchange_.wait_until([&request] { return !request.under_way(); },
                         [&]() LINTEL_REQUIRES(kLock) { return exchange_.watch().seek(request); });
  } else {
    exchange_.finish();
  }
  RequestEnds::retire(request);
  return Refusal::kNone;
}

Refusal Messenger::init_send(const SendArguments& arguments, SendRequest& request) {
  const ProcessLock lock(exchange_.lock());
  return exchange_.sends().set_up(arguments, request, true);
}

Refusal Messenger::init_receive(const ReceiveArguments& arguments, ReceiveRequest& request) {
  const ProcessLock lock(exchange_.lock());
  return exchange_.receives().set_up(arguments, request, true);
}

Refusal Messenger::start(Request& request) {
  const ProcessLock lock(exchange_.lock());
  if (request.active() || !request.persistent()) return Refusal::kRequest;
  Refusal refusal = Refusal::kNone;
  if (request.direction() == Request::Direction::kSend) {
    auto& send = static_cast<SendRequest&>(request);
    if (exchange_.sends().wants_turn(send)) exchange_.turn();
    refusal = exchange_.sends().begin(send);
  } else {
    exchange_.receives().begin(static_cast<ReceiveRequest&>(request));
  }
  exchange_.finish();
  return refusal;
}

Refusal Messenger::receive_matched(MatchedMessage& message, void* buffer, std::uint64_t capacity,
                                   ReceiveRequest& request) {
  const ProcessLock lock(exchange_.lock());
  const Refusal refusal = exchange_.receives().begin_matched(message, buffer, capacity, request);
  if (refusal == Refusal::kNone) exchange_.finish();
  return refusal;
}

void Messenger::cancel(Request& request) {
  const ProcessLock lock(exchange_.lock());
  exchange_.turn();
  if (request.under_way()) {
    if (request.direction() == Request::Direction::kReceive) {
      exchange_.receives().cancel(static_cast<ReceiveRequest&>(request));
    } else {
      auto& send = static_cast<SendRequest&>(request);
      // Where this process is the receiver too, the question and its answer take a turn each, and
      // need nobody else.
      if (exchange_.sends().cancel(send)) {
        constexpr int kMostTurns = 16;  // more where the engine has no room for either at first
        for (int i = 0; i < kMostTurns && Sends::is_cancelling(send); ++i) exchange_.turn();
      }
    }
  }
  exchange_.finish();
}

std::size_t Messenger::progress() {
  const ProcessLock lock(exchange_.lock());
  const std::uint64_t before = exchange_.happened();
  const std::size_t happened = exchange_.turn();
  return happened + static_cast<std::size_t>(exchange_.happened() - before);
}

std::size_t Messenger::take_in() {
  const std::uint64_t before = exchange_.happened();
  exchange_.drain();
  return static_cast<std::size_t>(exchange_.happened() - before);
}

}  // namespace lintel::mpi
