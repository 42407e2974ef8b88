// Parcels: messages with a payload, as tagged messages of the native TCP providers. The tag is the key. A tagged message that no posted receive matches stays in its
// socket, and what its sender sends after it waits behind it. So one that nobody expects is looked for now and then, and taken in to memory of our own.
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
constexpr std::size_t kSpill = 0;     // what is longer than the memory that it lands in ends here; nobody reads it
constexpr std::size_t kMessages = 1;  // of the parcels, by landing
constexpr std::size_t kBufferCount = 2;

// Looks at an empty completion queue between two for strays: each costs as much as several of those.
constexpr unsigned kLooksPerSearch = 16;

// A tag with these bits to be ignored matches every key. The provider keeps the bit above for itself.
constexpr std::uint64_t kAnyKey = (std::uint64_t{1} << kParcelKeyBits) - 1;

}  // namespace

void FabricTransport::welcome_parcels() {
  if (welcome_ || attributes_.max_parcel_bytes == 0 || !prepare_landings()) return;
  expected_.reserve(kLandings - kStrays);
  strays_.reserve(kStrays);
  welcome_ = free_stray() != nullptr;
}

bool FabricTransport::prepare_landings() {
  static_assert(kLandings * kParcelMessageBytes <= kMaxParcelBytes);
  Result<BufferSlab> buffers = BufferSlab::allocate(kMaxParcelBytes, kBufferCount);
  if (buffers) landing_buffers_ = std::move(buffers).value();
  return buffers.ok();
}

std::byte* FabricTransport::landing_message(const Operation& landing) const {
  return landing_buffers_.buffer(kMessages) + landing.index * kParcelMessageBytes;
}

PostStatus FabricTransport::commit_parcel(PeerId peer, const MessageBuffer& buffer, std::size_t bytes, std::span<const std::byte> payload,
                                          ParcelKey key, Context context) {
  Operation& frame = operations_.at(OperationKind::kSend, buffer.token);
  LINTEL_ASSERT(frame.state == OperationState::kLent && bytes <= kParcelMessageBytes && is_parcel_key(key));
  LINTEL_ASSERT(!payload.empty() && payload.size() <= attributes_.max_parcel_bytes);
  if (!may_try(peer)) return PostStatus::kWouldBlock;
  std::memset(buffer.data + bytes, 0, kParcelMessageBytes - bytes);
  // Only ever read from.
  const iovec pieces[] = {{buffer.data, kParcelMessageBytes}, {const_cast<std::byte*>(payload.data()), payload.size()}};
  const ssize_t status =
      fi_tsendv(endpoint_.raw(), pieces, nullptr, std::size(pieces), peers_.at(peer).address, key.value, &frame.provider_room);
  if (status != 0) return refused(peer, status, "fi_tsendv");
  frame.parcel = true;
  frame.context = context;
  record_start(frame, peer);
  return PostStatus::kOk;
}

