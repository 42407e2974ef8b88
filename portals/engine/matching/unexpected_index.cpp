#include "portals/engine/matching/unexpected_index.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "base/assert.h"
#include "portals/engine/matching/key_table.h"

namespace lintel::portals {
namespace {

constexpr std::uint32_t kFirstPlaces = 16;
constexpr std::uint32_t kMost = 1U << 31;

// Different pairs have equal hashes only by chance. The first step can be inverted, so no value of
// one part makes all values of the other equal.
std::uint64_t mix(std::uint64_t process, std::uint64_t match_bits) {
  __extension__ using Product = unsigned __int128;
  const std::uint64_t spread = process * 0x9E3779B97F4A7C15ULL;
  const Product product =
      Product{spread ^ (spread >> 32) ^ match_bits ^ 0xE7037ED1A0B428DBULL} * 0xD1B54A32D192ED03ULL;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Enlarges the array to `new_size`. Old elements are kept, and new ones are zero. False: there is
// no memory, and the array is unchanged.
template <class Element>
bool grow(std::unique_ptr<Element[]>& array, std::uint32_t size, std::uint32_t new_size) {
  std::unique_ptr<Element[]> grown(new (std::nothrow) Element[new_size]());
  if (!grown) return false;
  std::copy_n(array.get(), size, grown.get());
  array = std::move(grown);
  return true;
}

using HeaderKeys = KeyTable<UnexpectedHeader, 32>;  // the first of the ring of one key

}  // namespace

struct UnexpectedIndex::HeaderClass {
  // Places of the neighbours in the ring of one key. The first's previous is the last; the last's
  // next is kNoPlace.
  struct Links {
    std::uint32_t next;
    std::uint32_t previous;
  };

  std::uint64_t process_mask = 0;  // 1 for bits of the initiator that are ignored
  std::uint64_t kept_bits = 0;     // 1 for match bits that are compared
  // the first order_ that is not in the class; 0: the class is not in use
  std::uint64_t indexed_until = 0;
  std::uint64_t last_search = 0;
  HeaderKeys table;
  std::unique_ptr<Links[]> links;  // by place
  std::uint32_t link_count = 0;

  std::uint64_t hash(ProcessId process, std::uint64_t match_bits) const {
    return mix(joined(process) | process_mask, match_bits & kept_bits);
  }

  // The slot of the key, or a free one if there is none yet. REQUIRES: make_room() was called once.
  HeaderKeys::KeySlot& slot_for(ProcessId process, std::uint64_t match_bits,
                                std::uint64_t wanted) const {
    return table.find(wanted, [&](const UnexpectedHeader& first) {
      return ((joined(first.initiator) ^ joined(process)) & ~process_mask) == 0 &&
             ((first.match_bits ^ match_bits) & kept_bits) == 0;
    });
  }

