#pragma once
// Refusal: why a call of the messenger was refused: a mistake of the caller. Nothing has changed.

#include <cstdint>

namespace lintel::mpi {

enum class Refusal : std::uint8_t {
  kNone,
  kProcess,  // no such number
  kContext,
  kTag,
  kLength,
  kRequest,  // it is active, or to be started and not persistent
  kMessage,  // the matched message holds none
  kNoMemory,
  kNoRoom,  // not the messenger's: in memory that its user has set apart for copies
};

}  // namespace lintel::mpi
