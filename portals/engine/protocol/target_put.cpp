// A put at its target: writes the data to the matched memory, then sends the ACK, with initiator
// and target swapped (table 4.2).

#include "portals/engine/protocol/target.h"

namespace lintel::portals {

void Target::on_put(NetworkInterface& interface, transport::PeerId from,
                    const wire::Request& request, std::span<const std::byte> payload) {
  const std::optional<Match> matched = match(interface, from, request, option::kPut);
  if (!matched) return;
  const auto& [descriptor, acceptance, list] = *matched;
  const bool announced = (request.header.flags & wire::kFlagAnnounced) != 0;
  const bool ack =
      (request.header.flags & wire::kFlagAckWanted) != 0 && !descriptor->has(option::kAckDisable);

  if (announced && acceptance.length > 0) {
    Completion completion =
        open(interface, *matched, request, EventKind::kPutStart, EventKind::kPutEnd);
    Operation* operation = operations_.create(from, interface.kind(), false);
    if (operation != nullptr) {
      // Without an ACK, nothing else would end the record of the initiator.
      const std::uint64_t release_token =
          !ack && (request.header.flags & wire::kFlagTracked) != 0 ? request.sender_token : 0;
      const Transfers::Answer answer{
          ack, make_response(interface, wire::MessageKind::kAck, request, *matched), release_token};
      const Transfers::RegionPart place{&descriptor->region(), acceptance.offset,
                                        acceptance.length};
      if (transfers_.begin_sink(*operation, place, request.sender_token, completion, answer))
        return;
      operations_.release(*operation);
    }
    counters_.add(Counter::kOperationsRefused);
    interface.close(std::move(completion), Failure::kFailed);
    // The memory could not be registered, or there is no room for a record. The event reports the
    // failure, and the initiator's record is ended.
    answer_refused(from, request, Failure::kDropped, interface.identity());
    return;
  }

  // The shortest way, that of most messages: nothing is reported before the end.
  // less may have arrived of a placed message that was not expected
  const bool whole = acceptance.length <= payload.size();
  const bool at_once =
      whole && descriptor->has(option::kStartDisable) && list == PortalList::kPriority;
  if (at_once) {
    take_payload(*matched, payload);
    interface.log_at_once(
        *descriptor, EventKind::kPutEnd, descriptor->has(option::kEndDisable),
        [&](Event& event) { describe(interface, *matched, request, EventKind::kPutEnd, event); });
  } else {
    Completion completion =
        open(interface, *matched, request, EventKind::kPutStart, EventKind::kPutEnd);
    if (whole) take_payload(*matched, payload);
    interface.close(std::move(completion), whole ? Failure::kNone : Failure::kFailed);
  }
  acknowledge(interface, from, request, *matched, ack);
}

void Target::take_payload(const Match& matched, std::span<const std::byte> payload) {
  if (matched.acceptance.length == 0) return;
  if (matched.descriptor->region().address_at(matched.acceptance.offset) == payload.data()) {
    counters_.add(Counter::kPayloadsPlaced);
    return;
  }
  counters_.add(Counter::kEagerCopies);
  matched.descriptor->region().write(matched.acceptance.offset,
                                     payload.first(matched.acceptance.length));
}

bool Target::deliver(NetworkInterface& interface, ProcessId initiator, std::uint32_t portal_index,
                     std::uint64_t match_bits, std::uint64_t remote_offset,
                     std::uint64_t header_data) {
  wire::Request request{};
  request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kPut), 0,
                    interface.kind(), 0};
  request.initiator_nid = initiator.nid.value;
  request.initiator_pid = initiator.pid.value;
  request.target_nid = interface.identity().process.nid.value;
  request.target_pid = interface.identity().process.pid.value;
  request.user = interface.identity().user.value;
  request.job = interface.identity().job.value;
  request.portal_index = portal_index;
  request.match_bits = match_bits;
  request.offset = remote_offset;
  request.header_data = header_data;
  const std::optional<Match> matched = match(interface, {}, request, option::kPut);
  if (!matched) return false;
  Completion completion =
      open(interface, *matched, request, EventKind::kPutStart, EventKind::kPutEnd);
  interface.close(std::move(completion), Failure::kNone);
  return true;
}

}  // namespace lintel::portals
