// The target's side of every request: the checks in the order of the receive rules, and the walk of the match list (clause 4.2).

#include "portals/engine/endpoint.h"

namespace lintel::portals {

std::optional<Endpoint::Match> Endpoint::match(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
                                               std::uint32_t needed) {
  if (request.portal_index > interface.limits().max_portal_index) {
    drop_request(interface, from, request, DropCause::kPortalIndex);
    return std::nullopt;
  }
  const ProcessId initiator{NodeId(request.initiator_nid), Pid(request.initiator_pid)};
  switch (interface.access().check(request.cookie, initiator, UserId(request.user), JobId(request.job), request.portal_index)) {
    case AccessControl::Verdict::kAdmitted: break;
    case AccessControl::Verdict::kBadIndex: drop_request(interface, from, request, DropCause::kCookie); return std::nullopt;
    case AccessControl::Verdict::kDenied: drop_request(interface, from, request, DropCause::kAccess); return std::nullopt;
  }
  MemoryDescriptor::Acceptance acceptance{};
  // A descriptor's refusal is no drop: the walk goes on.
  const MatchEntry* entry = interface.list(request.portal_index).find(initiator, request.match_bits, [&](const MatchEntry& candidate) {
    const auto accepted = candidate.descriptor->accept(needed, request.offset, request.length);
    if (accepted) acceptance = *accepted;
    return accepted.has_value();
  });
  if (entry == nullptr) {
    drop_request(interface, from, request, DropCause::kNoMatch);
    return std::nullopt;
  }
  MemoryDescriptor& descriptor = *entry->descriptor;
  interface.charge_accepted(descriptor, acceptance);
  interface.registers().received(acceptance.length);
  if (acceptance.length < request.length) counters_.add(Counter::kTruncations);
  return Match{&descriptor, acceptance};
}

wire::Response Endpoint::make_response(const NetworkInterface& interface, wire::MessageKind kind, const wire::Request& request,
                                       std::uint64_t length) const {
  wire::Response response{};
  response.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind), 0, request.header.interface_kind, 0};
  response.initiator_nid = request.target_nid;
  response.initiator_pid = request.target_pid;
  response.user = interface.identity().user.value;
  response.job = interface.identity().job.value;
  response.target_nid = request.initiator_nid;
  response.target_pid = request.initiator_pid;
  response.portal_index = request.portal_index;
  response.match_bits = request.match_bits;
  response.offset = request.offset;
  response.requested_length = request.length;
  response.manipulated_length = length;
  response.md_handle = request.md_handle;
  response.md_generation = request.md_generation;
  response.return_offset = request.return_offset;
  response.request_token = request.sender_token;
  return response;
}

Event Endpoint::request_event(const wire::Request& request, const MemoryDescriptor::Acceptance& acceptance) {
  Event event;
  event.initiator = {NodeId(request.initiator_nid), Pid(request.initiator_pid)};
  event.user = UserId(request.user);
  event.job = JobId(request.job);
  event.portal_index = request.portal_index;
  event.match_bits = request.match_bits;
  event.requested_length = request.length;
  event.manipulated_length = acceptance.length;
  event.offset = acceptance.offset;
  // A get has none, whatever its message says.
  if (request.header.kind != static_cast<std::uint8_t>(wire::MessageKind::kGet)) event.header_data = request.header_data;
  return event;
}

}  // namespace lintel::portals
