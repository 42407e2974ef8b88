#pragma once
// PlacementPolicy: whether the long messages of one process are to go by eager direct placement,
// judged by their receiver from how those before have come.
//
// Such a message that finds its receive posted, and nothing in between, lands in place without a
// copy. One that does not is copied twice, and holds up what its sender sends after it until it is
// found. So placement is enabled only while messages find their receives. Pure state; any thread.

#include <algorithm>
#include <cstdint>

namespace lintel::mpi {

class PlacementPolicy {
 public:
  bool enabled() const { return enabled_; }

  // Another long message has come, or one that was expected. `well`: it landed in place; while
  // placement is not enabled, it would have. True: the verdict has changed, and the sender is to
  // hear of it.
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
  // The sender may have so many on their way before it hears that placement is enabled.
  static constexpr std::uint32_t kUntilHeard = 128;

  bool enabled_ = false;
  std::uint32_t in_a_row_ = 0;
  std::uint32_t wanted_ = kFirstWanted;  // doubled each time it was a mistake
  std::uint32_t tolerated_ = 0;
};

}  // namespace lintel::mpi
