// The state of an interface of the engine, with the lock of its process and without it.

#include "portals/engine/process/process.h"

unsigned times_opened(lintel::portals::Process& process,
                      const lintel::portals::NetworkInterface& interface) {
  const lintel::MutexLock lock(process.lock());
  return interface.opens;
}

unsigned times_opened_without_the_lock(const lintel::portals::NetworkInterface& interface) {
  return interface.opens;  // refused
}
