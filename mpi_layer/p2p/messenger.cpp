// Opening and closing, sends and receives.

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

std::unique_ptr<Messenger> Messenger::open(portals::Process& process,
                                           const MessengerOptions& options,
                                           std::string& explanation) {
  std::unique_ptr<Messenger> made(new Messenger(process, options));
  if (!made->parts_.open(explanation)) return nullptr;
  return made;
}

Messenger::~Messenger() { close(); }

void Messenger::close() { parts_.close(); }

CallError Messenger::add_peer(ProcessId process) {
  const MutexLock lock(parts_.lock());
  return parts_.add_peer(process);
}

CallError Messenger::add_outside() {
  const MutexLock lock(parts_.lock());
  return parts_.add_outside();
}

std::size_t Messenger::peers() const {
  const MutexLock lock(parts_.lock());
  return parts_.peers().size();
}

// ---- Sends and receives

CallError Messenger::send(const SendArguments& arguments, SendRequest& request, bool* over) {
  const MutexLock lock(parts_.lock());
  Sends& sends = parts_.sends();
  if (const CallError error = sends.set_up(arguments, request, false); error != CallError::kNone) {
    return error;
  }
  if (sends.wants_turn(request)) parts_.turn();
  const CallError error = sends.begin(request);
  if (Sends::is_being_placed(request)) {
    // Usually the network has taken all of it by now. Then this turn completes the send, and its
    // caller need not wait.
    parts_.turn();
  } else {
    parts_.finish();
  }
  if (over != nullptr) {
    *over = error == CallError::kNone && !request.under_way() &&
            request.result().failure == RequestFailure::kNone;
    if (*over) RequestEnds::retire(request);
  }
  return error;
}

bool Messenger::send_at_once(const SendArguments& arguments) {
  const MutexLock lock(parts_.lock());
  if (!parts_.sends().send_at_once(arguments)) return false;
  parts_.finish();
  return true;
}

CallError Messenger::receive(const ReceiveArguments& arguments, ReceiveRequest& request) {
  const MutexLock lock(parts_.lock());
  const CallError error = parts_.receives().start(arguments, request);
  if (error == CallError::kNone) parts_.finish();
  return error;
}

CallError Messenger::receive_and_wait(const ReceiveArguments& arguments, ReceiveRequest& request) {
  const MutexLock lock(parts_.lock());
  if (const CallError error = parts_.receives().start(arguments, request);
      error != CallError::kNone) {
    return error;
  }
  parts_.drain();  // handles the message if it has claimed one
  if (request.under_way()) {
    parts_.wait_for(request, [&request] { return !request.under_way(); });
  } else {
    parts_.finish();
  }
  RequestEnds::retire(request);
  return CallError::kNone;
}

CallError Messenger::init_send(const SendArguments& arguments, SendRequest& request) {
  const MutexLock lock(parts_.lock());
  return parts_.sends().set_up(arguments, request, true);
}

CallError Messenger::init_receive(const ReceiveArguments& arguments, ReceiveRequest& request) {
  const MutexLock lock(parts_.lock());
  return parts_.receives().set_up(arguments, request, true);
}

CallError Messenger::start(MessageRequest& request) {
  const MutexLock lock(parts_.lock());
  if (request.active() || !request.persistent()) return CallError::kRequest;
  CallError error = CallError::kNone;
  if (request.direction() == MessageRequest::Direction::kSend) {
    auto& send = static_cast<SendRequest&>(request);
    if (parts_.sends().wants_turn(send)) parts_.turn();
    error = parts_.sends().begin(send);
  } else {
    parts_.receives().begin(static_cast<ReceiveRequest&>(request));
  }
  parts_.finish();
  return error;
}

CallError Messenger::receive_matched(MatchedMessage& message, void* buffer, std::uint64_t capacity,
                                     ReceiveRequest& request) {
  const MutexLock lock(parts_.lock());
  const CallError error = parts_.receives().begin_matched(message, buffer, capacity, request);
  if (error == CallError::kNone) parts_.finish();
  return error;
}

void Messenger::cancel(MessageRequest& request) {
  const MutexLock lock(parts_.lock());
  parts_.turn();
  if (request.under_way()) {
    if (request.direction() == MessageRequest::Direction::kReceive) {
      parts_.receives().cancel(static_cast<ReceiveRequest&>(request));
    } else {
      auto& send = static_cast<SendRequest&>(request);
      // If this process is the receiver too, CANCEL and its answer need a turn each and no other
      // process.
      if (parts_.sends().cancel(send)) {
        constexpr int kMostTurns = 16;  // more if the engine has no room at first
        for (int i = 0; i < kMostTurns && Sends::is_cancelling(send); ++i) parts_.turn();
      }
    }
  }
  parts_.finish();
}

std::size_t Messenger::progress() {
  const MutexLock lock(parts_.lock());
  const std::uint64_t before = parts_.events_handled();
  const std::size_t happened = parts_.turn();
  return happened + static_cast<std::size_t>(parts_.events_handled() - before);
}

std::size_t Messenger::handle_events() {
  const std::uint64_t before = parts_.events_handled();
  parts_.drain();
  return static_cast<std::size_t>(parts_.events_handled() - before);
}

}  // namespace lintel::mpi
