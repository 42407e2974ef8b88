#include "mpi_layer/impi/gateway/crossing.h"

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

Crossing::Crossing(Messenger& messenger, const JobLayout& layout, std::uint32_t rank,
                   PacketWay& way)
    : messenger_(messenger), way_(way), messages_(layout.data_length, way, *this), rank_(rank) {
  for (const JobProc& proc : layout.procs) {
    ranks_.emplace(proc.id, static_cast<std::int32_t>(procs_.size()));
    procs_.push_back(proc.id);
  }
}

// ---- Sends

// The packet carries the world rank, because the messenger does not know the rank in the
// communicator.
bool Crossing::send(const SendArguments& message, SendRequest& request) {
  const Envelope envelope{procs_[rank_],
                          procs_[static_cast<std::size_t>(message.destination)],
                          static_cast<std::int32_t>(rank_),
                          message.tag,
                          message.context,
                          message.length,
                          static_cast<std::int64_t>(message.length),
                          0};
  const std::span bytes(static_cast<const std::byte*>(message.buffer), message.length);
  const SendNumber number = messages_.send(envelope, message.mode == SendMode::kSynchronous, bytes);
  if (number == 0) {
    if (way_.takes_more(envelope.source, envelope.destination)) return true;
    held_up_.emplace(&request, envelope.destination);
    return false;
  }
  sends_.emplace(number, &request);
  return false;
}

void Crossing::on_send_end(SendNumber number, SendEnd end) {
  const auto found = sends_.find(number);
  SendRequest& request = *found->second;
  sends_.erase(found);
  outside().end_send(request, Failure::kNone, end == SendEnd::kCancelled);
}

void Crossing::go_on() {
  messages_.go_on();
  for (auto next = held_up_.begin(); next != held_up_.end();) {
    const auto held_up = next++;
    if (!way_.takes_more(procs_[rank_], held_up->second)) continue;
    SendRequest& request = *held_up->first;
    held_up_.erase(held_up);
    outside().end_send(request, Failure::kNone, false);
  }
}

// A send in held_up_ has left and will complete, so it cannot be cancelled.
void Crossing::cancel(SendRequest& request) {
  const auto found = std::ranges::find_if(
      sends_, [&request](const auto& send) { return send.second == &request; });
  if (found == sends_.end()) return outside().refuse_cancel(request);
  messages_.cancel(found->first);
}

void Crossing::on_cancel_refused(SendNumber number) { outside().refuse_cancel(*sends_.at(number)); }

// ---- Arrivals

void Crossing::on_arrival(ArrivalNumber number, const Envelope& envelope,
                          std::span<const std::byte> data) {
  const auto source = ranks_.find(envelope.source);
  if (source == ranks_.end() || !is_receivable(envelope)) return drop(number, envelope);
  Arrival& arrival = arrivals_[number];
  arrival.envelope = envelope;
  arrival.source = source->second;
  arrival.beginning = data;
  if (!undelivered_.contains(arrival.source) && deliver(number, arrival)) {
    kLock.is_held();
    messenger_.take_in();  // a posted receive copies the data from `data` now
  } else {
    undelivered_[arrival.source].push_back(number);
  }
  const auto waiting = arrivals_.find(number);
  if (waiting == arrivals_.end()) return;
  waiting->second.kept.assign(data.begin(), data.end());
  waiting->second.beginning = waiting->second.kept;
}

void Crossing::drop(ArrivalNumber number, const Envelope& envelope) {
  messages_.drop(number);
  const auto source = ranks_.find(envelope.source);
  if (!dropped_of_.insert(source != ranks_.end() ? source->second : kProcNull).second) return;
  LINTEL_LOG(kError,
             "an IMPI message of process %lld at %s with context %llu, tag %d and %llu bytes is "
             "dropped, as no receive here can ask for "
             "it; so are further ones",
             static_cast<long long>(envelope.source.pid), text_of(envelope.source.host).c_str(),
             static_cast<unsigned long long>(envelope.context), envelope.tag,
             static_cast<unsigned long long>(envelope.length));
}

