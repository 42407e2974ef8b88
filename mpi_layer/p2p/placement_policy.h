#pragma once
// PlacementPolicy: whether the long messages of one process are to use eager direct placement. The
// receiver decides this from how the previous long messages arrived.
//
// A placed message whose receive is posted and expects it is written to its buffer without a copy.
// Otherwise it is copied twice, and delays the messages that its sender sends after it. So
// placement is enabled only while messages find their receives posted. Pure state; any thread.

#include <algorithm>
#include <cstdint>

namespace lintel::mpi {

class PlacementPolicy {
 public:
  bool enabled() const { return enabled_; }

  // A long message, or one that was expected, has arrived. `well`: it was placed; while placement
  // is disabled: it would have been. True: enabled() has changed, and the sender is to be informed.
  bool note(bool well) {
    if (!enabled_) {
      in_a_row_ = well ? in_a_row_ + 1 : 0;
      if (in_a_row_ < wanted_) return false;
      tolerated_ = kUntilHeard;
    } else if (well) {
      tolerated_ = kTolerated;
      return false;
    } else if (tolerated_ > 0) {
      --tolerated_;
      return false;
    } else {
      wanted_ = std::min(2 * wanted_, kMostWanted);
    }
    in_a_row_ = 0;
    enabled_ = !enabled_;
    return true;
  }

 private:
  static constexpr std::uint32_t kFirstWanted = 2;
  static constexpr std::uint32_t kMostWanted = 1024;
  static constexpr std::uint32_t kTolerated = 4;
  // The most messages that may be on their way before the sender learns that placement is enabled.
  static constexpr std::uint32_t kUntilHeard = 128;

  bool enabled_ = false;
  std::uint32_t in_a_row_ = 0;
  std::uint32_t wanted_ = kFirstWanted;  // doubled each time placement is disabled again
  std::uint32_t tolerated_ = 0;
};

}  // namespace lintel::mpi
