#include "counter.h"

#include "portals4_call.h"

namespace lintel::perf::api4 {

Counter::Counter(ptl_handle_ni_t ni) { check_call(PtlCTAlloc(ni, &handle_), "PtlCTAlloc"); }

std::uint64_t Counter::now() const {
  ptl_ct_event_t value{};
  return PtlCTGet(handle_, &value) == PTL_OK ? value.success : 0;
}

void Counter::free() {
  if (!freed_) PtlCTFree(handle_);
  freed_ = true;
}

}  // namespace lintel::perf::api4
