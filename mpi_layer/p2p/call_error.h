#pragma once
// CallError: the mistake of its caller for which a call of the messenger was refused. Nothing has
// changed.

#include <cstdint>

namespace lintel::mpi {

enum class CallError : std::uint8_t {
  kNone,
  kProcess,  // no such number
  kContext,
  kTag,
  kLength,
  kRequest,  // it is active; in start(): or not persistent
  kMessage,  // the matched message is empty
  kNoMemory,
  kNoRoom,  // of its user's own buffer for copies; the messenger never returns it
};

}  // namespace lintel::mpi
