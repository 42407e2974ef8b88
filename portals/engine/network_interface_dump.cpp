// The state of a network interface as text: what a person looks at when a program hangs.

#include <cinttypes>
#include <cstdio>

#include "portals/engine/network_interface.h"

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
  append(out, "interface %u nid %u pid %u uid %u jid %u: %zu entries, %zu descriptors, %zu queues\n", unsigned{kind_},
         identity_.process.nid.value, identity_.process.pid.value, identity_.user.value, identity_.job.value, entries_.size(),
         descriptors_.size(), queues_.size());
  append(out, "  received %" PRIu64 " messages, %" PRIu64 " bytes; dropped %" PRIu64 "\n", registers_.received_messages,
         registers_.received_bytes, registers_.dropped_messages());
  for (std::uint32_t index = 0; index <= limits_.max_portal_index; ++index) {
    if (portals_[index].empty()) continue;
    append(out, "  portal %u: %zu entries\n", index, portals_[index].size());
    portals_[index].for_each([&out](MatchEntry& entry) {
      const MatchCriteria& criteria = entry.criteria();
      append(out, "    entry %u from %u:%u bits %016" PRIx64 " ignore %016" PRIx64, entry.id.slot, criteria.initiator.nid.value,
             criteria.initiator.pid.value, criteria.match_bits, criteria.ignore_bits);
      if (const MemoryDescriptor* descriptor = entry.descriptor) {
        append(out, ": descriptor %u %s threshold %d length %" PRIu64 " options %#x%s\n", descriptor->id.slot,
               descriptor->active() ? "active" : "inactive", descriptor->snapshot().threshold, descriptor->region().length(),
               descriptor->snapshot().options, descriptor->busy() ? " busy" : "");
      } else {
        out += ": no descriptor\n";
      }
    });
  }
  queues_.for_each([&out](SlotId id, EventQueue& queue) {
    append(out, "  queue %u: %" PRIu64 " unread of %" PRIu64 ", %" PRIu64 " owed, %u asleep\n", id.slot, queue.unread(), queue.capacity(),
           queue.owed(), queue.sleepers);
  });
}

}  // namespace lintel::portals
