// Probes look at the engine's list of unexpected messages; a matched probe takes one out of it.

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "mpi_layer/p2p/completion.h"

namespace lintel::mpi {

using portals::UnexpectedHeader;
using portals::UnexpectedMessage;

namespace {

const Result kNobody{kProcNull, kAnyTag, 0, Failure::kNone, false};

Result lost(const Messenger::ProbeArguments& arguments) { return {arguments.source, arguments.tag, 0, Failure::kPeerLost, false}; }

// Of the whole message. What goes with it says no less.
std::uint64_t length_of(const portals::Event& arrival) {
  const MessageHeader header = decode_message(arrival.header_data);
  return header.kind == PacketKind::kData ? arrival.requested_length : std::max(header.length, arrival.requested_length);
}

}  // namespace

Refusal Messenger::check(const ProbeArguments& arguments) {
  return check(ReceiveArguments{nullptr, 0, arguments.source, arguments.context, arguments.tag});
}

UnexpectedMessage* Messenger::find(const ProbeArguments& arguments) {
  const Peer* const peer = peers_.at(arguments.source);
  const portals::MatchCriteria wanted = criteria(peer != nullptr ? peer->process : kAnyProcess, arguments.context, arguments.tag);
  UnexpectedHeader* const found = interface_->portals[kMessages].unexpected.find(wanted, [this](const UnexpectedHeader& header) {
    return static_cast<const UnexpectedMessage&>(header).landed && peers_.find(header.initiator) != nullptr && !is_awaited(header);
  });
  return static_cast<UnexpectedMessage*>(found);
}

// A receive that had no room in the list is to have it.
bool Messenger::is_awaited(const UnexpectedHeader& header) {
  return std::ranges::any_of(unposted_, [&](const Request& request) {
    const Peer* const peer = peers_.at(request.peer_);
    return criteria(peer != nullptr ? peer->process : kAnyProcess, request.context_, request.tag_)
        .admits(header.initiator, header.match_bits);
  });
}

bool Messenger::look(const ProbeArguments& arguments, Result& envelope) {
  if (arguments.source == kProcNull) {
    envelope = kNobody;
    return true;
  }
  const UnexpectedMessage* const found = find(arguments);
  if (found == nullptr) return false;
  envelope = {peers_.find(found->initiator)->number, tag_of(found->match_bits), length_of(found->event), Failure::kNone, false};
  return true;
}

bool Messenger::take_matched(const ProbeArguments& arguments, MatchedMessage& message) {
  if (arguments.source == kProcNull) {
    message.envelope_ = kNobody;
    message.held_ = true;
    return true;
  }
  UnexpectedMessage* const found = find(arguments);
  if (found == nullptr) return false;
  const portals::Event arrival = found->event;
  std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[arrival.manipulated_length]);
  if (bytes == nullptr) return false;
  if (arrival.manipulated_length > 0) std::memcpy(bytes.get(), arrival.start, arrival.manipulated_length);
  Peer& peer = *peers_.find(arrival.initiator);
  message.held_ = true;
  message.envelope_ = {peer.number, tag_of(arrival.match_bits), length_of(arrival), Failure::kNone, false};
  message.context_ = context_of(arrival.match_bits);
  message.header_ = decode_message(arrival.header_data);
  message.header_.length = message.envelope_.length;
  message.sequence_ = arrival.remote_offset;
  message.ahead_ = arrival.manipulated_length;
  message.bytes_ = std::move(bytes);
  unexpected_.consume(*found);
  owe(peer, arrival.requested_length);
  return true;
}

// REQUIRES: there is none now.
bool Messenger::will_never_come(const ProbeArguments& arguments) {
  const Peer* const peer = peers_.at(arguments.source);
  return peer != nullptr && peer->lost;
}

// Until `look` has found it, or it will never come. Its source is watched meanwhile.
template <class Look>
void Messenger::wait_for_message(const ProbeArguments& arguments, Result& envelope, Look look) {
  Peer* const source = peers_.at(arguments.source);
  if (source != nullptr) watch(*source);
  wait_until(
      [&] {
        if (look()) return true;
        if (!will_never_come(arguments)) return false;
        envelope = lost(arguments);
        return true;
      },
      [&] { return source != nullptr && seek(*source); });
  if (source != nullptr) unwatch(*source);
}

// A probe that does not wait has found nothing. Who asks once may ask again: it waits for its source.
void Messenger::not_found(const ProbeArguments& arguments, Result& envelope) {
  if (will_never_come(arguments)) {
    envelope = lost(arguments);
    return;
  }
  Peer* const source = peers_.at(arguments.source);
  if (source == nullptr) return;
  if (!std::exchange(source->probed, true)) watch(*source);
  seek(*source);
}

Refusal Messenger::iprobe(const ProbeArguments& arguments, bool& found, Result& envelope) {
  const MutexLock lock(process_.lock());
  if (const Refusal refusal = check(arguments); refusal != Refusal::kNone) return refusal;
  if (arguments.drives) turn();
  found = look(arguments, envelope);
  if (!found) not_found(arguments, envelope);
  return Refusal::kNone;
}

Refusal Messenger::improbe(const ProbeArguments& arguments, MatchedMessage& message) {
  const MutexLock lock(process_.lock());
  if (const Refusal refusal = check(arguments); refusal != Refusal::kNone) return refusal;
  message = {};
  if (arguments.drives) turn();
  if (!take_matched(arguments, message)) not_found(arguments, message.envelope_);
  finish();
  return Refusal::kNone;
}

Refusal Messenger::probe(const ProbeArguments& arguments, Result& envelope) {
  const MutexLock lock(process_.lock());
  if (const Refusal refusal = check(arguments); refusal != Refusal::kNone) return refusal;
  wait_for_message(arguments, envelope, [&] { return look(arguments, envelope); });
  return Refusal::kNone;
}

Refusal Messenger::mprobe(const ProbeArguments& arguments, MatchedMessage& message) {
  const MutexLock lock(process_.lock());
  if (const Refusal refusal = check(arguments); refusal != Refusal::kNone) return refusal;
  message = {};
  wait_for_message(arguments, message.envelope_, [&] { return take_matched(arguments, message); });
  finish();
  return Refusal::kNone;
}

}  // namespace lintel::mpi
