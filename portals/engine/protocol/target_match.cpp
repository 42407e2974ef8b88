// The target's side of all requests: the checks in the order of the receive rules, and the search
// of the portal's lists (Portals 3.3 clause 4.2; Portals 4, receive rules).

#include "portals/engine/interface/drop_counter.h"
#include "portals/engine/memory/memory_probe.h"
#include "portals/engine/protocol/target.h"

namespace lintel::portals {
namespace {

// The result of the search at a request's portal.
struct Found {
  const MatchEntry* entry = nullptr;
  MemoryDescriptor::Acceptance acceptance{};
};

Found find(MatchList& list, ProcessId initiator, const wire::Request& request,
           std::uint32_t needed) {
  Found found;
  // If a descriptor refuses, the search continues; that is not a drop.
  found.entry = list.find(initiator, request.match_bits, [&](const MatchEntry& candidate) {
    const auto accepted = candidate.descriptor->accept(needed, request.offset, request.length);
    if (accepted) found.acceptance = *accepted;
    return accepted.has_value();
  });
  return found;
}

// Initiator and target are swapped; the other fields are echoed.
wire::Response echo(wire::MessageKind kind, const wire::Request& request, const Identity& self) {
  wire::Response response{};
  response.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind), 0,
                     request.header.interface_kind, 0};
  response.initiator_nid = request.target_nid;
  response.initiator_pid = request.target_pid;
  response.user = self.user.value;
  response.job = self.job.value;
  response.target_nid = request.initiator_nid;
  response.target_pid = request.initiator_pid;
  response.portal_index = request.portal_index;
  response.match_bits = request.match_bits;
  response.offset = request.offset;
  response.requested_length = request.length;
  response.md_handle = request.md_handle;
  response.md_generation = request.md_generation;
  response.return_offset = request.return_offset;
  response.request_token = request.sender_token;
  return response;
}

}  // namespace

std::optional<Target::Match> Target::match(NetworkInterface& interface, transport::PeerId from,
                                           const wire::Request& request, std::uint32_t needed,
                                           std::size_t element) {
  const auto refused = [&](DropCause cause, Failure failure) LINTEL_REQUIRES(kLock) {
    refuse(interface, from, request, cause, failure);
    return std::nullopt;
  };
  if (request.portal_index > interface.limits().max_portal_index)
    return refused(DropCause::kPortalIndex, Failure::kDropped);
  Portal& portal = interface.portals[request.portal_index];
  if (!portal.takes_messages()) {
    const bool exists = portal.state != PortalState::kFree;
    return refused(exists ? DropCause::kDisabled : DropCause::kPortalIndex,
                   exists ? Failure::kPortalDisabled : Failure::kDropped);
  }
  const ProcessId initiator{NodeId(request.initiator_nid), Pid(request.initiator_pid)};
  if (interface.is_portals3()) {
    switch (interface.access.check(request.cookie, initiator, UserId(request.user),
                                   JobId(request.job), request.portal_index)) {
      case AccessControl::Verdict::kAdmitted: break;
      case AccessControl::Verdict::kBadIndex:
        return refused(DropCause::kCookie, Failure::kPermission);
      case AccessControl::Verdict::kDenied:
        return refused(DropCause::kAccess, Failure::kPermission);
    }
  }

  // In Portals 3 a descriptor that does not allow the operation does not match. In Portals 4 it
  // matches, and the operation fails.
  const std::uint32_t selects = interface.is_portals3() ? needed : 0;
  PortalList list = PortalList::kPriority;
  Found found = find(portal.priority, initiator, request, selects);
  if (found.entry == nullptr && !portal.overflow.empty()) {
    list = PortalList::kOverflow;
    found = find(portal.overflow, initiator, request, selects);
  }
  if (found.entry == nullptr) {
    interface.portals.refuse(portal, PortalTable::Room::kEnough, nullptr);
    return refused(DropCause::kNoMatch,
                   portal.flow_control ? Failure::kPortalDisabled : Failure::kDropped);
  }
  MemoryDescriptor& descriptor = *found.entry->descriptor;
  if (!interface.is_portals3()) {
    if (descriptor.user().value != kAnyId && descriptor.user().value != request.user) {
      return refused(DropCause::kAccess, Failure::kPermission);
    }
    if ((descriptor.snapshot().options & needed) != needed)
      return refused(DropCause::kOperation, Failure::kOperation);
    if (element > 1) found.acceptance.length -= found.acceptance.length % element;
    const ProbedAccess access =
        (needed & option::kPut) != 0 ? ProbedAccess::kWrite : ProbedAccess::kRead;
    if (descriptor.has(option::kUnsure) && found.acceptance.length > 0 &&
        !is_accessible(descriptor.region(), found.acceptance.offset, found.acceptance.length,
                       access)) {
      return refused(DropCause::kInaccessible, Failure::kInaccessible);
    }
    const auto room = interface.unexpected.room_for(portal, descriptor, found.acceptance, list);
    if (room != PortalTable::Room::kEnough) {
      interface.portals.refuse(portal, room, &descriptor);
      return refused(DropCause::kDisabled,
                     portal.flow_control ? Failure::kPortalDisabled : Failure::kDropped);
    }
  }
  interface.entries.charge_accepted(descriptor, found.acceptance);
  interface.registers.received(found.acceptance.length);
  if (found.acceptance.length < request.length) counters_.add(Counter::kTruncations);
  return Match{&descriptor, found.acceptance, list};
}

