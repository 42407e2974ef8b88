// A part of the engine, reached without the lock of its process.

#include "portals/engine/process/process.h"

bool is_idle(lintel::portals::Process& process) {
#if defined(HOLDS_THE_LOCK)
  const lintel::MutexLock lock(process.lock());
#endif
  return process.endpoint().idle();
}
