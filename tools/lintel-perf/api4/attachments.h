#pragma once
// Memory bound to memory descriptors, and memory in entries of portals.

#include <portals4.h>

#include <array>
#include <span>

#include "memory.h"
#include "operations.h"

namespace lintel::perf::api4 {

// The descriptors that say what a completion counts or logs: one for each moment at the initiator, which may all be the same.
class BoundMemory final : public Descriptor {
 public:
  // One descriptor, whose events go to `queue`.
  BoundMemory(ptl_handle_ni_t ni, std::span<const Piece> memory, ptl_handle_eq_t queue);
  // Three, each of which counts one moment, and nothing else, in its counter: kSent, kAcked, kReplied.
  BoundMemory(ptl_handle_ni_t ni, std::span<const Piece> memory, const std::array<ptl_handle_ct_t, 3>& counters);
  bool detach() override;

  // The descriptor for operations that end with that moment.
  ptl_handle_md_t md(Moment moment) const { return md_[index_of(moment)]; }

 private:
  Memory memory_;
  std::array<ptl_handle_md_t, 3> md_{PTL_INVALID_HANDLE, PTL_INVALID_HANDLE, PTL_INVALID_HANDLE};
};

inline ptl_handle_md_t md_of(const Descriptor& descriptor, Moment moment) { return static_cast<const BoundMemory&>(descriptor).md(moment); }

// An entry of which `peer` alone may use all operations, without LINK; where its completions go is still to be said.
ptl_me_t open_entry(ptl_process_t peer, Place place);

class ExposedMemory final : public Entry {
 public:
  // `me`: everything but the memory, of which the options gain what it needs.
  ExposedMemory(ptl_handle_ni_t ni, ptl_pt_index_t portal, std::span<const Piece> memory, ptl_me_t me);
  bool detach() override;

 private:
  Memory memory_;
  ptl_handle_me_t me_ = PTL_INVALID_HANDLE;
};

}  // namespace lintel::perf::api4
