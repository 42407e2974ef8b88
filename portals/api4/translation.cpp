#include "portals/api4/translation.h"

#include <algorithm>
#include <climits>

#include "portals/engine/memory/described_region.h"

namespace lintel::api4 {
namespace {

using portals::EventKind;
using portals::Failure;
using portals::NetworkInterface;
using portals::wish;
namespace option = portals::option;

struct Bit {
  unsigned given;
  std::uint32_t engine;
};

constexpr Bit kDescriptorBits[] = {
    {PTL_IOVEC, option::kIovec},
    {PTL_MD_EVENT_CT_SEND, option::kCountSend},
    {PTL_MD_EVENT_CT_REPLY, option::kCountReply},
    {PTL_MD_EVENT_CT_ACK, option::kCountAck},
    {PTL_MD_EVENT_CT_BYTES, option::kCountBytes},
    {PTL_MD_EVENT_SUCCESS_DISABLE, option::kSuccessDisable},
    {PTL_MD_EVENT_SEND_DISABLE, option::kSendDisable},
    {PTL_MD_VOLATILE, option::kVolatile},
    {PTL_MD_UNRELIABLE, option::kUnreliable},
};

constexpr Bit kEntryBits[] = {
    {PTL_IOVEC, option::kIovec},
    {PTL_ME_OP_PUT, option::kPut},
    {PTL_ME_OP_GET, option::kGet},
    {PTL_ME_UNEXPECTED_HDR_DISABLE, option::kHeaderDisable},
    {PTL_ME_EVENT_LINK_DISABLE, option::kLinkDisable},
    {PTL_ME_EVENT_COMM_DISABLE, option::kEndDisable},
    {PTL_ME_EVENT_FLOWCTRL_DISABLE, option::kFlowDisable},
    {PTL_ME_EVENT_SUCCESS_DISABLE, option::kSuccessDisable},
    {PTL_ME_EVENT_OVER_DISABLE, option::kOverflowDisable},
    {PTL_ME_EVENT_UNLINK_DISABLE, option::kUnlinkDisable},
    {PTL_ME_EVENT_CT_COMM, option::kCountTarget},
    {PTL_ME_EVENT_CT_OVERFLOW, option::kCountOverflow},
    {PTL_ME_EVENT_CT_BYTES, option::kCountBytes},
    {PTL_ME_LOCAL_INC_UH_RLENGTH, option::kGrowByRequest},
    {PTL_ME_ACK_DISABLE, option::kAckDisable},
};

template <std::size_t N>
std::uint32_t to_options(const Bit (&bits)[N], unsigned given) {
  std::uint32_t options = 0;
  for (const Bit& bit : bits) options |= (given & bit.given) != 0 ? bit.engine : 0;
  return options;
}

std::optional<portals::MemoryRegion> to_region(NetworkInterface& interface, void* start,
                                               std::uint64_t length, bool in_pieces) {
  return portals::described_region<ptl_iovec_t>(
      start, length, in_pieces, interface.limits().max_iovec_pieces, portals::within_address_space);
}

ptl_event_kind_t to_kind(EventKind kind) {
  switch (kind) {
    case EventKind::kGetEnd: return PTL_EVENT_GET;
    case EventKind::kGetOverflow: return PTL_EVENT_GET_OVERFLOW;
    case EventKind::kPutEnd: return PTL_EVENT_PUT;
    case EventKind::kPutOverflow: return PTL_EVENT_PUT_OVERFLOW;
    case EventKind::kAtomicEnd: return PTL_EVENT_ATOMIC;
    case EventKind::kAtomicOverflow: return PTL_EVENT_ATOMIC_OVERFLOW;
    case EventKind::kFetchAtomicEnd: return PTL_EVENT_FETCH_ATOMIC;
    case EventKind::kFetchAtomicOverflow: return PTL_EVENT_FETCH_ATOMIC_OVERFLOW;
    case EventKind::kReplyEnd: return PTL_EVENT_REPLY;
    case EventKind::kSendEnd: return PTL_EVENT_SEND;
    case EventKind::kAck: return PTL_EVENT_ACK;
    case EventKind::kPortalDisabled: return PTL_EVENT_PT_DISABLED;
    case EventKind::kLink: return PTL_EVENT_LINK;
    case EventKind::kUnlink: return PTL_EVENT_AUTO_UNLINK;
    case EventKind::kFree: return PTL_EVENT_AUTO_FREE;
    case EventKind::kSearch: return PTL_EVENT_SEARCH;
    case EventKind::kGetStart:
    case EventKind::kPutStart:
    case EventKind::kGetPutStart:
    case EventKind::kGetPutEnd:
    case EventKind::kReplyStart:
    case EventKind::kSendStart:        // only of Portals 3
    case EventKind::kPeerLost: break;  // only of interfaces whose rules ask for it
  }
  LINTEL_ASSERT(false);
  return 0;
}

ptl_ni_fail_t to_failure(Failure failure) {
  switch (failure) {
    case Failure::kNone: return PTL_NI_OK;
    case Failure::kDropped: return PTL_NI_DROPPED;
    case Failure::kPortalDisabled: return PTL_NI_PT_DISABLED;
    case Failure::kPermission: return PTL_NI_PERM_VIOLATION;
    case Failure::kOperation: return PTL_NI_OP_VIOLATION;
    case Failure::kNoMatch: return PTL_NI_NO_MATCH;
    case Failure::kInaccessible: return PTL_NI_SEGV;
    case Failure::kFailed:
    case Failure::kPeerDead:
    case Failure::kShutdown:
    case Failure::kNoInterface: break;
  }
  return PTL_NI_UNDELIVERABLE;
}

int to_int(std::uint64_t value) {
  return static_cast<int>(std::min<std::uint64_t>(value, INT_MAX));
}

// MDs, entries and searches each have a descriptor. A handle has kSlotBits for the descriptor's
// slot (handle.h).
static_assert(2 * portals::kMaxObjects4 + portals::kMaxSearches < (1U << portals::kSlotBits));

}  // namespace

bool to_process(NetworkInterface& interface, ptl_process_t name, bool wild, ProcessId& process) {
  if (is_logical(interface.kind())) {
    const bool any = wild && name.rank == PTL_RANK_ANY;
    if (!any && name.rank >= interface.map.size()) return false;
    process = any ? kAnyone : interface.map.process(name.rank);
    return true;
  }
  process.nid = wild && name.phys.nid == PTL_NID_ANY ? kAnyone.nid : NodeId(name.phys.nid);
  process.pid = wild && name.phys.pid == PTL_PID_ANY ? kAnyone.pid : Pid(name.phys.pid);
  return true;
}

ptl_process_t from_process(NetworkInterface& interface, ProcessId process) {
  ptl_process_t name;
  name.phys.nid = process.nid.value;
  name.phys.pid = process.pid.value;
  if (is_logical(interface.kind())) {
    name.phys.pid = 0;
    name.rank = interface.map.rank(process);
  }
  return name;
}

portals::InterfaceLimits to_limits(const ptl_ni_limits_t* desired, std::uint64_t max_unexpected) {
  portals::InterfaceLimits limits = portals::limits_of_portals4(max_unexpected);
  if (desired == nullptr) return limits;
  limits.max_entries = wish(limits.max_entries, desired->max_entries);
  limits.max_unexpected = wish(limits.max_unexpected, desired->max_unexpected_headers);
  limits.max_descriptors = wish(limits.max_descriptors, desired->max_mds);
  limits.max_counters = wish(limits.max_counters, desired->max_cts);
  limits.max_queues = wish(limits.max_queues, desired->max_eqs);
  limits.max_portal_index = wish(limits.max_portal_index, desired->max_pt_index);
  limits.max_iovec_pieces = wish(limits.max_iovec_pieces, desired->max_iovecs);
  limits.max_list_length = wish(limits.max_list_length, desired->max_list_size);
  limits.max_triggered = wish(limits.max_triggered, desired->max_triggered_ops);
  limits.max_message_bytes = wish(limits.max_message_bytes, desired->max_msg_size);
  limits.max_atomic_bytes = wish(limits.max_atomic_bytes, desired->max_atomic_size);
  limits.max_fetch_bytes = wish(limits.max_fetch_bytes, desired->max_fetch_atomic_size);
  limits.max_waw_bytes = wish(limits.max_waw_bytes, desired->max_waw_ordered_size);
  limits.max_war_bytes = wish(limits.max_war_bytes, desired->max_war_ordered_size);
  limits.max_volatile_bytes = wish(limits.max_volatile_bytes, desired->max_volatile_size);
  limits.features = desired->features & PTL_TARGET_BIND_INACCESSIBLE;
  return limits;
}

ptl_ni_limits_t from_limits(const portals::InterfaceLimits& limits) {
  return {.max_entries = to_int(limits.max_entries),
          .max_unexpected_headers = to_int(limits.max_unexpected),
          .max_mds = to_int(limits.max_descriptors),
          .max_cts = to_int(limits.max_counters),
          .max_eqs = to_int(limits.max_queues),
          .max_pt_index = to_int(limits.max_portal_index),
          .max_iovecs = to_int(limits.max_iovec_pieces),
          .max_list_size = to_int(limits.max_list_length),
          .max_triggered_ops = to_int(limits.max_triggered),
          .max_msg_size = limits.max_message_bytes,
          .max_atomic_size = limits.max_atomic_bytes,
          .max_fetch_atomic_size = limits.max_fetch_bytes,
          .max_waw_ordered_size = limits.max_waw_bytes,
          .max_war_ordered_size = limits.max_war_bytes,
          .max_volatile_size = limits.max_volatile_bytes,
          .features = limits.features};
}

std::optional<SlotId> to_counter(NetworkInterface& interface, ptl_handle_ct_t ct) {
  if (ct == PTL_CT_NONE) return SlotId{};
  const Decoded decoded = decode(ct);
  const bool good = decoded.kind == HandleKind::kCounter &&
                    engine_kind(decoded.interface) == interface.kind() &&
                    interface.triggers.counter(decoded.id) != nullptr;
  return good ? std::optional(decoded.id) : std::nullopt;
}

std::optional<SlotId> to_queue(NetworkInterface& interface, ptl_handle_eq_t eq) {
  if (eq == PTL_EQ_NONE) return SlotId{};
  const Decoded decoded = decode(eq);
  const bool good = decoded.kind == HandleKind::kQueue &&
                    engine_kind(decoded.interface) == interface.kind() &&
                    interface.events.queue(decoded.id) != nullptr;
  return good ? std::optional(decoded.id) : std::nullopt;
}

std::optional<portals::DescriptorRules> to_rules(NetworkInterface& interface, const ptl_md_t& md) {
  if ((md.options & ~PTL_MD_OPTIONS_MASK) != 0) return std::nullopt;
  const std::optional<SlotId> queue = to_queue(interface, md.eq_handle);
  const std::optional<SlotId> counter = to_counter(interface, md.ct_handle);
  if (!queue || !counter) return std::nullopt;
  const auto region = to_region(interface, md.start, md.length, (md.options & PTL_IOVEC) != 0);
  if (!region) return std::nullopt;
  portals::DescriptorRules rules;
  rules.region = *region;
  const std::uint32_t options = to_options(kDescriptorBits, md.options) | option::kStartDisable;
  rules.described = {md.start, md.length, portals::kUnlimited, options, 0, nullptr, *queue};
  rules.counter = *counter;
  return rules;
}

std::optional<portals::DescriptorRules> to_rules(NetworkInterface& interface, const ptl_le_t& le,
                                                 unsigned allowed, void* user_pointer) {
  if ((le.options & ~(allowed | PTL_ME_ACK_DISABLE)) != 0) return std::nullopt;
  const auto region = to_region(interface, le.start, le.length, (le.options & PTL_IOVEC) != 0);
  if (!region) return std::nullopt;
  portals::DescriptorRules rules;
  rules.region = *region;
  constexpr unsigned kCounting = PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_OVERFLOW;
  if ((le.options & kCounting) != 0) {
    const std::optional<SlotId> counter = to_counter(interface, le.ct_handle);
    if (!counter) return std::nullopt;
    rules.counter = *counter;
  }
  std::uint32_t options = to_options(kEntryBits, le.options) | option::kStartDisable |
                          option::kManageRemote | option::kTruncate | option::kBeyondEnd;
  const bool promised = (le.options & PTL_ME_IS_ACCESSIBLE) != 0 ||
                        (interface.limits().features & PTL_TARGET_BIND_INACCESSIBLE) == 0;
  if (!promised) options |= option::kUnsure;
  rules.described = {le.start, le.length, portals::kUnlimited, options, 0, user_pointer, {}};
  rules.user = UserId(le.uid);
  return rules;
}

std::optional<portals::DescriptorRules> to_rules(NetworkInterface& interface, const ptl_me_t& me,
                                                 void* user_pointer) {
  auto rules = to_rules(interface, ptl_le_t{me.start, me.length, me.ct_handle, me.uid, me.options},
                        PTL_ME_APPEND_OPTIONS_MASK, user_pointer);
  if (!rules) return rules;
  portals::DescriptorSnapshot& described = rules->described;
  if ((me.options & PTL_ME_MANAGE_LOCAL) != 0) {
    described.options &= ~option::kManageRemote;
    if (me.min_free > 0) described.options |= option::kMinFree;
    described.max_size = me.min_free;
  }
  if ((me.options & PTL_ME_NO_TRUNCATE) != 0)
    described.options &= ~(option::kTruncate | option::kBeyondEnd);
  return rules;
}

void translate(NetworkInterface& interface, const portals::Event& event, ptl_event_t& out) {
  out.start = event.start;
  out.user_ptr = event.user_pointer;
  out.hdr_data = event.header_data;
  out.match_bits = event.match_bits;
  out.rlength = event.requested_length;
  out.mlength = event.manipulated_length;
  out.remote_offset = event.remote_offset;
  out.initiator = from_process(interface, event.initiator);
  out.uid = event.user.value;
  out.pt_index = event.portal_index;
  out.type = to_kind(event.kind);
  out.ptl_list = static_cast<ptl_list_t>(event.list);
  out.ni_fail_type = to_failure(event.failure);
  out.atomic_operation = event.atomic_operation;
  out.atomic_type = event.atomic_datatype;
}

}  // namespace lintel::api4
