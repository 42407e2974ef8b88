#pragma once
// Group: an ordered set of processes, identified by their world ranks (MPI 5.0, clause 7.3). A
// position in the group is a rank of the group.
//
// A value that never changes; shared by its handles and by communicators, read by any thread.
// Finding a process costs a binary search, set operations cost n log n.
// Invariant: no world rank is in it twice.
// Does not: know the world rank of this process, or which world ranks exist.

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lintel::mpi {

class Group;
using GroupRef = std::shared_ptr<const Group>;

// Positions first, first + stride, ... up to last.
struct RankRange {
  int first;
  int last;
  int stride;
};

class Group {
 public:
  // REQUIRES: no rank is in it twice.
  explicit Group(std::vector<int> world_ranks);

  int size() const { return static_cast<int>(members_.size()); }
  // REQUIRES: 0 <= position < size().
  int world_rank(int position) const { return members_[static_cast<std::size_t>(position)]; }
  std::span<const int> world_ranks() const { return members_; }
  std::optional<int> position_of(int world_rank) const;

  // The members at those positions, in that order; null if a position is out of range or occurs
  // twice.
  GroupRef including(std::span<const int> positions) const;
  // The members not at those positions, in this group's order; null as above.
  GroupRef excluding(std::span<const int> positions) const;
  // The positions of the ranges, in order; nothing if a range has stride 0, leaves the group or
  // overlaps another.
  std::optional<std::vector<int>> positions_in(std::span<const RankRange> ranges) const;

  // This group's members, then the members of the other group that are not in this one.
  GroupRef united_with(const Group& other) const;
  // This group's members that are also, or are not, in the other group; in this group's order.
  GroupRef intersected_with(const Group& other) const { return filtered(other, true); }
  GroupRef without(const Group& other) const { return filtered(other, false); }

  // True if both have the same members in the same order.
  bool is_identical(const Group& other) const { return members_ == other.members_; }
  // True if both have the same members.
  bool is_similar(const Group& other) const { return sorted_ranks() == other.sorted_ranks(); }

 private:
  GroupRef filtered(const Group& other, bool members) const;
  std::vector<int> sorted_ranks() const;
  // Marks the given positions; nothing if one is out of range or occurs twice.
  std::optional<std::vector<bool>> marked(std::span<const int> positions) const;

  std::vector<int> members_;
  std::vector<int> by_rank_;  // positions, in the order of their world ranks
};

}  // namespace lintel::mpi
