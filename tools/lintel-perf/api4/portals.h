#pragma once
// The portals in which Operations expose memory: each is allocated at its first entry, and freed at the end.

#include <portals4.h>

#include <vector>

#include "portals4_call.h"

namespace lintel::perf::api4 {

class Portals {
 public:
  // `queue`: where events of the entries go that want some; PTL_EQ_NONE if none does.
  Portals(ptl_handle_ni_t ni, ptl_handle_eq_t queue) : ni_(ni), queue_(queue) {}
  ~Portals() {
    for (const ptl_pt_index_t index : allocated_) PtlPTFree(ni_, index);
  }
  Portals(const Portals&) = delete;
  Portals& operator=(const Portals&) = delete;

  void need(ptl_pt_index_t index) {
    for (const ptl_pt_index_t there : allocated_) {
      if (there == index) return;
    }
    ptl_pt_index_t got = 0;
    check_call(PtlPTAlloc(ni_, 0, queue_, index, &got), "PtlPTAlloc");
    allocated_.push_back(got);
  }

 private:
  ptl_handle_ni_t ni_;
  ptl_handle_eq_t queue_;
  std::vector<ptl_pt_index_t> allocated_;
};

}  // namespace lintel::perf::api4
