#pragma once
// DirectCounters: rare events of a DirectTransport, for diagnosis. They never decrease.

#include <cstdint>

namespace lintel::transport {

struct DirectCounters {
  // Connections not of Lintel, of another version, too late, or displaced.
  std::uint64_t refused_connections = 0;
  std::uint64_t other_versions = 0;         // of them, of another version
  std::uint64_t contested = 0;              // requests under the name of a connected peer
  std::uint64_t simultaneous_connects = 0;  // both processes sent a connect request
  std::uint64_t broken_streams = 0;         // streams that violated the wire format
  // Messages, writes and placed messages that ended before they had arrived.
  std::uint64_t failed_receives = 0;
  std::uint64_t interrupted = 0;     // TCP connections that were lost and might be resumed
  std::uint64_t resumed = 0;         // of them, those that were
  std::uint64_t without_memory = 0;  // connections that ended for lack of memory
  std::uint64_t failed_writes = 0;   // writes and placed messages that were not sent
};

}  // namespace lintel::transport
