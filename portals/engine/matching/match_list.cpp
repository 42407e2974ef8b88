#include "portals/engine/matching/match_list.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"

namespace lintel::portals {
namespace {

// Order labels. Attaching leaves kGap between neighbours. Insertion next to a base leaves most of
// that gap for later insertions at the same base. Labels are changed only when a gap is used up:
// those of the smallest aligned range that is sparse enough (M. Bender et al., "Two simplified
// algorithms for maintaining order in a list", 2002). This makes O(log n) amortised changes per
// insertion.
constexpr std::uint64_t kMiddle = 1ULL << 63;
constexpr std::uint64_t kGap = 1ULL << 40;
constexpr std::uint64_t kStep = 1ULL << 20;
constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
// a range of 2^i labels is sparse enough with at most (2 / kOverflow)^i entries
constexpr double kOverflow = 1.4;
// log2; from this size on a range that is sparse enough leaves gaps of at least 7
constexpr unsigned kSmallestRange = 6;

}  // namespace

MatchList::~MatchList() {
  for_each([this](MatchEntry& entry) { remove(entry); });
}

void MatchList::attach(MatchEntry& entry, ListEnd end) {
  link(end == ListEnd::kHead ? entries_.begin() : entries_.end(), entry, Side::kBefore);
}

void MatchList::insert(MatchEntry& entry, MatchEntry& base, Side side) {
  LINTEL_ASSERT(base.order_link_.is_linked());
  const auto place = entries_.iterator_to(base);
  link(side == Side::kBefore ? place : std::next(place), entry, side);
}

void MatchList::remove(MatchEntry& entry) {
  LINTEL_ASSERT(entry.order_link_.is_linked());
  set_matchable(entry, false);
  entries_.erase(entries_.iterator_to(entry));
}

void MatchList::set_matchable(MatchEntry& entry, bool matchable) {
  LINTEL_ASSERT(entry.order_link_.is_linked());
  if (entry.matchable_ == matchable) return;
  if (matchable) {
    index_.add(entry);
  } else {
    index_.remove(entry);
  }
  entry.matchable_ = matchable;
}

// Links the entry before `place`. `side` is its side of a base, where the next entries will
// probably be inserted too.
void MatchList::link(Entries::iterator place, MatchEntry& entry, Side side) {
  LINTEL_ASSERT(!entry.order_link_.is_linked());
  const bool at_end = place == entries_.begin() || place == entries_.end();
  const auto here = entries_.insert(place, entry);
  if (choose_order(here, side)) return;
  if (at_end) {
    recentre();
  } else {
    spread_around(here);
  }
}

// Gives the entry a label between those of its neighbours. False: there is none.
bool MatchList::choose_order(Entries::iterator here, Side side) {
  const bool is_first = here == entries_.begin();
  const bool is_last = std::next(here) == entries_.end();
  const std::uint64_t low = is_first ? 0 : std::prev(here)->order_;
  const std::uint64_t high = is_last ? kLargest : std::next(here)->order_;
  if (is_first && is_last) {
    here->order_ = kMiddle;
    return true;
  }
  const std::uint64_t gap = high - low;
  if (is_first || is_last) {
    if (gap <= kGap) return false;
    here->order_ = is_last ? low + kGap : high - kGap;
    return true;
  }
  if (gap < 2) return false;
  const std::uint64_t step = std::min(gap / 2, kStep);
  here->order_ = side == Side::kBefore ? low + step : high - step;
  return true;
}

// Spreads the labels of the smallest range around the entry that is sparse enough, and gives one of
// them to the entry.
void MatchList::spread_around(Entries::iterator here) {
  const std::uint64_t centre = std::prev(here)->order_;
  auto begin = here;
  auto end = std::next(here);
  std::uint64_t count = 1;
  double allowed = 1;
  for (unsigned bits = 1; bits < 64; ++bits) {
    allowed *= 2 / kOverflow;
    if (bits < kSmallestRange) continue;
    const std::uint64_t width = 1ULL << bits;
    const std::uint64_t lowest = centre & ~(width - 1);
    const std::uint64_t highest = lowest + (width - 1);
    for (; begin != entries_.begin() && std::prev(begin)->order_ >= lowest; --begin) ++count;
    for (; end != entries_.end() && end->order_ <= highest; ++end) ++count;
    if (static_cast<double>(count) > allowed) continue;
    const std::uint64_t gap = width / count;
    std::uint64_t order = lowest + gap / 2;
    for (auto at = begin; at != end; ++at, order += gap) at->order_ = order;
    return;
  }
  recentre();
}

// Distributes all labels around the middle. This is needed after millions of attachments at one
// end, when the labels have reached the end of their range.
void MatchList::recentre() {
  const std::uint64_t count = entries_.size();
  const std::uint64_t gap = std::min(kGap, (kMiddle / 2) / count);
  std::uint64_t order = kMiddle - gap * (count / 2);
  for (MatchEntry& entry : entries_) {
    entry.order_ = order;
    order += gap;
  }
}

}  // namespace lintel::portals
