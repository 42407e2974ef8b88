// The state of a network interface as text, for people whose program hangs.

#include <cinttypes>
#include <cstdio>

#include "portals/engine/interface/network_interface.h"

namespace lintel::portals {
namespace {

template <class... Values>
void append(std::string& out, const char* format, Values... values) {
  char line[256];
  std::snprintf(line, sizeof line, format, values...);
  out += line;
}

}  // namespace

void NetworkInterface::dump(std::string& out) {
  append(
      out, "interface %u nid %u pid %u uid %u jid %u: %zu entries, %zu descriptors, %zu queues\n",
      unsigned{kind_}, identity_.process.nid.value, identity_.process.pid.value,
      identity_.user.value, identity_.job.value, entries.size(), descriptors.size(), events.size());
  append(out, "  received %" PRIu64 " messages, %" PRIu64 " bytes; dropped %" PRIu64 "\n",
         registers.received_messages, registers.received_bytes, registers.dropped_messages());
  for (std::uint32_t index = 0; index <= limits_.max_portal_index; ++index) {
    dump_portal(out, index);
  }
  events.for_each([&out](SlotId id, EventQueue& queue) {
    append(out, "  queue %u: %" PRIu64 " unread of %" PRIu64 ", %" PRIu64 " owed, %u asleep\n",
           id.slot, queue.unread(), queue.capacity(), queue.owed(), queue.sleepers);
  });
  triggers.for_each_counter([&out](SlotId id, CountingEvent& counter) {
    append(out,
           "  counting event %u: %" PRIu64 " successes, %" PRIu64
           " failures, %zu operations wait, %u asleep\n",
           id.slot, counter.value().success, counter.value().failure, counter.armed(),
           counter.sleepers);
  });
}

void NetworkInterface::dump_portal(std::string& out, std::uint32_t index) {
  static constexpr const char* kStates[] = {"free", "enabled", "draining", "disabled"};
  Portal& portal = portals[index];
  if (portal.priority.empty() && portal.overflow.empty() && portal.unexpected.size() == 0 &&
      (is_portals3() || portal.state == PortalState::kFree)) {
    return;
  }
  append(out,
         "  portal %u: %s, %zu entries, %zu in the overflow list, %zu unexpected, %u under way\n",
         index, kStates[static_cast<std::size_t>(portal.state)], portal.priority.size(),
         portal.overflow.size(), portal.unexpected.size(), portal.active);
  for (MatchList* list : {&portal.priority, &portal.overflow}) {
    list->for_each([&out](MatchEntry& entry) {
      const MatchCriteria& criteria = entry.criteria();
      append(out, "    entry %u from %u:%u bits %016" PRIx64 " ignore %016" PRIx64, entry.id.slot,
             criteria.initiator.nid.value, criteria.initiator.pid.value, criteria.match_bits,
             criteria.ignore_bits);
      if (const MemoryDescriptor* descriptor = entry.descriptor) {
        append(out, ": descriptor %u %s threshold %d length %" PRIu64 " options %#x%s\n",
               descriptor->id.slot, descriptor->active() ? "active" : "inactive",
               descriptor->snapshot().threshold, descriptor->region().length(),
               descriptor->snapshot().options, descriptor->busy() ? " busy" : "");
      } else {
        out += ": no descriptor\n";
      }
    });
  }
}

}  // namespace lintel::portals
