#pragma once
// NetworkOptions: the options of every network. Plain values; the environment is not read here.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "transport/address/address.h"

namespace lintel::transport {

struct NetworkOptions {
  // "direct", or a provider as fi_info prints it; empty: by preference
  std::string name;
  // IPv4 address of the one interface to listen on
  std::string interface_address = "127.0.0.1";
  Pid pid = kAnyPid;                           // kAnyPid: any free one
  std::uint32_t port_base = kDefaultPortBase;  // pid 0 is this TCP port, see address.h
  // Messages that may be under way or lent at a time. `direct` keeps each until the peer has
  // acknowledged it, so fewer would hold up a window of 64 messages of 16 KiB.
  // Measure: bench/compare/builds --only bandwidth --sizes 16384
  std::size_t send_frames = 128;
  std::size_t max_writes = 256;       // writes that may be under way at a time
  std::size_t max_message_bytes = 0;  // 0: the network's default
  // A peer that accepts no connection for this long is lost.
  Nanoseconds connect_timeout = std::chrono::seconds(3);
  // A peer that reads nothing of what waits for it for this long is lost. So is one that does not
  // end a payload that it has begun within half to three quarters of it, if others need the memory.
  // Only `direct` knows. Likewise one whose connection is lost and cannot be made anew for this
  // long.
  Nanoseconds output_timeout = std::chrono::seconds(10);
  // Bytes of messages to one peer that are kept until it has acknowledged them, in case that the
  // connection is lost. At the limit, all but two messages wait. Only `direct` keeps them.
  std::size_t retained_bytes = std::size_t{2} << 20;
};

}  // namespace lintel::transport
