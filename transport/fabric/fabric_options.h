#pragma once
// What the caller may decide about a FabricTransport. Plain values: nothing here reads the environment.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "transport/address/address.h"

namespace lintel::transport {

struct FabricOptions {
  std::string provider;                           // name as fi_info prints it ("net", "tcp;ofi_rxm", "shm"); empty: by preference
  std::string offered_beside;                     // what may be asked for besides, of others than libfabric; for what is said
  std::string interface_address = "127.0.0.1";    // IPv4 address of the one interface to listen on
  Pid pid = kAnyPid;                              // kAnyPid: one that is free
  std::uint32_t port_base = kDefaultPortBase;     // pid 0 is this TCP port, see address.h
  std::size_t receive_buffers = 4;                // raised to what the provider needs: 2, shm 16
  std::size_t receive_buffer_bytes = 256 * 1024;  // each; raised to hold two of the largest messages, for shm to 256 KiB
  std::size_t send_frames = 64;                   // messages that may be under way or lent at once
  std::size_t max_writes = 256;                   // writes that may be under way at once
  std::size_t max_message_bytes = 0;              // 0: what suits the provider
  int added_mr_modes = 0;        // memory registration modes asked of us besides the provider's own: another one's, in a test
  std::size_t mr_key_bytes = 0;  // likewise how wide keys are; 0: as the provider has them
  Nanoseconds connect_timeout = std::chrono::seconds(3);  // a peer that accepts nothing for this long is reported as lost
  Nanoseconds write_timeout = std::chrono::seconds(5);    // shared memory: no write that is under way ends for this long, so none will
};

}  // namespace lintel::transport
