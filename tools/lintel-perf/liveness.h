#pragma once
// Whether the other process is alive, found out without its help.

#include <portals3.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "clock.h"
#include "operations.h"

namespace lintel::perf {

// Asks the peer's engine for a sign of life: a put of nothing whose ack the engine sends by itself,
// whatever the peer's threads do.
//
// Owns its descriptor and queue. Thread: one. The peer must have called accept_probes().
class PeerProbe {
 public:
  enum class Sign { kPending, kAlive, kDead };

  PeerProbe(ptl_handle_ni_t ni, ptl_process_id_t peer);
  ~PeerProbe();
  PeerProbe(const PeerProbe&) = delete;
  PeerProbe& operator=(const PeerProbe&) = delete;

  // Sends a probe unless one is pending, and looks, without blocking, what became of it.
  Sign look();

  // When the last probe was sent.
  Clock::time_point sent_at() const { return sent_at_; }

 private:
  ptl_process_id_t peer_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
  bool pending_ = false;
  Clock::time_point sent_at_{};
};

// Lets any process probe this one, for the life of the interface.
void accept_probes(ptl_handle_ni_t ni);

// "the other process, 10.0.0.1 pid 17, died or cannot be reached any more"
std::string death_of(ptl_process_id_t peer);

// Guards a phase in which this process waits for operations: stops them when nothing happens for
// too long or the peer is dead.
//
// Has its own thread for exactly its life, which sleeps and looks a few times a second; the
// measuring thread pays nothing for it. Borrows the operations. A silent peer is probed after one
// second; a dead one ends the phase at once, a silent one after `limit`.
class Watch {
 public:
  Watch(ptl_handle_ni_t ni, ptl_process_id_t peer, Operations& operations, Seconds limit);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  void run(ptl_handle_ni_t ni, ptl_process_id_t peer, Seconds limit);

  Operations& operations_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace lintel::perf
