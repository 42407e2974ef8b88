#pragma once
// Asks the peer's engine for a sign of life: a put of nothing whose ack the engine sends by itself, whatever the peer's threads do.
//
// Owns its descriptor and queue. Thread: one. The peer must have called accept_probes().

#include <portals3.h>

#include <optional>
#include <string>

namespace lintel::perf {

class PeerProbe {
 public:
  enum class Sign { kPending, kAlive, kDead };

  PeerProbe(ptl_handle_ni_t ni, ptl_process_id_t peer);
  ~PeerProbe();
  PeerProbe(const PeerProbe&) = delete;
  PeerProbe& operator=(const PeerProbe&) = delete;

  // Sends a probe. REQUIRES: none is pending.
  void send();

  // Looks, without blocking, what became of the last one.
  Sign look();

  bool pending() const { return pending_; }

 private:
  ptl_process_id_t peer_;
  ptl_handle_eq_t eq_ = PTL_EQ_NONE;
  ptl_handle_md_t md_ = PTL_INVALID_HANDLE;
  bool pending_ = false;
};

// Lets any process probe this one, for the life of the interface.
void accept_probes(ptl_handle_ni_t ni);

}  // namespace lintel::perf
