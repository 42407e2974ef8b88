// Messenger's probes.

#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {
namespace {

MessageResult lost(const ProbeArguments& arguments) {
  return {arguments.source, arguments.tag, 0, RequestFailure::kPeerLost, false};
}

}  // namespace

// A probe that does not block has found nothing. The program may probe again, so it counts as
// waiting for the source.
void Messenger::not_found(const ProbeArguments& arguments, MessageResult& envelope) {
  Peer* const source = parts_.peers().at(arguments.source);
  if (source == nullptr) return;
  if (source->lost) {
    envelope = lost(arguments);
    return;
  }
  parts_.watch().watch_probed(*source);
  parts_.watch().contact_if_due(*source);
}

// Blocks until `look` returns true or the source is lost. Watches the source meanwhile.
template <class Look>
void Messenger::wait_for_message(const ProbeArguments& arguments, MessageResult& envelope,
                                 Look look) {
  PeerWatch& watch = parts_.watch();
  Peer* const source = parts_.peers().at(arguments.source);
  if (source != nullptr) watch.watch(*source);
  parts_.wait_until(
      [&]() LINTEL_REQUIRES(kLock) {
        if (look()) return true;
        if (source == nullptr || !source->lost) return false;
        envelope = lost(arguments);
        return true;
      },
      [&]() LINTEL_REQUIRES(kLock) { return source != nullptr && watch.contact_if_due(*source); });
  if (source != nullptr) watch.unwatch(*source);
}

CallError Messenger::iprobe(const ProbeArguments& arguments, bool& found, MessageResult& envelope) {
  const MutexLock lock(parts_.lock());
  const CallError error = parts_.receives().check(arguments.source, arguments.context);
  if (error != CallError::kNone) return error;
  if (arguments.drives) parts_.turn();
  found = parts_.probes().look(arguments, envelope);
  if (!found) not_found(arguments, envelope);
  return CallError::kNone;
}

CallError Messenger::improbe(const ProbeArguments& arguments, MatchedMessage& message) {
  const MutexLock lock(parts_.lock());
  const CallError error = parts_.receives().check(arguments.source, arguments.context);
  if (error != CallError::kNone) return error;
  message = {};
  if (arguments.drives) parts_.turn();
  if (!parts_.probes().take(arguments, message)) {
    MessageResult envelope;
    not_found(arguments, envelope);
    message = MatchedMessage(envelope);
  }
  parts_.finish();
  return CallError::kNone;
}

CallError Messenger::probe(const ProbeArguments& arguments, MessageResult& envelope) {
  const MutexLock lock(parts_.lock());
  const CallError error = parts_.receives().check(arguments.source, arguments.context);
  if (error != CallError::kNone) return error;
  wait_for_message(arguments, envelope, [&]() LINTEL_REQUIRES(kLock) {
    return parts_.probes().look(arguments, envelope);
  });
  return CallError::kNone;
}

CallError Messenger::mprobe(const ProbeArguments& arguments, MatchedMessage& message) {
  const MutexLock lock(parts_.lock());
  const CallError error = parts_.receives().check(arguments.source, arguments.context);
  if (error != CallError::kNone) return error;
  message = {};
  MessageResult envelope;
  wait_for_message(arguments, envelope, [&]() LINTEL_REQUIRES(kLock) {
    return parts_.probes().take(arguments, message);
  });
  if (!message) message = MatchedMessage(envelope);
  parts_.finish();
  return CallError::kNone;
}

}  // namespace lintel::mpi
