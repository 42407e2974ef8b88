#pragma once
// The state that the C functions share: which Process of the engine they talk to.
//
// PtlInit makes the process from the environment; a test lends one of its own instead (ScopedProcess), so that one program can play several processes on
// a simulated network. Thread: the pointer changes in PtlInit, PtlFini and ScopedProcess only.

#include <optional>

#include "portals/api3/handle.h"
#include "portals/engine/process.h"

namespace lintel::api3 {

inline constexpr std::uint8_t kInterfaceKind = 0;  // Portals 3's among the engine's interfaces

// The process in force, or null before PtlInit.
portals::Process* current_process();

// Makes the C functions talk to `process` (not owned) until it goes out of scope.
class ScopedProcess {
 public:
  explicit ScopedProcess(portals::Process& process);
  ScopedProcess(const ScopedProcess&) = delete;
  ScopedProcess& operator=(const ScopedProcess&) = delete;
  ~ScopedProcess();

 private:
  portals::Process* previous_;
};

// Calls `function(process, interface, slot id)` under the lock with the interface that `handle` belongs to. PTL_NO_INIT before PtlInit; `invalid` if the
// handle is of another kind or its interface is not open.
template <class Function>
int with_interface(ptl_handle_any_t handle, HandleKind kind, int invalid, Function&& function) {
  portals::Process* process = current_process();
  if (process == nullptr) return PTL_NO_INIT;
  const Decoded decoded = decode(handle);
  const MutexLock lock(process->lock());
  portals::NetworkInterface* interface = decoded.kind == kind ? process->interface(decoded.interface) : nullptr;
  if (interface == nullptr) return invalid;
  if (kind == HandleKind::kInterface && handle != interface_handle(decoded.interface)) return invalid;
  return function(*process, *interface, decoded.id);
}

}  // namespace lintel::api3
