#pragma once
// Guards a phase in which this process waits for operations: stops them when nothing happens for too long or the peer is dead.
//
// Has its own thread for exactly its life, which sleeps and looks a few times a second; the measuring thread pays nothing for it. Borrows the operations.
// A silent peer is probed after one second; a dead one ends the phase at once, an absent-minded one after `limit`.

#include <portals3.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "operations.h"

namespace lintel::perf {

class Watch {
 public:
  Watch(ptl_handle_ni_t ni, ptl_process_id_t peer, Operations& operations, std::chrono::duration<double> limit);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void run(ptl_handle_ni_t ni, ptl_process_id_t peer, std::chrono::duration<double> limit);

  Operations& operations_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace lintel::perf