bool FabricTransport::expect_parcel(PeerId peer, ParcelKey key, std::span<std::byte> memory) {
  LINTEL_ASSERT(is_parcel_key(key));
  FabricPeer& from = peers_.at(peer);
  if (!welcome_ || from.landing != nullptr || memory.empty()) return false;
  if (expected_.size() == kLandings - kStrays) return false;  // the others are for strays
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

// Some of a parcel is in place, and the rest is in its socket or on its way there: of a payload in more than one piece the provider takes what it has read ahead, and
// asks its sockets again when it is asked. Tells by the first byte of the message, see Transport::commit_parcel().
bool FabricTransport::parcel_has_begun() const {
  return std::ranges::any_of(expected_, [this](const Operation* landing) { return *landing_message(*landing) != std::byte{0}; });
}

bool FabricTransport::post_landing(Operation& landing, fi_addr_t from, std::uint64_t key, std::uint64_t ignored) {
  const std::size_t most = std::min(landing.memory.size(), kMaxParcelBytes);
  // A longer one than there is room for would end the connection.
  const iovec pieces[] = {{landing_message(landing), kParcelMessageBytes},
                          {landing.memory.data(), most},
                          {landing_buffers_.buffer(kSpill), kMaxParcelBytes - most}};
  const std::size_t count = most < kMaxParcelBytes ? 3 : 2;
  if (fi_trecvv(endpoint_.raw(), pieces, nullptr, count, from, key, ignored, &landing.provider_room) != 0) return false;
  landing.state = OperationState::kInFlight;
  return true;
}

// The provider takes a receive that no message has met out of its list at once, and says so in its queue. Of one that was met it says nothing.
Forgotten FabricTransport::forget_parcel(PeerId peer) {
  Operation* const landing = peers_.at(peer).landing;
  if (landing == nullptr) return Forgotten::kNone;
  fi_cancel(&endpoint_.raw()->fid, &landing->provider_room);
  for (;;) {
    fi_cq_data_entry entry;
    const ssize_t got = fi_cq_read(completions_.raw(), &entry, 1);
    if (got == 1) {
      held_.push_back(entry);
      if (entry.op_context == &landing->provider_room) return Forgotten::kArriving;
    } else if (got == -FI_EAVAIL) {
      fi_cq_err_entry error{};
      if (fi_cq_readerr(completions_.raw(), &error, 0) <= 0) continue;
      if (error.op_context != &landing->provider_room) {
        held_errors_.push_back(error);
        continue;
      }
      end_failed_landing(*landing, error);
      return Forgotten::kWithdrawn;
    } else {
      return Forgotten::kArriving;
    }
  }
}

// A parcel has come, or one waits that nobody expects.
std::size_t FabricTransport::take_parcel(Operation& landing, const fi_cq_data_entry& entry, Sink& sink) {
  Stray* const stray = stray_of(landing);
  if (stray != nullptr && !stray->posted) {
    asking_ = nullptr;
    stray->posted = post_landing(landing, FI_ADDR_UNSPEC, 0, kAnyKey);
    return 0;
  }
  // What the sink does may want the landing again.
  std::array<std::byte, kParcelMessageBytes> message;
  std::memcpy(message.data(), landing_message(landing), message.size());
  const std::size_t length = entry.len - std::min(entry.len, message.size());
  const ParcelPayload payload{landing.memory.first(std::min(length, landing.memory.size())), length};
  const PeerId from = stray != nullptr ? kNoPeer : landing.peer;
  const bool given_up = stray == nullptr && landing.given_up;
  if (stray == nullptr) end_landing(landing);
  if (given_up) return 0;
  std::size_t reports = 0;
  if (length > 0) {
    sink.on_parcel(from, message, payload);
    ++reports;
  } else {
    ++counters_.failed_receives;  // no parcel of ours: the payload of those is not empty
  }
  if (stray != nullptr) stray->posted = false;  // only now: its memory has been read
  return reports;
}

void FabricTransport::end_landing(Operation& landing) {
  peers_.at(landing.peer).landing = nullptr;
  std::erase(expected_, &landing);
  operations_.give_back(landing);
}

// It was cancelled, or broke off while it came in; of a stray: there is none, or that.
void FabricTransport::end_failed_landing(Operation& landing, const fi_cq_err_entry& entry) {
  const int code = std::abs(entry.err);
  if (code != FI_ECANCELED && code != FI_ENOMSG) ++counters_.failed_receives;
  Stray* const stray = stray_of(landing);
  if (stray == nullptr) return end_landing(landing);
  if (stray == asking_) asking_ = nullptr;
  stray->posted = false;
}

// ---- Strays

FabricTransport::Stray* FabricTransport::stray_of(const Operation& landing) {
  const auto found = std::ranges::find(strays_, &landing, &Stray::landing);
  return found == strays_.end() ? nullptr : &*found;
}

// One that waits for nothing; null: there are no more. They stay where they are.
FabricTransport::Stray* FabricTransport::free_stray() {
  const auto found = std::ranges::find(strays_, false, &Stray::posted);
  if (found != strays_.end()) return &*found;
  if (strays_.size() == kStrays) return nullptr;
  Result<BufferSlab> memory = BufferSlab::allocate(kMaxParcelBytes, 1);
  Operation* const landing = memory ? operations_.take(OperationKind::kLanding) : nullptr;
  if (landing == nullptr) return nullptr;
  landing->memory = {memory->buffer(0), kMaxParcelBytes};
  strays_.push_back({landing, std::move(memory).value(), false});
  return &strays_.back();
}

// The next read of the queue has the answer.
void FabricTransport::look_for_stray() {
  if (asking_ == nullptr && ++idle_looks_ % kLooksPerSearch == 0) ask_for_stray();
}

// False: it cannot be asked now.
bool FabricTransport::ask_for_stray() {
  Stray* const stray = free_stray();
  if (stray == nullptr) return false;
  fi_msg_tagged any{};
  any.addr = FI_ADDR_UNSPEC;
  any.ignore = kAnyKey;
  any.context = &stray->landing->provider_room;
  if (fi_trecvmsg(endpoint_.raw(), &any, FI_PEEK) != 0) return false;
  stray->landing->state = OperationState::kInFlight;
  asking_ = stray;
  return true;
}

// One that waits wakes nobody. REQUIRES: the completion queue has just been found empty. Only errors are read, of which "there is none" is one: any other read
// of the queue would let the provider work on what has come since, and something might be left there that wakes nobody either.
bool FabricTransport::stray_at_the_door() {
  if (asking_ != nullptr) return true;
  if (!ask_for_stray()) return false;  // all are coming in, and the end of any tells of itself
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
