// Placed messages: messages with a payload, as tagged messages of the native TCP providers. The tag
// is the key. A tagged message that no posted receive matches stays in its socket, and what its
// sender sends after it waits behind it. So one that nobody expects is looked for now and then, and
// taken in to memory of our own.
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {
namespace {

// Of landing_buffers_.
constexpr std::size_t kSpill = 0;     // what is longer than the memory that it lands in ends here;
                                      // nobody reads it
constexpr std::size_t kMessages = 1;  // of the placed messages, by landing
constexpr std::size_t kBufferCount = 2;

// Looks at an empty completion queue between two for unexpected payloads: each costs as much as
// several of those.
constexpr unsigned kLooksPerSearch = 16;

// A tag with these bits to be ignored matches every key. The provider keeps the bit above for
// itself.
constexpr std::uint64_t kAnyKey = (std::uint64_t{1} << kPlacementKeyBits) - 1;

}  // namespace

void FabricTransport::enable_placement() {
  lock_.is_held();
  if (placement_enabled_ || attributes_.max_placed_bytes == 0 || !prepare_landings()) return;
  expected_.reserve(kLandings - kUnexpectedSlots);
  unexpected_.reserve(kUnexpectedSlots);
  placement_enabled_ = free_unexpected_slot() != nullptr;
}

bool FabricTransport::prepare_landings() {
  static_assert(kLandings * kPlacedMessageBytes <= kMaxPlacedBytes);
  Result<BufferSlab> buffers = BufferSlab::allocate(kMaxPlacedBytes, kBufferCount);
  if (buffers) landing_buffers_ = std::move(buffers).value();
  return buffers.ok();
}

std::byte* FabricTransport::landing_message(const Operation& landing) const {
  return landing_buffers_.buffer(kMessages) + landing.index * kPlacedMessageBytes;
}

PostStatus FabricTransport::commit_placed(PeerId peer, const MessageBuffer& buffer,
                                          std::size_t bytes, std::span<const std::byte> payload,
                                          PlacementKey key, Context context) {
  lock_.is_held();
  Operation& frame = operations_.at(OperationKind::kSend, buffer.token);
  LINTEL_ASSERT(frame.state == OperationState::kLent && bytes <= kPlacedMessageBytes &&
                is_placement_key(key));
  LINTEL_ASSERT(!payload.empty() && payload.size() <= attributes_.max_placed_bytes);
  if (!may_try(peer)) return PostStatus::kWouldBlock;
  std::memset(buffer.data + bytes, 0, kPlacedMessageBytes - bytes);
  // Only ever read from.
  const iovec pieces[] = {{buffer.data, kPlacedMessageBytes},
                          {const_cast<std::byte*>(payload.data()), payload.size()}};
  const ssize_t status = fi_tsendv(endpoint_.raw(), pieces, nullptr, std::size(pieces),
                                   peers_.at(peer).address, key.value, &frame.provider_room);
  if (status != 0) return refused(peer, status, "fi_tsendv");
  frame.placed_message = true;
  frame.context = context;
  record_start(frame, peer);
  return PostStatus::kOk;
}

bool FabricTransport::expect_placement(PeerId peer, PlacementKey key, std::span<std::byte> memory) {
  lock_.is_held();
  LINTEL_ASSERT(is_placement_key(key));
  FabricPeer& from = peers_.at(peer);
  if (!placement_enabled_ || from.landing != nullptr || memory.empty()) return false;
  // the others are for unexpected payloads
  if (expected_.size() == kLandings - kUnexpectedSlots) return false;
  Operation* const landing = operations_.take(OperationKind::kLanding);
  landing->memory = memory;
  landing->peer = peer;
  landing->given_up = false;
  *landing_message(*landing) = std::byte{0};
  if (!post_landing(*landing, from.address, key.value, 0)) {
    operations_.give_back(*landing);
    return false;
  }
  from.landing = landing;
  expected_.push_back(landing);
  return true;
}

// Some of a placed message is in place, and the rest is in its socket or on its way there: of a
// payload in more than one piece the provider takes what it has read ahead, and asks its sockets
// again when it is asked. Tells by the first byte of the message, see Transport::commit_placed().
bool FabricTransport::payload_has_begun() const {
  for (const Operation* const landing : expected_) {
    if (*landing_message(*landing) != std::byte{0}) return true;
  }
  return false;
}

bool FabricTransport::post_landing(Operation& landing, fi_addr_t from, std::uint64_t key,
                                   std::uint64_t ignored) {
  const std::size_t most = std::min(landing.memory.size(), kMaxPlacedBytes);
  // A longer one than there is room for would end the connection.
  const iovec pieces[] = {{landing_message(landing), kPlacedMessageBytes},
                          {landing.memory.data(), most},
                          {landing_buffers_.buffer(kSpill), kMaxPlacedBytes - most}};
  const std::size_t count = most < kMaxPlacedBytes ? 3 : 2;
  if (fi_trecvv(endpoint_.raw(), pieces, nullptr, count, from, key, ignored,
                &landing.provider_room) != 0)
    return false;
  landing.state = OperationState::kInFlight;
  return true;
}

// The provider takes a receive that no message has met out of its list at once, and says so in its
// queue. Of one that was met it says nothing.
Withdrawal FabricTransport::withdraw_placement(PeerId peer) {
  lock_.is_held();
  Operation* const landing = peers_.at(peer).landing;
  if (landing == nullptr) return Withdrawal::kNone;
  fi_cancel(&endpoint_.raw()->fid, &landing->provider_room);
  for (;;) {
    fi_cq_data_entry entry;
    const ssize_t got = fi_cq_read(completions_.raw(), &entry, 1);
    if (got == 1) {
      held_.push_back(entry);
      if (entry.op_context == &landing->provider_room) return Withdrawal::kArriving;
    } else if (got == -FI_EAVAIL) {
      fi_cq_err_entry error{};
      if (fi_cq_readerr(completions_.raw(), &error, 0) <= 0) continue;
      if (error.op_context != &landing->provider_room) {
        held_errors_.push_back(error);
        continue;
      }
      end_failed_landing(*landing, error);
      return Withdrawal::kWithdrawn;
    } else {
      return Withdrawal::kArriving;
    }
  }
}

// A placed message has come, or one waits that nobody expects.
std::size_t FabricTransport::take_placed(Operation& landing, const fi_cq_data_entry& entry,
                                         Sink& sink) {
  UnexpectedSlot* const unexpected = unexpected_slot_of(landing);
  if (unexpected != nullptr && !unexpected->posted) {
    asking_ = nullptr;
    unexpected->posted = post_landing(landing, FI_ADDR_UNSPEC, 0, kAnyKey);
    return 0;
  }
  // What the sink does may want the landing again.
  std::array<std::byte, kPlacedMessageBytes> message;
  std::memcpy(message.data(), landing_message(landing), message.size());
  const std::size_t length = entry.len - std::min(entry.len, message.size());
  const PlacedPayload payload{landing.memory.first(std::min(length, landing.memory.size())),
                              length};
  const PeerId from = unexpected != nullptr ? kNoPeer : landing.peer;
  const bool given_up = unexpected == nullptr && landing.given_up;
  if (unexpected == nullptr) end_landing(landing);
  if (given_up) return 0;
  std::size_t reports = 0;
  if (length > 0) {
    sink.on_placed_message(from, message, payload);
    ++reports;
  } else {
    ++counters_.failed_receives;  // no placed message of ours: the payload of those is not empty
  }
  if (unexpected != nullptr) unexpected->posted = false;  // only now: its memory has been read
  return reports;
}

void FabricTransport::end_landing(Operation& landing) {
  peers_.at(landing.peer).landing = nullptr;
  std::erase(expected_, &landing);
  operations_.give_back(landing);
}

// It was cancelled, or broke off while it came in; of an unexpected payload: there is none, or
// that.
void FabricTransport::end_failed_landing(Operation& landing, const fi_cq_err_entry& entry) {
  const int code = std::abs(entry.err);
  if (code != FI_ECANCELED && code != FI_ENOMSG) ++counters_.failed_receives;
  UnexpectedSlot* const unexpected = unexpected_slot_of(landing);
  if (unexpected == nullptr) return end_landing(landing);
  if (unexpected == asking_) asking_ = nullptr;
  unexpected->posted = false;
}

// ---- Unexpected payloads

FabricTransport::UnexpectedSlot* FabricTransport::unexpected_slot_of(const Operation& landing) {
  const auto found = std::ranges::find(unexpected_, &landing, &UnexpectedSlot::landing);
  return found == unexpected_.end() ? nullptr : &*found;
}

// One that waits for nothing; null: there are no more. They stay where they are.
FabricTransport::UnexpectedSlot* FabricTransport::free_unexpected_slot() {
  const auto found = std::ranges::find(unexpected_, false, &UnexpectedSlot::posted);
  if (found != unexpected_.end()) return &*found;
  if (unexpected_.size() == kUnexpectedSlots) return nullptr;
  Result<BufferSlab> memory = BufferSlab::allocate(kMaxPlacedBytes, 1);
  Operation* const landing = memory ? operations_.take(OperationKind::kLanding) : nullptr;
  if (landing == nullptr) return nullptr;
  landing->memory = {memory->buffer(0), kMaxPlacedBytes};
  unexpected_.push_back({landing, std::move(memory).value(), false});
  return &unexpected_.back();
}

// The next read of the queue has the answer.
void FabricTransport::look_for_unexpected() {
  if (asking_ == nullptr && ++idle_looks_ % kLooksPerSearch == 0) ask_for_unexpected();
}

// False: it cannot be asked now.
bool FabricTransport::ask_for_unexpected() {
  UnexpectedSlot* const unexpected = free_unexpected_slot();
  if (unexpected == nullptr) return false;
  fi_msg_tagged any{};
  any.addr = FI_ADDR_UNSPEC;
  any.ignore = kAnyKey;
  any.context = &unexpected->landing->provider_room;
  if (fi_trecvmsg(endpoint_.raw(), &any, FI_PEEK) != 0) return false;
  unexpected->landing->state = OperationState::kInFlight;
  asking_ = unexpected;
  return true;
}

// One that waits wakes nobody. REQUIRES: the completion queue has just been found empty. Only
// errors are read, of which "there is none" is one: any other read of the queue would let the
// provider work on what has come since, and something might be left there that wakes nobody either.
bool FabricTransport::unexpected_is_waiting() {
  if (asking_ != nullptr) return true;
  if (!ask_for_unexpected()) return false;  // all are coming in, and the end of any tells of itself
  fi_cq_err_entry answer{};
  if (fi_cq_readerr(completions_.raw(), &answer, 0) <= 0) return true;
  if (answer.op_context != &asking_->landing->provider_room) {
    held_errors_.push_back(answer);
    return true;
  }
  end_failed_landing(*asking_->landing, answer);
  return false;
}

}  // namespace lintel::transport
