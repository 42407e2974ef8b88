// The state of an interface of the engine, used without the lock of its process.

#include "portals/engine/process/process.h"

unsigned times_opened(lintel::portals::Process& process,
                      const lintel::portals::NetworkInterface& interface) {
#if defined(HOLDS_THE_LOCK)
  const lintel::MutexLock lock(process.lock());
#else
  static_cast<void>(process);
#endif
  return interface.opens;
}