  bool make_room(std::uint32_t place);
};

UnexpectedIndex::UnexpectedIndex(OrderedHeaders& headers) : headers_(headers) {}
UnexpectedIndex::~UnexpectedIndex() = default;

const UnexpectedIndex::HeaderClass* UnexpectedIndex::prepare(const MatchCriteria& criteria) {
  HeaderClass* kind = class_for(criteria);
  if (!kind) return nullptr;
  kind->last_search = searches_;
  if (headers_.back().order_ < kind->indexed_until) return kind;
  if (catch_up(*kind)) return kind;
  *kind = HeaderClass{};
  return nullptr;
}

UnexpectedHeader* UnexpectedIndex::first(const HeaderClass& kind,
                                         const MatchCriteria& criteria) const {
  return kind
      .slot_for(criteria.initiator, criteria.match_bits,
                kind.hash(criteria.initiator, criteria.match_bits))
      .first;
}

UnexpectedHeader* UnexpectedIndex::next(const HeaderClass& kind,
                                        const UnexpectedHeader& header) const {
  const std::uint32_t place = kind.links[header.place_].next;
  return place == kNoPlace ? nullptr : places_[place].header;
}

// The class of these criteria, which may be a new one. nullptr: they get none.
UnexpectedIndex::HeaderClass* UnexpectedIndex::class_for(const MatchCriteria& criteria) {
  const std::uint64_t process_mask = ignored_process(criteria);
  const std::uint64_t kept_bits = ~criteria.ignore_bits;
  if (~process_mask == 0 && kept_bits == 0) return nullptr;
  if (!classes_) classes_.reset(new (std::nothrow) HeaderClass[kClasses]);
  if (!classes_) return nullptr;
  ++searches_;
  HeaderClass* oldest = &classes_[0];  // a free class counts as the oldest
  for (std::size_t i = 0; i < kClasses; ++i) {
    HeaderClass& kind = classes_[i];
    if (kind.process_mask == process_mask && kind.kept_bits == kept_bits && kind.indexed_until != 0)
      return &kind;
    if (kind.last_search < oldest->last_search) oldest = &kind;
  }
  if (oldest->indexed_until != 0 && searches_ - oldest->last_search <= kIdleSearches)
    return nullptr;
  *oldest = HeaderClass{};
  oldest->process_mask = process_mask;
  oldest->kept_bits = kept_bits;
  return oldest;
}

// Enters the headers that arrived since the last search of the class. False: there is no memory,
// and the class cannot be used.
bool UnexpectedIndex::catch_up(HeaderClass& kind) {
  auto at = headers_.end();
  while (at != headers_.begin() && std::prev(at)->order_ >= kind.indexed_until) --at;
  for (; at != headers_.end(); ++at) {
    if (!enter(kind, *at)) return false;
  }
  kind.indexed_until = headers_.back().order_ + 1;
  return true;
}

bool UnexpectedIndex::enter(HeaderClass& kind, UnexpectedHeader& header) {
  if (header.place_ == kNoPlace && !give_place(header)) return false;
  if (!kind.make_room(header.place_)) return false;
  const std::uint64_t hash = kind.hash(header.initiator, header.match_bits);
  HeaderKeys::KeySlot& slot = kind.slot_for(header.initiator, header.match_bits, hash);
  const std::uint32_t place = header.place_;
  std::uint32_t last = place;
  if (slot.first) {
    HeaderClass::Links& first = kind.links[slot.first->place_];
    last = std::exchange(first.previous, place);
    kind.links[last].next = place;
  } else {
    kind.table.occupy(slot, hash);
    slot.first = &header;
  }
  kind.links[place] = {kNoPlace, last};
  return true;
}

void UnexpectedIndex::unlink(HeaderClass& kind, const UnexpectedHeader& header) {
  const auto [next, previous] = kind.links[header.place_];
  const bool leads = kind.links[previous].next != header.place_;
  if (!leads) kind.links[previous].next = next;
  if (next != kNoPlace) kind.links[next].previous = previous;
  if (!leads && next != kNoPlace) return;
  HeaderKeys::KeySlot& slot = kind.slot_for(header.initiator, header.match_bits,
                                            kind.hash(header.initiator, header.match_bits));
  if (!leads) {
    kind.links[slot.first->place_].previous = previous;
    return;
  }
  LINTEL_ASSERT(slot.first == &header);
  if (next != kNoPlace) {
    slot.first = places_[next].header;
  } else {
    kind.table.erase(slot);
  }
}

void UnexpectedIndex::forget(UnexpectedHeader& header) {
  for (std::size_t i = 0; i < kClasses; ++i) {
    if (header.order_ < classes_[i].indexed_until) unlink(classes_[i], header);
  }
  places_[header.place_].next_free = std::exchange(free_place_, header.place_);
  header.place_ = kNoPlace;
}

void UnexpectedIndex::release() {
  classes_.reset();
  places_.reset();
  place_count_ = 0;
  free_place_ = kNoPlace;
}

bool UnexpectedIndex::give_place(UnexpectedHeader& header) {
  if (free_place_ == kNoPlace) {
    if (place_count_ >= kMost) return false;
    const std::uint32_t new_count = std::max(kFirstPlaces, 2 * place_count_);
    if (!grow(places_, place_count_, new_count)) return false;
    for (std::uint32_t i = new_count; i > place_count_; --i)
      places_[i - 1].next_free = std::exchange(free_place_, i - 1);
    place_count_ = new_count;
  }
  header.place_ = std::exchange(free_place_, places_[free_place_].next_free);
  places_[header.place_].header = &header;
  return true;
}

// Makes room for a header at this place and for one more key. False: there is no memory, and the
// class is unchanged.
bool UnexpectedIndex::HeaderClass::make_room(std::uint32_t place) {
  if (place >= link_count) {
    std::uint32_t new_count = std::max(kFirstPlaces, link_count);
    while (new_count <= place) new_count *= 2;
    if (!grow(links, link_count, new_count)) return false;
    link_count = new_count;
  }
  return table.make_room();
}

}  // namespace lintel::portals
