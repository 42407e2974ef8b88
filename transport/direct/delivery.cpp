#include "transport/direct/delivery.h"

#include <new>
#include <utility>

namespace lintel::transport {

template <class Report>
void DirectTransport::Delivery::deliver(Report report) {
  owner_.lock_.is_held();
  ++owner_.reports_;
  try {
    report(*owner_.sink_);
  } catch (const std::bad_alloc&) {
    owner_.no_memory_for(connection_);
  }
}

void DirectTransport::Delivery::on_message(std::span<const std::byte> message) {
  deliver([&](Sink& sink) { sink.on_message(connection_.peer, message); });
}

std::byte* DirectTransport::Delivery::place_of_write(RemoteMemory where, std::size_t length) {
  owner_.lock_.is_held();
  std::byte* const place =
      owner_.targets_.begin_write(connection_.peer, where, length, *connection_.stream);
  if (place != nullptr) connection_.written_key = where.key;
  return place;
}

void DirectTransport::Delivery::on_write_in_place(Immediate immediate) {
  owner_.lock_.is_held();
  owner_.targets_.end_write(connection_.written_key, *connection_.stream);
  connection_.written_key = 0;
  deliver([&](Sink& sink) { sink.on_immediate(connection_.peer, immediate); });
}

std::optional<std::span<std::byte>> DirectTransport::Delivery::place_of_payload(
    PlacementKey placement) {
  owner_.lock_.is_held();
  if (!connection_.is_admitted) return std::nullopt;
  // Without memory, tried again by resume_stalled().
  constexpr std::span<std::byte> kNoMemory;
  connection_.stalled_key = placement;
  if (!owner_.placement_enabled_) return kNoMemory;
  const DirectPeer& from = owner_.peers_[connection_.peer];
  if (from.expects && from.expected == placement) {
    connection_.is_expected = true;
    return from.landing;
  }
  connection_.unexpected = owner_.unexpected_.take();
  if (!connection_.unexpected) return kNoMemory;
  connection_.needed_quarters = 0;
  return std::span(connection_.unexpected.get(), UnexpectedMemory::kBytes);
}

void DirectTransport::Delivery::on_placed_message(std::span<const std::byte> message,
                                                  const PlacedPayload& payload) {
  owner_.lock_.is_held();
  // First, because the sink may expect the next payload.
  if (std::exchange(connection_.is_expected, false))
    owner_.peers_[connection_.peer].expects = false;
  deliver([&](Sink& sink) { sink.on_placed_message(connection_.peer, message, payload); });
  owner_.unexpected_.give_back(std::move(connection_.unexpected));
}

// A program that has sent a long message posts the receive of the answer when the send has ended,
// and the answer brings the acknowledgement along. Delivered in the same poll it would always be
// early, and be copied, or wait for another round trip. While other sends are under way nobody
// waits for this one alone.
// Measure: bench/compare/builds --only mpi-latency,mpi-bibandwidth
Acknowledged DirectTransport::Delivery::on_acknowledgement(std::uint32_t received) {
  owner_.lock_.is_held();
  const OutboundStream& outbound = connection_.outbound;
  const std::size_t ended = owner_.ended_.size();
  if (!owner_.acknowledged(connection_, outbound.position_of(received)))
    return Acknowledged::kUnsent;
  const bool is_last = owner_.ended_.size() > ended && !outbound.is_awaited();
  return is_last ? Acknowledged::kLastOperation : Acknowledged::kNothing;
}

void DirectTransport::Delivery::on_acknowledgement_wanted(std::uint16_t flags) {
  owner_.lock_.is_held();
  connection_.owed.want(flags, owner_.polls_);
}

}  // namespace lintel::transport
