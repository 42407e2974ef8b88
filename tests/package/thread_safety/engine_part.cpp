// A part of the engine, with the lock of its process and without it.

#include "portals/engine/process/process.h"

bool is_idle(lintel::portals::Process& process) {
  const lintel::MutexLock lock(process.lock());
  return process.endpoint().idle();
}

bool is_idle_without_the_lock(lintel::portals::Process& process) {
  return process.endpoint().idle();  // refused
}
