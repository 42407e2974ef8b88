#include "transport/fabric/placed_receives.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lintel::transport {
namespace {

// Indices of buffers_.
// Receives the part of a payload that is longer than its memory. Never read.
constexpr std::size_t kDiscarded = 0;
constexpr std::size_t kMessages = 1;  // messages of placed messages, by receive
constexpr std::size_t kBufferCount = 2;

// Ignoring these bits of the tag matches every key. The provider uses the highest bit itself.
constexpr std::uint64_t kAnyKey = (std::uint64_t{1} << kPlacementKeyBits) - 1;

}  // namespace

void PlacedReceives::enable() {
  static_assert(kRecords * kMessageBytes <= kMaxPayloadBytes);
  Result<BufferSlab> buffers = BufferSlab::allocate(kMaxPayloadBytes, kBufferCount);
  if (!buffers) return;
  buffers_ = std::move(buffers).value();
  expected_.reserve(kRecords - kUnexpectedSlots);
  unexpected_.reserve(kUnexpectedSlots);
  enabled_ = free_slot() != nullptr;
}

std::byte* PlacedReceives::message_of(const FabricOperation& receive) const {
  return buffers_.buffer(kMessages) + receive.index * kMessageBytes;
}

bool PlacedReceives::expect(PeerId peer, PlacementKey key, std::span<std::byte> memory,
                            const OfiEndpoint& endpoint) {
  LINTEL_ASSERT(is_placement_key(key));
  FabricPeer& from = peers_.at(peer);
  if (!enabled_ || from.placed_receive != nullptr || memory.empty()) return false;
  // A process that was forgotten and has kept its connection may have had the address, and the
  // provider would take its placed messages for those of this peer.
  if (from.address_used_before) return false;
  // The others are for unexpected payloads.
  if (expected_.size() == kRecords - kUnexpectedSlots) return false;
  FabricOperation* const receive = operations_.take(OperationKind::kPlacedReceive);
  receive->memory = memory;
  receive->peer = peer;
  receive->given_up = false;
  *message_of(*receive) = std::byte{0};
  if (!post(*receive, from.address, key.value, 0, endpoint)) {
    operations_.give_back(*receive);
    return false;
  }
  from.placed_receive = receive;
  expected_.push_back(receive);
  return true;
}

// The first byte of the message shows the beginning, see Transport::commit_placed().
bool PlacedReceives::payload_has_begun() const {
  for (const FabricOperation* const receive : expected_) {
    if (*message_of(*receive) != std::byte{0}) return true;
  }
  return false;
}

bool PlacedReceives::post(FabricOperation& receive, fi_addr_t from, std::uint64_t key,
                          std::uint64_t ignored, const OfiEndpoint& endpoint) {
  const std::size_t most = std::min(receive.memory.size(), kMaxPayloadBytes);
  // A payload longer than its room would end the connection.
  const iovec pieces[] = {{message_of(receive), kMessageBytes},
                          {receive.memory.data(), most},
                          {buffers_.buffer(kDiscarded), kMaxPayloadBytes - most}};
  const std::size_t count = most < kMaxPayloadBytes ? 3 : 2;
  if (fi_trecvv(endpoint.raw(), pieces, nullptr, count, from, key, ignored,
                &receive.provider_room) != 0)
    return false;
  receive.state = OperationState::kInFlight;
  return true;
}

std::size_t PlacedReceives::take(FabricOperation& receive, const fi_cq_data_entry& entry,
                                 const OfiEndpoint& endpoint, Sink& sink) {
  UnexpectedSlot* const unexpected = slot_of(receive);
  if (unexpected != nullptr && !unexpected->posted) {
    asking_ = nullptr;
    unexpected->posted = post(receive, FI_ADDR_UNSPEC, 0, kAnyKey, endpoint);
    return 0;
  }
  // A copy, because a call of the sink may use the operation again.
  std::array<std::byte, kMessageBytes> message;
  std::memcpy(message.data(), message_of(receive), message.size());
  const std::size_t length = entry.len - std::min(entry.len, message.size());
  const PlacedPayload payload{receive.memory.first(std::min(length, receive.memory.size())),
                              length};
  const PeerId from = receive.peer;
  const bool given_up = unexpected == nullptr && receive.given_up;
  if (unexpected == nullptr) end(receive);
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

void PlacedReceives::end(FabricOperation& receive) {
  peers_.at(receive.peer).placed_receive = nullptr;
  std::erase(expected_, &receive);
  operations_.give_back(receive);
}

void PlacedReceives::end_failed(FabricOperation& receive, const fi_cq_err_entry& entry) {
  const int code = std::abs(entry.err);
  if (code != FI_ECANCELED && code != FI_ENOMSG) ++counters_.failed_receives;
  UnexpectedSlot* const unexpected = slot_of(receive);
  if (unexpected == nullptr) return end(receive);
  if (unexpected == asking_) asking_ = nullptr;
  unexpected->posted = false;
}

// ---- Unexpected payloads

PlacedReceives::UnexpectedSlot* PlacedReceives::slot_of(const FabricOperation& receive) {
  const auto found = std::ranges::find(unexpected_, &receive, &UnexpectedSlot::receive);
  return found == unexpected_.end() ? nullptr : &*found;
}

// A slot that is not posted; null: there is none.
PlacedReceives::UnexpectedSlot* PlacedReceives::free_slot() {
  const auto found = std::ranges::find(unexpected_, false, &UnexpectedSlot::posted);
  if (found != unexpected_.end()) return &*found;
  if (unexpected_.size() == kUnexpectedSlots) return nullptr;
  Result<BufferSlab> memory = BufferSlab::allocate(kMaxPayloadBytes, 1);
  FabricOperation* const receive =
      memory ? operations_.take(OperationKind::kPlacedReceive) : nullptr;
  if (receive == nullptr) return nullptr;
  receive->memory = {memory->buffer(0), kMaxPayloadBytes};
  receive->peer = kNoPeer;
  unexpected_.push_back({receive, std::move(memory).value(), false});
  return &unexpected_.back();
}

bool PlacedReceives::ask_for_unexpected(const OfiEndpoint& endpoint) {
  UnexpectedSlot* const unexpected = free_slot();
  if (unexpected == nullptr) return false;
  fi_msg_tagged any{};
  any.addr = FI_ADDR_UNSPEC;
  any.ignore = kAnyKey;
  any.context = &unexpected->receive->provider_room;
  if (fi_trecvmsg(endpoint.raw(), &any, FI_PEEK) != 0) return false;
  unexpected->receive->state = OperationState::kInFlight;
  asking_ = unexpected;
  return true;
}

}  // namespace lintel::transport
