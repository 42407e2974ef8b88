#pragma once
// ParcelHabit: whether the long messages of one process are better sent as parcels, judged by its receiver from how those before have come.
//
// A parcel that finds its receive posted, and nothing in between, lands in place without a copy. One that does not is copied twice, and holds up what its sender
// sends after it until it is found: so they are welcome only while they find their receives. Pure state; any thread.

#include <algorithm>
#include <cstdint>

namespace lintel::mpi {

class ParcelHabit {
 public:
  bool welcome() const { return welcome_; }

  // Another long message has come, or one for which a parcel was expected. `well`: it landed in place; while they are not welcome, it would have as a parcel.
  // True: whether they are welcome has changed, and the sender is to hear of it.
  bool note(bool well) {
    if (!welcome_) {
      in_a_row_ = well ? in_a_row_ + 1 : 0;
      if (in_a_row_ < wanted_) return false;
      patience_ = kUntilHeard;
    } else if (well) {
      patience_ = kPatience;
      return false;
    } else if (patience_ > 0) {
      --patience_;
      return false;
    } else {
      wanted_ = std::min(2 * wanted_, kMostWanted);
    }
    in_a_row_ = 0;
    welcome_ = !welcome_;
    return true;
  }

 private:
  static constexpr std::uint32_t kFirstWanted = 2;
  static constexpr std::uint32_t kMostWanted = 1024;
  static constexpr std::uint32_t kPatience = 4;
  static constexpr std::uint32_t kUntilHeard = 128;  // the sender may have so many on their way before it hears that they are welcome

  bool welcome_ = false;
  std::uint32_t in_a_row_ = 0;
  std::uint32_t wanted_ = kFirstWanted;  // doubled each time it was a mistake
  std::uint32_t patience_ = 0;
};

}  // namespace lintel::mpi
