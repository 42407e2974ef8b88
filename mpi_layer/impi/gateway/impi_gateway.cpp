#include "mpi_layer/impi/gateway/impi_gateway.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/log.h"
#include "mpi_layer/impi/gateway/packet_relay.h"

namespace lintel::mpi::impi {
namespace {

// The data may be in the buffer already.
void copy(std::span<const std::byte> data, std::uint64_t offset, std::span<std::byte> buffer) {
  if (offset >= buffer.size() || data.empty() || data.data() == buffer.data() + offset) return;
  std::memcpy(buffer.data() + offset, data.data(), std::min(data.size(), buffer.size() - offset));
}

// False if a receive of this process cannot match it, because no message of Lintel can have such an
// envelope.
bool is_receivable(const Envelope& envelope) {
  return envelope.context < kRelayContext && is_tag(envelope.tag) && envelope.length <= kMaxLength;
}

}  // namespace

ImpiGateway::ImpiGateway(Messenger& messenger, const JobLayout& layout, std::uint32_t rank,
                         PacketSender& sender)
    : messenger_(messenger),
      sender_(sender),
      messages_(layout.data_length, sender, *this),
      world_(layout),
      rank_(static_cast<std::int32_t>(rank)) {}

// ---- Sends

// The packet carries the world rank, because the messenger does not know the rank in the
// communicator.
bool ImpiGateway::send(const SendArguments& message, SendRequest& request) {
  const Envelope envelope{world_.at(rank_),
                          world_.at(message.destination),
                          rank_,
                          message.tag,
                          message.context,
                          message.length,
                          static_cast<std::int64_t>(message.length),
                          0};
  const std::span bytes(static_cast<const std::byte*>(message.buffer), message.length);
  const SendNumber number = messages_.send(envelope, message.mode == SendMode::kSynchronous, bytes);
  if (number == 0) {
    if (sender_.takes_more(envelope.source, envelope.destination)) return true;
    delayed_sends_.emplace(&request, envelope.destination);
    return false;
  }
  sends_.emplace(number, &request);
  return false;
}

void ImpiGateway::on_send_end(SendNumber number, SendEnd end) {
  kLock.is_held();
  const auto found = sends_.find(number);
  SendRequest& request = *found->second;
  sends_.erase(found);
  outside().end_send(request, RequestFailure::kNone, end == SendEnd::kCancelled);
}

void ImpiGateway::resume() {
  messages_.resume();
  for (auto next = delayed_sends_.begin(); next != delayed_sends_.end();) {
    const auto delayed = next++;
    if (!sender_.takes_more(world_.at(rank_), delayed->second)) continue;
    SendRequest& request = *delayed->first;
    delayed_sends_.erase(delayed);
    outside().end_send(request, RequestFailure::kNone, false);
  }
}

// A send in delayed_sends_ has left and will complete, so it cannot be cancelled.
void ImpiGateway::cancel(SendRequest& request) {
  const auto found = std::ranges::find_if(
      sends_, [&request](const auto& send) { return send.second == &request; });
  if (found == sends_.end()) return outside().refuse_cancel(request);
  messages_.cancel(found->first);
}

void ImpiGateway::on_cancel_refused(SendNumber number) {
  kLock.is_held();
  outside().refuse_cancel(*sends_.at(number));
}

// ---- Arrivals

void ImpiGateway::on_arrival(ArrivalNumber number, const Envelope& envelope,
                             std::span<const std::byte> data) {
  kLock.is_held();
  const auto source = world_.rank_of(envelope.source);
  if (!source || !is_receivable(envelope)) return drop(number, envelope);
  arrivals_.add(number, envelope, *source, data);
  if (arrivals_.deliver(number, [this](const UnmatchedArrival& arrival) {
        kLock.is_held();
        return deliver(arrival);
      })) {
    messenger_.handle_events();  // a posted receive copies the data from `data` now
  }
  UnmatchedArrival* const unmatched = arrivals_.find(number);
  if (unmatched == nullptr) return;
  unmatched->kept.assign(data.begin(), data.end());
  unmatched->beginning = unmatched->kept;
}

void ImpiGateway::drop(ArrivalNumber number, const Envelope& envelope) {
  messages_.drop(number);
  if (!dropped_of_.insert(world_.rank_of(envelope.source).value_or(kProcNull)).second) return;
  LINTEL_LOG(kError,
             "an IMPI message of process %lld at %s with context %llu, tag %d and %llu bytes is "
             "dropped, as no receive here can ask for "
             "it; so are further ones",
             static_cast<long long>(envelope.source.pid), text_of(envelope.source.host).c_str(),
             static_cast<unsigned long long>(envelope.context), envelope.tag,
             static_cast<unsigned long long>(envelope.length));
}

// Returns the messenger's number; 0: it has no room.
std::uint64_t ImpiGateway::deliver(const UnmatchedArrival& arrival) {
  const Envelope& envelope = arrival.envelope;
  return outside().deliver(arrival.source, static_cast<std::uint32_t>(envelope.context),
                           envelope.tag, envelope.length);
}

std::size_t ImpiGateway::deliver_waiting() {
  return arrivals_.deliver_waiting([this](const UnmatchedArrival& arrival) {
    kLock.is_held();
    return deliver(arrival);
  });
}

void ImpiGateway::receive(std::int32_t source, std::uint64_t sequence, std::span<std::byte> buffer,
                          ReceiveRequest& request) {
  const auto arrival = arrivals_.take(source, sequence);
  const ArrivalNumber number = arrival.key();
  const std::span<const std::byte> beginning = arrival.mapped().beginning;
  const std::uint64_t length = arrival.mapped().envelope.length;
  copy(beginning, 0, buffer);
  const bool whole = beginning.size() == length;
  if (!whole) matched_.emplace(number, MatchedArrival{buffer, &request, length});
  messages_.accept(number);
  if (whole) outside().end_receive(request, RequestFailure::kNone);
}

void ImpiGateway::on_more(ArrivalNumber number, std::uint64_t offset,
                          std::span<const std::byte> data) {
  kLock.is_held();
  const auto found = matched_.find(number);
  const MatchedArrival landing = found->second;
  copy(data, offset, landing.buffer);
  if (data.size() < landing.length - offset) return;
  matched_.erase(found);
  outside().end_receive(*landing.request, RequestFailure::kNone);
}

std::span<std::byte> ImpiGateway::place_for(ArrivalNumber number, std::uint64_t offset,
                                            std::size_t length) {
  kLock.is_held();
  const auto found = matched_.find(number);
  if (found == matched_.end()) return {};
  const std::span<std::byte> buffer = found->second.buffer;
  return offset <= buffer.size() && length <= buffer.size() - offset
             ? buffer.subspan(offset, length)
             : std::span<std::byte>();
}

// The messenger knows whether a receive or a matched probe has taken it.
bool ImpiGateway::withdraw(ArrivalNumber number) {
  kLock.is_held();
  const UnmatchedArrival& arrival = *arrivals_.find(number);
  if (arrival.sequence != 0) {
    const std::int32_t source = arrival.source;
    const std::uint64_t sequence = arrival.sequence;
    messenger_.handle_events();  // handles matches that have happened already
    if (!messenger_.outside().withdraw(source, sequence)) return false;
  }
  arrivals_.remove(number);
  return true;
}

void ImpiGateway::dump(std::string& out) const {
  out += "impi messages: sends " + std::to_string(sends_.size()) + " arrivals " +
         std::to_string(arrivals_.size()) + " of them without room " +
         std::to_string(arrivals_.without_room()) + " landing " + std::to_string(matched_.size()) +
         '\n';
}

void ImpiGateway::on_relay_end(SendRequest& request) { PacketRelay::on_end(request); }

void ImpiGateway::on_relay_end(ReceiveRequest& request) { PacketRelay::on_end(request); }

}  // namespace lintel::mpi::impi
