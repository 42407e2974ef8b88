// Parcels: long messages that go whole, from the sender's buffer into that of the receive which is posted for them. Who receives says when they are welcome (ParcelHabit).
// Only answers are parcels: the first message to a process since the last one from it. Of more in a row each would have to wait until the one before has been seen to,
// a receive is expected to get the next; as they go otherwise, many are taken in at once, which makes up for the copies.
//
// The key of a parcel is context, tag and the number of the message. A receive is expected to get the next message of its source, whichever that is; so a key is
// right for one message, or for none, and what has another comes by way of a copy.

#include "mpi_layer/p2p/engine_failure.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {
namespace {

using portals::Status;
using transport::Forgotten;

// From the top: a zero, 16 bits of the number, 15 of the context, the tag. Two processes never have 2^16 messages under way between them.
constexpr unsigned kContextBits = 15;
constexpr unsigned kTagBits = 32;
constexpr std::uint32_t kContextsWithParcels = std::uint32_t{1} << kContextBits;

transport::ParcelKey parcel_key(std::uint64_t bits, std::uint64_t sequence) {
  return transport::ParcelKey(((sequence & 0xffff) << (kContextBits + kTagBits)) | bits);
}

// How far to look for the first receive among what is under way with a process.
constexpr int kMostSteps = 8;

}  // namespace

bool Messenger::may_be_parcel(std::uint64_t length, std::uint32_t context) const {
  return length >= kLeastParcel && length <= parcel_limit_ && context < kContextsWithParcels;
}

// ---- The sender

bool Messenger::goes_as_parcel(const Peer& peer, std::uint64_t length, std::uint32_t context) const {
  const bool is_answer = !peer.answer_is_due() && peer.arrived > 0;
  return peer.takes_parcels && is_answer && length <= peer.credit.bytes && may_be_parcel(length, context);
}

// False: it cannot now; nothing has happened.
bool Messenger::try_send_parcel(Peer& peer, Request& request) {
  // A buffered send is over when its call is. A synchronous one wants an answer.
  const bool suits = request.mode_ == SendMode::kStandard || request.mode_ == SendMode::kReady;
  if (!suits || !goes_as_parcel(peer, request.length_, request.context_)) return false;
  request.sequence_ = peer.sequence + 1;
  const std::uint64_t bits = match_bits(request.context_, request.tag_);
  const MessageHeader header{PacketKind::kData, false, 0, request.length_};
  portals::RequestArguments put = put_of(peer, {request.buffer_, bits, request.sequence_, header, request.length_});
  put.descriptor = parcels_;
  put.user_pointer = &request;
  if (process_.endpoint().put_parcel(*interface_, put, parcel_key(bits, request.sequence_)) != Status::kOk) return false;
  charge(peer, request.length_);
  has_left(peer, request);
  return true;
}

void Messenger::on_parcel_left(const portals::Event& event) {
  complete(*static_cast<Request*>(event.user_pointer), failure_of(event.failure));
}

// A send that has left as one.
bool Messenger::is_parcel(const Request& request) {
  return request.state_ == Request::State::kSent && request.active_id_.generation == 0 && !peers_.at(request.peer_)->outside;
}

// ---- The receiver

// A message has come, and `peer` still says what was before it.
void Messenger::judge_arrival(Peer& peer, const portals::Event& event) {
  const bool expected = peer.landing != nullptr;
  if (!expected && !peer.answer_is_due()) return;  // no parcel
  const bool landed = expected && process_.endpoint().forget_parcel(peer.process) == Forgotten::kNone;
  peer.landing = nullptr;
  const std::uint32_t context = context_of(event.match_bits);
  if (!expected && !may_be_parcel(decode_message(event.header_data).length, context)) return;
  bool well = landed;
  if (!peer.habit.welcome()) {
    well = event.list == portals::PortalList::kPriority && may_expect(*static_cast<Request*>(event.user_pointer));
  }
  if (!peer.habit.note(well)) return;
  if (peer.habit.welcome()) process_.endpoint().welcome_parcels();
  tell_credit(peer, {});
}

// Whether a parcel could be expected for it: one that names its message.
bool Messenger::may_expect(const Request& receive) const {
  return receive.asked_source_ >= 0 && receive.tag_ != kAnyTag && may_be_parcel(std::min(receive.length_, parcel_limit_), receive.context_);
}

// The peer's answer, if it comes as a parcel, is to land in the first receive that is posted for it.
void Messenger::expect_next(Peer& peer) {
  if (peer.landing != nullptr || !peer.answer_is_due() || peer.lost || peer.outside) return;
  int steps = 0;
  for (Request& request : peer.active) {
    if (++steps > kMostSteps) return;
    if (request.is_send_ || request.state_ != Request::State::kPosted) continue;
    if (!may_expect(request)) return;
    const transport::ParcelKey key = parcel_key(match_bits(request.context_, request.tag_), peer.arrived + 1);
    if (process_.endpoint().expect_parcel(*interface_, request.entry_, peer.process, key)) peer.landing = &request;
    return;
  }
}

// Nothing lands in the receive's buffer any more. False: its message is landing there.
bool Messenger::forget_landing(const Request& receive) {
  Peer* const peer = peers_.at(receive.peer_);
  return peer == nullptr || peer->landing != &receive || forget_landing(*peer);
}

bool Messenger::forget_landing(Peer& peer) {
  if (peer.landing == nullptr) return true;
  if (process_.endpoint().forget_parcel(peer.process) == Forgotten::kArriving) return false;
  peer.landing = nullptr;
  return true;
}

}  // namespace lintel::mpi
