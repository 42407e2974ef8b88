#pragma once
// Group: an ordered set of processes, named by their world ranks (MPI 5.0, clause 7.3). Position
// and rank in the group are the same number.
//
// A value that never changes; shared by its handles and by communicators, read by any thread.
// Looking a process up costs a binary search, set operations n log n.
// Invariant: no world rank is in it twice.
// Does not: know which world rank this process has, or which exist.

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
  // REQUIRES: no rank twice.
  explicit Group(std::vector<int> world_ranks);

  int size() const { return static_cast<int>(members_.size()); }
  // REQUIRES: 0 <= position < size().
  int world_rank(int position) const { return members_[static_cast<std::size_t>(position)]; }
  std::span<const int> world_ranks() const { return members_; }
  std::optional<int> position_of(int world_rank) const;

  // The members at those positions, in that order; null if one is out of range or named twice.
  GroupRef including(std::span<const int> positions) const;
  // The members not at those positions, in this group's order; null as above.
  GroupRef excluding(std::span<const int> positions) const;
  // The positions that ranges stand for, in order; nothing if one has stride 0, leaves the group or
  // meets another.
  std::optional<std::vector<int>> positions_in(std::span<const RankRange> ranges) const;

  // This group's members, then the other's that are not among them.
  GroupRef united_with(const Group& other) const;
  // This group's members that are also, or not, the other's; in this group's order.
  GroupRef intersected_with(const Group& other) const { return filtered(other, true); }
  GroupRef without(const Group& other) const { return filtered(other, false); }

  // Same members in the same order.
  bool is_identical(const Group& other) const { return members_ == other.members_; }
  // Same members.
  bool is_similar(const Group& other) const { return sorted_ranks() == other.sorted_ranks(); }

 private:
  GroupRef filtered(const Group& other, bool members) const;
  std::vector<int> sorted_ranks() const;
  // Which positions are named; nothing if one is out of range or named twice.
  std::optional<std::vector<bool>> marked(std::span<const int> positions) const;

  std::vector<int> members_;
  std::vector<int> by_rank_;  // positions, in the order of their world ranks
};

}  // namespace lintel::mpi