bool Crossing::deliver(ArrivalNumber number, Arrival& arrival) {
  const Envelope& envelope = arrival.envelope;
  arrival.sequence = outside().deliver(arrival.source, static_cast<std::uint32_t>(envelope.context),
                                       envelope.tag, envelope.length);
  if (arrival.sequence == 0) return false;
  delivered_.emplace(std::pair(arrival.source, arrival.sequence), number);
  return true;
}

std::size_t Crossing::deliver_waiting() {
  std::size_t delivered = 0;
  for (auto next = undelivered_.begin(); next != undelivered_.end();) {
    const auto source = next++;
    std::deque<ArrivalNumber>& waiting = source->second;
    for (; !waiting.empty() && deliver(waiting.front(), arrivals_.at(waiting.front())); ++delivered)
      waiting.pop_front();
    if (waiting.empty()) undelivered_.erase(source);
  }
  return delivered;
}

void Crossing::receive(std::int32_t source, std::uint64_t sequence, std::span<std::byte> buffer,
                       ReceiveRequest& request) {
  auto delivered = delivered_.extract(std::pair(source, sequence));
  const ArrivalNumber number = delivered.mapped();
  const auto arrival = arrivals_.extract(number);
  const std::span<const std::byte> beginning = arrival.mapped().beginning;
  const std::uint64_t length = arrival.mapped().envelope.length;
  copy(beginning, 0, buffer);
  const bool whole = beginning.size() == length;
  if (!whole) landings_.emplace(number, Landing{buffer, &request, length});
  messages_.accept(number);
  if (whole) outside().end_receive(request, Failure::kNone);
}

void Crossing::on_more(ArrivalNumber number, std::uint64_t offset,
                       std::span<const std::byte> data) {
  const auto found = landings_.find(number);
  const Landing landing = found->second;
  copy(data, offset, landing.buffer);
  if (data.size() < landing.length - offset) return;
  landings_.erase(found);
  outside().end_receive(*landing.request, Failure::kNone);
}

std::span<std::byte> Crossing::place_for(ArrivalNumber number, std::uint64_t offset,
                                         std::size_t length) {
  const auto found = landings_.find(number);
  if (found == landings_.end()) return {};
  const std::span<std::byte> buffer = found->second.buffer;
  return offset <= buffer.size() && length <= buffer.size() - offset
             ? buffer.subspan(offset, length)
             : std::span<std::byte>();
}

// The messenger knows whether a receive or a matched probe has taken it.
bool Crossing::withdraw(ArrivalNumber number) {
  const auto found = arrivals_.find(number);
  const Arrival& arrival = found->second;
  if (arrival.sequence == 0) {
    const auto waiting = undelivered_.find(arrival.source);
    std::erase(waiting->second, number);
    if (waiting->second.empty()) undelivered_.erase(waiting);
  } else {
    const std::pair key(arrival.source, arrival.sequence);
    kLock.is_held();
    messenger_.take_in();  // handles matches that have happened already
    if (!messenger_.outside().withdraw(key.first, key.second)) return false;
    delivered_.erase(key);
  }
  arrivals_.erase(number);
  return true;
}

void Crossing::dump(std::string& out) const {
  std::size_t without_room = 0;
  for (const auto& [source, waiting] : undelivered_) without_room += waiting.size();
  out += "impi messages: sends " + std::to_string(sends_.size()) + " arrivals " +
         std::to_string(arrivals_.size()) + " of them without room " +
         std::to_string(without_room) + " landing " + std::to_string(landings_.size()) + '\n';
}

void Crossing::on_relay_end(SendRequest& request) { PacketRelay::on_end(request); }

void Crossing::on_relay_end(ReceiveRequest& request) { PacketRelay::on_end(request); }

}  // namespace lintel::mpi::impi
