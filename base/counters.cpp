#include "base/counters.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/log.h"

namespace lintel {
namespace {

struct CounterRow {
  Counter counter;
  CounterInfo info;
};

constexpr CounterRow kRows[] = {
    {Counter::kFramesSent, {"frames_sent", "transport messages given to the provider"}},
    {Counter::kFramesReceived, {"frames_received", "transport messages that came in"}},
    {Counter::kFramesMalformed,
     {"frames_malformed", "transport messages that came in and made no sense; dropped"}},
    {Counter::kFramesDuplicate,
     {"frames_duplicate", "transport messages that had come before; dropped"}},
    {Counter::kContactsRefused,
     {"contacts_refused",
      "contacts of processes with another version, provider or job secret; refused"}},
    {Counter::kContactsUnproved,
     {"contacts_unproved",
      "answers in contacts, and claims to be a peer with an open session, without proof; dropped"}},
    {Counter::kConnectionsResumed,
     {"connections_resumed", "connections that were lost and went on without a loss"}},
    {Counter::kMessagesSent, {"messages_sent", "engine messages sent; several may share a frame"}},
    {Counter::kMessagesReceived, {"messages_received", "engine messages that came in"}},
    {Counter::kBytesSent, {"bytes_sent", "bytes of user data sent"}},
    {Counter::kBytesReceived,
     {"bytes_received", "bytes of user data that landed in memory descriptors"}},
    {Counter::kPutsSent, {"puts_sent", "put requests sent"}},
    {Counter::kPutsReceived, {"puts_received", "put requests that came in, dropped ones included"}},
    {Counter::kGetsSent, {"gets_sent", "get requests sent"}},
    {Counter::kGetsReceived, {"gets_received", "get requests that came in, dropped ones included"}},
    {Counter::kGetPutsSent, {"getputs_sent", "swap and fetching atomic requests sent"}},
    {Counter::kGetPutsReceived,
     {"getputs_received", "swap and fetching atomic requests that came in, dropped ones included"}},
    {Counter::kAtomicsSent, {"atomics_sent", "atomic requests that fetch nothing sent"}},
    {Counter::kAtomicsReceived,
     {"atomics_received", "atomic requests that fetch nothing and came in, dropped ones included"}},
    {Counter::kAcksSent, {"acks_sent", "acknowledgements sent"}},
    {Counter::kAcksReceived, {"acks_received", "acknowledgements that came in"}},
    {Counter::kRepliesSent, {"replies_sent", "replies sent"}},
    {Counter::kRepliesReceived, {"replies_received", "replies that came in"}},
    {Counter::kDropsNoInterface,
     {"drops_no_interface", "requests dropped: no such network interface"}},
    {Counter::kDropsBadPortalIndex,
     {"drops_bad_portal_index", "requests dropped: portal index out of range"}},
    {Counter::kDropsBadCookie,
     {"drops_bad_cookie", "requests dropped: access control index out of range"}},
    {Counter::kDropsAccessDenied,
     {"drops_access_denied", "requests dropped: the access control entry does not allow them"}},
    {Counter::kDropsNoMatch, {"drops_no_match", "requests dropped: no match entry accepted them"}},
    {Counter::kDropsStaleHandle,
     {"drops_stale_handle",
      "acks, replies and ends of writes dropped: nothing here waits for them"}},
    {Counter::kDropsPortalDisabled,
     {"drops_portal_disabled",
      "requests refused: the portal is disabled, or has disabled itself for want of room"}},
    {Counter::kDropsOperation,
     {"drops_operation", "requests refused: the entry does not allow the operation"}},
    {Counter::kDropsInaccessible,
     {"drops_inaccessible", "requests refused: memory of the entry is not mapped"}},
    {Counter::kDropsMalformed,
     {"drops_malformed", "messages dropped: bytes that no version of Lintel sends"}},
    {Counter::kTruncations, {"truncations", "operations cut to the room that was there"}},
    {Counter::kEventQueueOverflows,
     {"event_queue_overflows", "events lost because their queue was full"}},
    {Counter::kWouldBlocks,
     {"would_blocks", "times the network had no room and a message had to wait"}},
    {Counter::kPeerFailures,
     {"peer_failures", "peers that have ended, were given up, or were not reached"}},
    {Counter::kMessagesUnacknowledged,
     {"messages_unacknowledged",
      "engine messages sent to peers that were lost before they acknowledged them"}},
    {Counter::kPeersOverdrawn,
     {"peers_overdrawn", "peers given up because they did not read answers (LINTEL_MEMORY_LIMIT)"}},
    {Counter::kPeersWithoutMemory,
     {"peers_without_memory", "peers given up because there was no memory for what they sent"}},
    {Counter::kOperationsRefused,
     {"operations_refused",
      "long puts and gets of others that were refused (LINTEL_MAX_OPERATIONS, or no memory)"}},
    {Counter::kTurnsAbandoned,
     {"turns_abandoned", "turns of progress that found no memory, and were tried again"}},
    {Counter::kEagerCopies, {"eager_copies", "transfers copied out of their message"}},
    {Counter::kDirectTransfers,
     {"direct_transfers", "transfers that landed in the matched memory without a copy"}},
    {Counter::kPayloadsPlaced,
     {"payloads_placed", "messages whose data the network put directly into the matched memory"}},
    {Counter::kLongestProgressGapNs,
     {"longest_progress_gap_ns",
      "longest time, with work pending, in which nobody drove progress"}},
};

constexpr bool rows_follow_the_enum() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<std::size_t>(kRows[i].counter) != i) return false;
  }
  return std::size(kRows) == kCounterCount;
}
static_assert(rows_follow_the_enum(), "one row for each Counter, in the enum's order");

}  // namespace

const CounterInfo& counter_info(Counter counter) {
  return kRows[static_cast<std::size_t>(counter)].info;
}

void Counters::add_all(const Counters& other) {
  for (const CounterRow& row : kRows) {
    if (row.counter == Counter::kLongestProgressGapNs) {
      raise_to(row.counter, other.get(row.counter));
    } else {
      add(row.counter, other.get(row.counter));
    }
  }
}

std::uint64_t Counters::drops() const {
  std::uint64_t sum = 0;
  for (auto i = static_cast<std::size_t>(Counter::kDropsNoInterface);
       i <= static_cast<std::size_t>(Counter::kDropsMalformed); ++i) {
    sum += get(static_cast<Counter>(i));
  }
  return sum;
}

std::string Counters::text() const {
  std::string lines;
  for (const CounterRow& row : kRows)
    lines += std::string(row.info.label) + ' ' + std::to_string(get(row.counter)) + '\n';
  return lines;
}

std::string Counters::json() const {
  std::string object = "{";
  for (const CounterRow& row : kRows) {
    if (object.size() > 1) object += ", ";
    object += '"' + std::string(row.info.label) + "\": " + std::to_string(get(row.counter));
  }
  return object + "}";
}

bool write_counters_file(const Counters& counters, const std::string& pattern) {
  if (pattern.empty()) return true;
  const std::string path = expand_process_id(pattern, getpid());
  struct stat existing {};
  // a pipe or a terminal is written, not replaced
  const bool in_place = stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode);
  const std::string draft = in_place ? path : path + ".new." + std::to_string(getpid());
  std::FILE* file = std::fopen(draft.c_str(), "w");
  if (file == nullptr) return false;
  const std::string content = counters.text();
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed && (in_place || std::rename(draft.c_str(), path.c_str()) == 0)) return true;
  const int reason = errno;
  if (!in_place) std::remove(draft.c_str());
  errno = reason;
  return false;
}

}  // namespace lintel
