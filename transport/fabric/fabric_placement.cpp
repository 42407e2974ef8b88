// Placed messages are tagged messages of the native TCP providers, and the key is the tag. A tagged
// message that no posted receive matches stays in its socket, and everything that its sender sends
// after it waits. So the transport searches for unexpected ones from time to time, and receives
// them into memory of its own.
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>

#include "transport/fabric/fabric_transport.h"

namespace lintel::transport {
namespace {

// Indices of landing_buffers_.
// Receives the part of a payload that is longer than its memory. Never read.
constexpr std::size_t kSpill = 0;
constexpr std::size_t kMessages = 1;  // messages of placed messages, by landing
constexpr std::size_t kBufferCount = 2;

// Reads of an empty completion queue between two searches for unexpected payloads, because a search
// costs as much as several reads.
constexpr unsigned kLooksPerSearch = 16;

// Ignoring these bits of the tag matches every key. The provider uses the highest bit itself.
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

std::byte* FabricTransport::landing_message(const FabricOperation& landing) const {
  return landing_buffers_.buffer(kMessages) + landing.index * kPlacedMessageBytes;
}

PostStatus FabricTransport::commit_placed(PeerId peer, const MessageBuffer& buffer,
                                          std::size_t bytes, std::span<const std::byte> payload,
                                          PlacementKey key, Context context) {
  lock_.is_held();
  FabricOperation& frame = operations_.at(OperationKind::kSend, buffer.token);
  LINTEL_ASSERT(frame.state == OperationState::kLent && bytes <= kPlacedMessageBytes &&
                is_placement_key(key));
  LINTEL_ASSERT(!payload.empty() && payload.size() <= attributes_.max_placed_bytes);
  if (!may_try(peer)) return PostStatus::kWouldBlock;
  std::memset(buffer.data + bytes, 0, kPlacedMessageBytes - bytes);
  // Never written.
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
  // A process that was forgotten and has kept its connection may have had the address, and the
  // provider would take its placed messages for those of this peer.
  if (from.address_used_before) return false;
  // The others are for unexpected payloads.
  if (expected_.size() == kLandings - kUnexpectedSlots) return false;
  FabricOperation* const landing = operations_.take(OperationKind::kLanding);
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

// True: a placed message has begun to arrive. The provider reads a payload in parts, and reads the
// socket again only when it is called again, so another read of the queue is worth while. The first
// byte of the message shows the beginning, see Transport::commit_placed().
bool FabricTransport::payload_has_begun() const {
  for (const FabricOperation* const landing : expected_) {
    if (*landing_message(*landing) != std::byte{0}) return true;
  }
  return false;
}

bool FabricTransport::post_landing(FabricOperation& landing, fi_addr_t from, std::uint64_t key,
                                   std::uint64_t ignored) {
  const std::size_t most = std::min(landing.memory.size(), kMaxPlacedBytes);
  // A payload longer than its room would end the connection.
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

// The provider removes a receive that no message has matched from its list at once, and reports
// this in its queue. About one that was matched it reports nothing.
Withdrawal FabricTransport::withdraw_placement(PeerId peer) {
  lock_.is_held();
  FabricOperation* const landing = peers_.at(peer).landing;
  if (landing == nullptr) return Withdrawal::kNone;
  fi_cancel(&endpoint_.raw()->fid, &landing->provider_room);
  while (has_room_to_hold()) {
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
      break;
    }
  }
  return Withdrawal::kArriving;
}

// For one more completion and one more error. False: there is no memory for it.
bool FabricTransport::has_room_to_hold() {
  try {
    if (held_.full()) held_.set_capacity(2 * held_.capacity());
    if (held_errors_.full()) held_errors_.set_capacity(2 * held_errors_.capacity());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// A placed message has arrived, or an unexpected one waits.
std::size_t FabricTransport::take_placed(FabricOperation& landing, const fi_cq_data_entry& entry,
                                         Sink& sink) {
  UnexpectedSlot* const unexpected = unexpected_slot_of(landing);
  if (unexpected != nullptr && !unexpected->posted) {
    asking_ = nullptr;
    unexpected->posted = post_landing(landing, FI_ADDR_UNSPEC, 0, kAnyKey);
    return 0;
  }
  // A copy, because a call of the sink may use the landing again.
  std::array<std::byte, kPlacedMessageBytes> message;
  std::memcpy(message.data(), landing_message(landing), message.size());
  const std::size_t length = entry.len - std::min(entry.len, message.size());
  const PlacedPayload payload{landing.memory.first(std::min(length, landing.memory.size())),
                              length};
  const PeerId from = unexpected != nullptr ? kNoPeer : landing.peer;
  const bool given_up = unexpected == nullptr && landing.given_up;
  if (unexpected == nullptr) end_landing(landing);
  if (given_up) return 0;
  // At the end, also if the sink throws: the memory of an unexpected payload is in use until then.
  struct Unpost {
    ~Unpost() {
      if (slot != nullptr) slot->posted = false;
    }
    UnexpectedSlot* slot;
  } const unpost{unexpected};
  if (length == 0) {
    ++counters_.failed_receives;  // malformed: a payload is never empty
    return 0;
  }
  sink.on_placed_message(from, message, payload);
  return 1;
}

void FabricTransport::end_landing(FabricOperation& landing) {
  FabricPeer& peer = peers_.at(landing.peer);
  peer.landing = nullptr;
  std::erase(expected_, &landing);
  operations_.give_back(landing);
  if (peer.unwanted) [[unlikely]]
    drop_unwanted(landing.peer);
}

// The landing was cancelled, or its message ended in the middle. If it is for unexpected payloads,
// there may be none.
void FabricTransport::end_failed_landing(FabricOperation& landing, const fi_cq_err_entry& entry) {
  const int code = std::abs(entry.err);
  if (code != FI_ECANCELED && code != FI_ENOMSG) ++counters_.failed_receives;
  UnexpectedSlot* const unexpected = unexpected_slot_of(landing);
  if (unexpected == nullptr) return end_landing(landing);
  if (unexpected == asking_) asking_ = nullptr;
  unexpected->posted = false;
}

// ---- Unexpected payloads

FabricTransport::UnexpectedSlot* FabricTransport::unexpected_slot_of(
    const FabricOperation& landing) {
  const auto found = std::ranges::find(unexpected_, &landing, &UnexpectedSlot::landing);
  return found == unexpected_.end() ? nullptr : &*found;
}

// A slot that is not posted; null: there is none. Slots do not move.
FabricTransport::UnexpectedSlot* FabricTransport::free_unexpected_slot() {
  const auto found = std::ranges::find(unexpected_, false, &UnexpectedSlot::posted);
  if (found != unexpected_.end()) return &*found;
  if (unexpected_.size() == kUnexpectedSlots) return nullptr;
  Result<BufferSlab> memory = BufferSlab::allocate(kMaxPlacedBytes, 1);
  FabricOperation* const landing = memory ? operations_.take(OperationKind::kLanding) : nullptr;
  if (landing == nullptr) return nullptr;
  landing->memory = {memory->buffer(0), kMaxPlacedBytes};
  unexpected_.push_back({landing, std::move(memory).value(), false});
  return &unexpected_.back();
}

// The next read of the queue has the answer of the provider.
void FabricTransport::look_for_unexpected() {
  if (asking_ == nullptr && ++idle_looks_ % kLooksPerSearch == 0) ask_for_unexpected();
}

// False: the provider cannot be asked now.
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

// Whether an unexpected payload waits, which would not wake a sleeper. REQUIRES: the completion
// queue has just been found empty.
// Reads only errors, of which "there is none" is one. Any other read of the queue would let the
// provider process what has arrived since, and something could remain that wakes nobody.
bool FabricTransport::unexpected_is_waiting() {
  if (asking_ != nullptr) return true;
  if (!ask_for_unexpected()) return false;  // all slots are posted; the end of each is reported
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
