#pragma once
// What the C functions share: whether the library is started, and the way from a handle to the
// objects of the engine.

#include <atomic>

#include "portals/api4/handle.h"
#include "portals/engine/node/host_process.h"

namespace lintel::api4 {

// The process of the engine, or null before PtlInit.
portals::Process* process();

// True from PtlAbort until the last PtlFini: calls that wait return.
extern std::atomic<bool> aborted;

// Calls `function(process, interface, slot id)` under the lock with the interface that `handle`
// belongs to. Returns PTL_NO_INIT before PtlInit, and PTL_ARG_INVALID if the handle is of another
// kind or its interface is not open.
template <class Function>
int with_interface(ptl_handle_any_t handle, HandleKind kind, Function&& function) {
  portals::Process* own = process();
  if (own == nullptr) return PTL_NO_INIT;
  const Decoded decoded = decode(handle);
  const MutexLock lock(own->lock());
  portals::NetworkInterface* interface =
      decoded.kind == kind ? own->interface(engine_kind(decoded.interface)) : nullptr;
  if (interface == nullptr) return PTL_ARG_INVALID;
  if (kind == HandleKind::kInterface && handle != interface_handle(interface->kind()))
    return PTL_ARG_INVALID;
  return function(*own, *interface, decoded.id);
}

// The same for calls that start an operation or may trigger one. Afterwards it carries out
// triggered operations and wakes a sleeping thread if that has to send something.
template <class Function>
int with_interface_acting(ptl_handle_any_t handle, HandleKind kind, Function&& function) {
  return with_interface(handle, kind,
                        [&](portals::Process& own, portals::NetworkInterface& interface, SlotId id)
                            LINTEL_REQUIRES(kLock) {
                              const int code = function(own, interface, id);
                              own.carry_out_triggered();
                              own.progress().after_call();
                              return code;
                            });
}

}  // namespace lintel::api4
