#include "mpi_layer/mpi/runtime/impi_schedule.h"

#include <bit>

namespace lintel::mpi {

namespace {

GlobalStep send_to(int peer) { return {GlobalStep::StepDirection::kSend, peer}; }
GlobalStep receive_from(int peer) { return {GlobalStep::StepDirection::kReceive, peer}; }

int count_of(const Masters& masters) { return static_cast<int>(masters.ranks.size()); }
bool is_linear(const Masters& masters) { return count_of(masters) <= masters.max_linear; }
int rank_of(const Masters& masters, int number) {
  return masters.ranks[static_cast<std::size_t>(number)];
}

int bit_width(int number) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(number)));
}
// The index of the highest bit that is set; -1 if none is set.
int highest_bit(int number) { return bit_width(number) - 1; }
// The least number of bits with which all numbers below `count` can be written.
int dimension(int count) { return bit_width(count - 1); }

GlobalPhase linear_barrier(const Masters& masters, int own) {
  if (own > 0) return {send_to(rank_of(masters, 0)), receive_from(rank_of(masters, 0))};
  GlobalPhase phase;
  for (int number = 1; number < count_of(masters); ++number)
    phase.push_back(receive_from(rank_of(masters, number)));
  for (int number = 1; number < count_of(masters); ++number)
    phase.push_back(send_to(rank_of(masters, number)));
  return phase;
}

GlobalPhase tree_barrier(const Masters& masters, int own) {
  const int count = count_of(masters);
  const int first_child = highest_bit(own) + 1;
  const int end = dimension(count);
  GlobalPhase phase;
  for (int bit = end - 1; bit >= first_child; --bit) {
    if (const int peer = own | 1 << bit; peer < count)
      phase.push_back(receive_from(rank_of(masters, peer)));
  }
  if (own > 0) {
    const int parent = rank_of(masters, own & ~(1 << highest_bit(own)));
    phase.push_back(send_to(parent));
    phase.push_back(receive_from(parent));
  }
  for (int bit = first_child; bit < end; ++bit) {
    if (const int peer = own | 1 << bit; peer < count)
      phase.push_back(send_to(rank_of(masters, peer)));
  }
  return phase;
}

// Numbers masters cyclically from that of the root, and converts these numbers back to ranks.
class FromRoot {
 public:
  FromRoot(const Masters& masters, const GlobalRoot& root) : masters_(masters), root_(root) {}

  int position_of(int number) const {
    return (number - root_.master + count_of(masters_)) % count_of(masters_);
  }
  int rank_at(int position) const {
    return position == 0 ? root_.rank
                         : rank_of(masters_, (position + root_.master) % count_of(masters_));
  }

 private:
  const Masters& masters_;
  const GlobalRoot& root_;
};

// For a root that exchanges messages with all others directly: a step with each, in the order of
// their numbers.
template <class Step>
GlobalPhase with_all_others(const Masters& masters, const GlobalRoot& root, Step step) {
  GlobalPhase phase;
  for (int number = 0; number < count_of(masters); ++number) {
    if (number != root.master) phase.push_back(step(rank_of(masters, number)));
  }
  return phase;
}

}  // namespace

GlobalPhase barrier_phase(const Masters& masters, int own) {
  return is_linear(masters) ? linear_barrier(masters, own) : tree_barrier(masters, own);
}

GlobalPhase broadcast_phase(const Masters& masters, const GlobalRoot& root, int own) {
  if (is_linear(masters)) {
    if (own == root.master) return with_all_others(masters, root, send_to);
    return {receive_from(root.rank)};
  }
  const FromRoot tree(masters, root);
  const int position = tree.position_of(own);
  GlobalPhase phase;
  if (position > 0)
    phase.push_back(receive_from(tree.rank_at(position & ~(1 << highest_bit(position)))));
  for (int bit = highest_bit(position) + 1; bit < dimension(count_of(masters)); ++bit) {
    if (const int child = position | 1 << bit; child < count_of(masters))
      phase.push_back(send_to(tree.rank_at(child)));
  }
  return phase;
}

GlobalPhase reduction_phase(const Masters& masters, const GlobalRoot& root, int own) {
  if (is_linear(masters)) {
    if (own == root.master) return with_all_others(masters, root, receive_from);
    return {send_to(root.rank)};
  }
  const FromRoot tree(masters, root);
  const int position = tree.position_of(own);
  GlobalPhase phase;
  for (int bit = 0; bit < dimension(count_of(masters)); ++bit) {
    const int mask = 1 << bit;
    if ((position & mask) != 0) {
      phase.push_back(send_to(tree.rank_at(position & ~mask)));
      return phase;
    }
    if ((position | mask) < count_of(masters))
      phase.push_back(receive_from(tree.rank_at(position | mask)));
  }
  return phase;
}

}  // namespace lintel::mpi