// Sends DISCARD if the initiator has a record of the request, because there is no other answer that
// would end the record.
void Target::discard(transport::PeerId from, const wire::Request& request) {
  if ((request.header.flags & (wire::kFlagTracked | wire::kFlagAnnounced)) != 0)
    outbox_.discard(from, request.sender_token);
}

void Target::refuse(NetworkInterface& interface, transport::PeerId from,
                    const wire::Request& request, DropCause cause, Failure failure) {
  counters_.add(counter_of(cause));
  interface.registers.drop(cause, request.length);
  answer_refused(from, request, failure, interface.identity());
}

void Target::answer_refused(transport::PeerId from, const wire::Request& request, Failure failure,
                            const Identity& self) {
  const auto kind = static_cast<wire::MessageKind>(request.header.kind);
  const bool put_like = kind == wire::MessageKind::kPut || kind == wire::MessageKind::kAtomic;
  const bool wanted = !put_like || (request.header.flags & wire::kFlagAckWanted) != 0;
  if (request.header.interface_kind != kPortals3Kind && wanted) {
    counters_.add(put_like ? Counter::kAcksSent : Counter::kRepliesSent);
    wire::Response answer =
        echo(put_like ? wire::MessageKind::kAck : wire::MessageKind::kReply, request, self);
    answer.failure = static_cast<std::uint8_t>(failure);
    outbox_.send(from, answer);
  } else {
    discard(from, request);
  }
}

// Fills in the event of the target from the request.
void Target::describe(const NetworkInterface& interface, const Match& matched,
                      const wire::Request& request, EventKind end, Event& event) {
  event.initiator = {NodeId(request.initiator_nid), Pid(request.initiator_pid)};
  event.user = UserId(request.user);
  event.job = JobId(request.job);
  event.portal_index = request.portal_index;
  event.match_bits = request.match_bits;
  event.requested_length = request.length;
  event.manipulated_length = matched.acceptance.length;
  event.offset = matched.acceptance.offset;
  // A get has no header data, even if its message contains some.
  if (end != EventKind::kGetEnd) event.header_data = request.header_data;
  if (!interface.is_portals3()) {
    event.remote_offset = request.offset;
    event.start = matched.descriptor->region().address_at(event.offset);
    event.user_pointer = matched.descriptor->snapshot().user_pointer;
    event.atomic_operation = request.atomic_operation;
    event.atomic_datatype = request.atomic_datatype;
  }
}

Completion Target::open(NetworkInterface& interface, const Match& matched,
                        const wire::Request& request, EventKind start, EventKind end) {
  Completion completion;
  describe(interface, matched, request, end, completion.event);
  interface.open(completion, *matched.descriptor, start, end);
  if (!interface.is_portals3()) interface.enter_portal(completion, matched.list);
  return completion;
}

wire::Response Target::make_response(const NetworkInterface& interface, wire::MessageKind kind,
                                     const wire::Request& request, const Match& matched) {
  wire::Response response = echo(kind, request, interface.identity());
  response.manipulated_length = matched.acceptance.length;
  if (!interface.is_portals3()) {
    response.offset = matched.acceptance.offset;
    response.list = static_cast<std::uint8_t>(matched.list);
  }
  return response;
}

// The data of a put or an atomic are in place: sends the ACK if one is wanted.
void Target::acknowledge(const NetworkInterface& interface, transport::PeerId from,
                         const wire::Request& request, const Match& matched, bool wanted) {
  if (!wanted) return discard(from, request);
  counters_.add(Counter::kAcksSent);
  outbox_.send(from, make_response(interface, wire::MessageKind::kAck, request, matched));
}

}  // namespace lintel::portals
