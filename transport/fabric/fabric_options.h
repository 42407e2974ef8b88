#pragma once
// FabricOptions: the options of libfabric, besides NetworkOptions. Plain values; the environment is
// not read here.

#include <chrono>
#include <cstddef>
#include <string>

#include "base/clock.h"

namespace lintel::transport {

struct FabricOptions {
  std::string offered_beside;       // networks without libfabric, for the error message
  std::size_t receive_buffers = 4;  // raised to what the provider needs: 2, shm: 16
  // Of each; raised to hold two of the largest messages, for shm to 256 KiB.
  std::size_t receive_buffer_bytes = 256 * 1024;
  int added_mr_modes = 0;        // for tests: registration modes in addition to the provider's
  std::size_t mr_key_bytes = 0;  // for tests: width of keys; 0: the provider's
  // Shared memory: if no write that is under way ends for this long, none will.
  Nanoseconds write_timeout = std::chrono::seconds(5);
};

}  // namespace lintel::transport
