#include "mpi_layer/mpi/objects/group.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace lintel::mpi {

Group::Group(std::vector<int> world_ranks)
    : members_(std::move(world_ranks)), by_rank_(members_.size()) {
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  std::sort(by_rank_.begin(), by_rank_.end(),
            [this](int a, int b) { return world_rank(a) < world_rank(b); });
}

std::optional<int> Group::position_of(int rank) const {
  const auto place =
      std::lower_bound(by_rank_.begin(), by_rank_.end(), rank,
                       [this](int position, int wanted) { return world_rank(position) < wanted; });
  if (place == by_rank_.end() || world_rank(*place) != rank) return std::nullopt;
  return *place;
}

std::optional<std::vector<bool>> Group::marked(std::span<const int> positions) const {
  std::vector<bool> marks(members_.size());
  for (const int position : positions) {
    if (position < 0 || position >= size() || marks[static_cast<std::size_t>(position)])
      return std::nullopt;
    marks[static_cast<std::size_t>(position)] = true;
  }
  return marks;
}

GroupRef Group::including(std::span<const int> positions) const {
  if (!marked(positions)) return nullptr;
  std::vector<int> ranks;
  ranks.reserve(positions.size());
  for (const int position : positions) ranks.push_back(world_rank(position));
  return std::make_shared<Group>(std::move(ranks));
}

GroupRef Group::excluding(std::span<const int> positions) const {
  const auto marks = marked(positions);
  if (!marks) return nullptr;
  std::vector<int> ranks;
  ranks.reserve(members_.size() - positions.size());
  for (std::size_t position = 0; position < members_.size(); ++position) {
    if (!(*marks)[position]) ranks.push_back(members_[position]);
  }
  return std::make_shared<Group>(std::move(ranks));
}

std::optional<std::vector<int>> Group::positions_in(std::span<const RankRange> ranges) const {
  std::vector<int> positions;
  for (const RankRange& range : ranges) {
    if (range.stride == 0) return std::nullopt;
    const std::int64_t stride = range.stride;
    for (std::int64_t at = range.first; stride > 0 ? at <= range.last : at >= range.last;
         at += stride) {
      // With more positions than members, one occurs twice. The check is here so that a wrong range
      // does not fill the memory.
      if (at < 0 || at >= size() || positions.size() == members_.size()) return std::nullopt;
      positions.push_back(static_cast<int>(at));
    }
  }
  if (!marked(positions)) return std::nullopt;
  return positions;
}

GroupRef Group::united_with(const Group& other) const {
  std::vector<int> ranks = members_;
  for (const int rank : other.members_) {
    if (!position_of(rank)) ranks.push_back(rank);
  }
  return std::make_shared<Group>(std::move(ranks));
}

GroupRef Group::filtered(const Group& other, bool members) const {
  std::vector<int> ranks;
  for (const int rank : members_) {
    if (other.position_of(rank).has_value() == members) ranks.push_back(rank);
  }
  return std::make_shared<Group>(std::move(ranks));
}

std::vector<int> Group::sorted_ranks() const {
  std::vector<int> ranks;
  ranks.reserve(members_.size());
  for (const int position : by_rank_) ranks.push_back(world_rank(position));
  return ranks;
}

}  // namespace lintel::mpi
