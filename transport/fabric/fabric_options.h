#pragma once
// What the caller may decide about libfabric, besides NetworkOptions. Plain values: nothing here
// reads the environment.

#include <chrono>
#include <cstddef>
#include <string>

#include "base/clock.h"

namespace lintel::transport {

struct FabricOptions {
  std::string offered_beside;                     // networks of others than libfabric, for the
                                                  // error message
  std::size_t receive_buffers = 4;                // raised to what the provider needs: 2, shm 16
  std::size_t receive_buffer_bytes = 256 * 1024;  // each; raised to hold two of the largest
                                                  // messages, for shm to 256 KiB
  int added_mr_modes = 0;                         // in tests: registration modes asked of us
                                                  // besides the provider's own
  std::size_t mr_key_bytes = 0;                   // in tests: how wide keys are; 0: as the provider
                                                  // has them
  // Shared memory: no write that is under way ends for this long, so none will.
  Nanoseconds write_timeout = std::chrono::seconds(5);
};

}  // namespace lintel::transport
