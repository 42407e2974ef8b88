#include "transport/direct/delivery.h"

#include <new>
#include <utility>

namespace lintel::transport {

template <class Report>
void Delivery::deliver(Report report) {
  ++tables_.reports;
  try {
    report(*tables_.sink);
  } catch (const std::bad_alloc&) {
    connections_.no_memory_for(connection_);
  }
}

void Delivery::on_message(std::span<const std::byte> message) {
  deliver([&](Sink& sink) { sink.on_message(connection_.peer, message); });
}

std::byte* Delivery::place_of_write(RemoteMemory where, std::size_t length) {
  std::byte* const place =
      tables_.targets.begin_write(connection_.peer, where, length, *connection_.stream);
  if (place != nullptr) connection_.written_key = where.key;
  return place;
}

void Delivery::on_write_in_place(Immediate immediate) {
  tables_.targets.end_write(connection_.written_key, *connection_.stream);
  connection_.written_key = 0;
  deliver([&](Sink& sink) { sink.on_immediate(connection_.peer, immediate); });
}

std::optional<std::span<std::byte>> Delivery::place_of_payload(PlacementKey placement) {
  if (!connection_.is_admitted) return std::nullopt;
  // Without memory, tried again by DirectReceiver::resume_stalled().
  constexpr std::span<std::byte> kNoMemory;
  connection_.stalled_key = placement;
  if (!tables_.placement_enabled) return kNoMemory;
  const DirectPeer& from = tables_.peers[connection_.peer];
  if (from.expects && from.expected == placement) {
    connection_.is_expected = true;
    return from.landing;
  }
  connection_.unexpected = tables_.unexpected.take();
  if (!connection_.unexpected) return kNoMemory;
  connection_.needed_quarters = 0;
  return std::span(connection_.unexpected.get(), UnexpectedMemory::kBytes);
}

void Delivery::on_placed_message(std::span<const std::byte> message, const PlacedPayload& payload) {
  // First, because the sink may expect the next payload.
  if (std::exchange(connection_.is_expected, false))
    tables_.peers[connection_.peer].expects = false;
  deliver([&](Sink& sink) { sink.on_placed_message(connection_.peer, message, payload); });
  tables_.unexpected.give_back(std::move(connection_.unexpected));
}

// A program that has sent a long message posts the receive of the answer when the send has ended,
// and the answer brings the acknowledgement along. Delivered in the same poll it would always be
// early, and be copied, or wait for another round trip. While other sends are under way nobody
// waits for this one alone.
// Measure: bench/compare/builds --only mpi-latency,mpi-bibandwidth
Acknowledged Delivery::on_acknowledgement(std::uint32_t received) {
  const OutboundStream& outbound = connection_.outbound;
  const std::size_t ended = tables_.ended.size();
  if (!sender_.acknowledged(connection_, outbound.position_of(received)))
    return Acknowledged::kUnsent;
  const bool is_last = tables_.ended.size() > ended && !outbound.is_awaited();
  return is_last ? Acknowledged::kLastOperation : Acknowledged::kNothing;
}

void Delivery::on_acknowledgement_wanted(std::uint16_t flags) {
  connection_.owed.want(flags, tables_.polls);
}

}  // namespace lintel::transport
