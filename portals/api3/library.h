#pragma once
// What the C functions share: the way from a handle to the objects of the engine.

#include <optional>

#include "portals/api3/handle.h"
#include "portals/engine/node/host_process.h"

namespace lintel::api3 {

inline constexpr std::uint8_t kInterfaceKind = 0;  // the engine's number of the interface

using portals::current_process;
using portals::ScopedProcess;

// Calls `function(process, interface, slot id)` under the lock with the interface that `handle`
// belongs to. Returns PTL_NO_INIT before PtlInit, and `invalid` if the handle is of another kind or
// its interface is not open.
template <class Function>
int with_interface(ptl_handle_any_t handle, HandleKind kind, int invalid, Function&& function) {
  portals::Process* process = current_process();
  if (process == nullptr) return PTL_NO_INIT;
  const Decoded decoded = decode(handle);
  const MutexLock lock(process->lock());
  portals::NetworkInterface* interface =
      decoded.kind == kind ? process->interface(decoded.interface) : nullptr;
  if (interface == nullptr) return invalid;
  if (kind == HandleKind::kInterface && handle != interface_handle(decoded.interface))
    return invalid;
  return function(*process, *interface, decoded.id);
}

}  // namespace lintel::api3
