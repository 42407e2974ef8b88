// The lists of a portal compared with plain lists and linear search: the same random appends,
// unlinks, arrivals and searches give the same events, return codes and registers after every step.
// Includes wildcards in bits and source, entries that are used once or run out of room, entries
// that refuse what does not fit, and overflow entries without headers.

#include <array>
#include <list>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/protocol4/portals4_test.h"
#include "tests/sanitized.h"

namespace lintel::testing {
namespace {

constexpr ptl_size_t kRoom = 64;  // bytes of every entry
constexpr std::size_t kTarget = 1;
constexpr std::size_t kProcesses = 3;  // all of them send, including the target

// What an event must contain. For events without a message only kind and user pointer are compared.
struct Told {
  ptl_event_kind_t kind = 0;
  ptl_ni_fail_t failure = PTL_NI_OK;
  std::uintptr_t user = 0;
  ptl_list_t list = PTL_PRIORITY_LIST;
  ptl_hdr_data_t hdr_data = 0;
  ptl_match_bits_t bits = 0;
  ptl_nid_t from = 0;
  ptl_size_t requested = 0;
  ptl_size_t taken = 0;
  ptl_size_t remote_offset = 0;
  const std::uint8_t* start = nullptr;

  bool operator==(const Told&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Told& told) {
  ptl_event_t event{};
  event.type = told.kind;
  event.ni_fail_type = told.failure;
  event.mlength = told.taken;
  event.rlength = told.requested;
  event.remote_offset = told.remote_offset;
  return out << story({event}) << " (user " << told.user << ", list " << int{told.list}
             << ", number " << told.hdr_data << ", bits " << told.bits << ", from " << told.from
             << ", at " << static_cast<const void*>(told.start) << ")";
}

bool of_a_message(const ptl_event_t& event) {
  return event.type < PTL_EVENT_REPLY ||
         (event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_OK);
}

Told told_by(const ptl_event_t& event) {
  Told told{.kind = event.type,
            .failure = event.ni_fail_type,
            .user = reinterpret_cast<std::uintptr_t>(event.user_ptr)};
  if (!of_a_message(event)) return told;
  told.list = event.ptl_list;
  told.hdr_data = event.hdr_data;
  told.bits = event.match_bits;
  told.from = event.initiator.phys.nid;
  told.requested = event.rlength;
  told.taken = event.mlength;
  told.remote_offset = event.remote_offset;
  told.start = static_cast<const std::uint8_t*>(event.start);
  return told;
}

// The ranges of random values. They are small, so that equal criteria, long searches and refusals
// are frequent.
struct Universe {
  const char* name;
  std::uint64_t bits;  // match bits are drawn below this
  std::vector<ptl_match_bits_t> ignored;
  std::size_t usual_length;  // lists keep about this many entries
};

// Which messages an entry or a search accepts.
struct PlainCriteria {
  ptl_process_t from;
  ptl_match_bits_t bits = 0;
  ptl_match_bits_t ignored = 0;

  bool admits(ptl_process_t sender, ptl_match_bits_t sent) const {
    const bool nid = from.phys.nid == PTL_NID_ANY || from.phys.nid == sender.phys.nid;
    const bool pid = from.phys.pid == PTL_PID_ANY || from.phys.pid == sender.phys.pid;
    return nid && pid && ((bits ^ sent) & ~ignored) == 0;
  }
};

struct PlainEntry {
  std::uintptr_t name = 0;
  PlainCriteria criteria;
  unsigned options = 0;
  ptl_size_t min_free = 0;
  ptl_handle_me_t handle = PTL_INVALID_HANDLE;
  const std::uint8_t* memory = nullptr;
  ptl_size_t filled = 0;    // of an entry that manages its offset
  std::size_t headers = 0;  // headers whose data are in its memory
  bool used_up = false;

  bool has(unsigned option) const { return (options & option) != 0; }
  bool fits(ptl_size_t offset, ptl_size_t length) const {
    const ptl_size_t place = has(PTL_ME_MANAGE_LOCAL) ? filled : offset;
    return !has(PTL_ME_NO_TRUNCATE) || (place <= kRoom && length <= kRoom - place);
  }
};

struct PlainHeader {
  Told arrival;
  ptl_process_t from;
  PlainEntry* holder;
};

class Comparison : public Portals4Test {
 protected:
  void begin(const Universe& universe, std::uint64_t seed) {
    universe_ = universe;
    random_.seed(seed);
    JobOptions4 options{.processes = kProcesses};
    options.network.seed = seed;
    start(options);
    for (std::size_t rank = 0; rank < kProcesses; ++rank)
      mds_.push_back(bind(data_, {.quiet = true}, rank));
  }

  void step() {
    if (draw(4 * universe_.usual_length) == 0) return unlink_all(PTL_PRIORITY_LIST);
    if (draw(4 * universe_.usual_length) == 0) {
      search_for({job->anyone(), 0, ~0ULL}, false, true);
      return unlink_all(PTL_OVERFLOW_LIST);
    }
    switch (draw(12)) {
      case 0:
      case 1: return append(PTL_PRIORITY_LIST);
      case 2: return append(PTL_OVERFLOW_LIST);
      case 3: return unlink_any();
      case 4: return search_for(draw_criteria(), draw(2) == 0, draw(2) == 0);
      default: return arrive();
    }
  }

  // Compares the events so far and the registers.
  void expect_same() {
    std::vector<Told> found;
    for (const ptl_event_t& event : take(kTarget)) found.push_back(told_by(event));
    ASSERT_EQ(found, std::exchange(expected_, {}));
    ASSERT_EQ(drops(kTarget), dropped_);
    ASSERT_EQ(status(kTarget, PTL_SR_OPERATION_VIOLATIONS), violations_);
  }
  // Which events a run has seen, so that no run passes without any.
  std::array<std::size_t, PTL_EVENT_SEARCH + 1> seen{};

 private:
  using Entries = std::list<PlainEntry>;

  std::size_t draw(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  template <class Value>
  Value either(Value one, Value other, std::size_t odds) {
    return draw(odds) == 0 ? one : other;
  }

  PlainCriteria draw_criteria() {
    PlainCriteria criteria{SimulatedJob4::physical_id(draw(kProcesses)), draw(universe_.bits),
                           universe_.ignored[draw(universe_.ignored.size())]};
    criteria.from.phys.nid = either<ptl_nid_t>(PTL_NID_ANY, criteria.from.phys.nid, 3);
    criteria.from.phys.pid = either<ptl_pid_t>(PTL_PID_ANY, criteria.from.phys.pid, 3);
    return criteria;
  }

  void expect(Told told) {
    ++seen[told.kind];
    expected_.push_back(told);
  }
  void expect(ptl_event_kind_t kind, const PlainEntry& entry) {
    expect(Told{.kind = kind, .user = entry.name});
  }

  void append(ptl_list_t list) {
    Entries& entries = lists_[list];
    if (entries.size() > draw(2 * universe_.usual_length)) return unlink_any();
    PlainEntry made{.name = ++last_name_, .criteria = draw_criteria()};
    // An operation that an entry does not permit is an error when it reaches that entry. For
    // unexpected messages this was decided on arrival.
    made.options = list == PTL_OVERFLOW_LIST ? either(kPut, kBoth, 8) : kBoth;
    // Persistent entries with wildcards would take all messages, so they are rare: see step().
    made.options |= either(0U, PTL_ME_USE_ONCE, list == PTL_OVERFLOW_LIST ? 4 : 12);
    made.options |= either(PTL_ME_NO_TRUNCATE, 0U, 5);
    if (draw(3) == 0) {
      made.options |= PTL_ME_MANAGE_LOCAL | either(PTL_ME_LOCAL_INC_UH_RLENGTH, 0U, 2);
      made.min_free = draw(3) * 10;
    }
    if (list == PTL_OVERFLOW_LIST) made.options |= either(PTL_ME_UNEXPECTED_HDR_DISABLE, 0U, 8);
    Bytes& memory = memories_.emplace_back(kRoom);
    made.memory = memory.data();
    const EntryRules rules{.options = made.options,
                           .list = list,
                           .from = made.criteria.from,
                           .bits = made.criteria.bits,
                           .ignore = made.criteria.ignored,
                           .min_free = made.min_free,
                           .user = reinterpret_cast<void*>(made.name)};
    ASSERT_EQ(try_append(me(memory, rules), rules, made.handle, kTarget), PTL_OK);
    if (list == PTL_PRIORITY_LIST) {
      claim_for(made);
      if (made.used_up) return stale_.push_back(made.handle);
    }
    expect(PTL_EVENT_LINK, made);
    entries.push_back(made);
  }

  void claim_for(PlainEntry& made) {
    for (auto at = headers_.begin(); at != headers_.end() && !made.used_up;) {
      const auto header = at++;
      if (!meets(made.criteria, *header) ||
          !made.fits(header->arrival.remote_offset, header->arrival.requested))
        continue;
      if (made.has(PTL_ME_LOCAL_INC_UH_RLENGTH))
        made.filled += std::min(header->arrival.requested, kRoom - made.filled);
      made.used_up = made.has(PTL_ME_USE_ONCE) ||
                     (made.has(PTL_ME_MANAGE_LOCAL) && kRoom - made.filled < made.min_free);
      tell_claimed(*header, made.name);
      forget(header);
      if (made.used_up) expect(PTL_EVENT_AUTO_UNLINK, made);
    }
  }

  static bool meets(const PlainCriteria& criteria, const PlainHeader& header) {
    return criteria.admits(header.from, header.arrival.bits);
  }

  void tell_claimed(const PlainHeader& header, std::uintptr_t user) {
    Told told = header.arrival;
    told.kind = told.kind == PTL_EVENT_PUT ? PTL_EVENT_PUT_OVERFLOW : PTL_EVENT_GET_OVERFLOW;
    told.user = user;
    expect(told);
  }

  void forget(std::list<PlainHeader>::iterator header) {
    PlainEntry& holder = *header->holder;
    headers_.erase(header);
    if (--holder.headers == 0 && holder.used_up) expect(PTL_EVENT_AUTO_FREE, holder);
  }

  void unlink_any() {
    if (draw(4) == 0 && !stale_.empty()) {
      ASSERT_EQ(unlink(stale_[draw(stale_.size())], kTarget), PTL_ARG_INVALID);
      return;
    }
    Entries& entries = lists_[draw(2)];
    if (entries.empty()) return;
    unlink_one(entries,
               std::next(entries.begin(), static_cast<std::ptrdiff_t>(draw(entries.size()))));
  }

  void unlink_all(ptl_list_t list) {
    for (auto at = lists_[list].begin(); at != lists_[list].end();) unlink_one(lists_[list], at++);
  }

  void unlink_one(Entries& entries, Entries::iterator victim) {
    ASSERT_EQ(unlink(victim->handle, kTarget), victim->headers > 0 ? PTL_IN_USE : PTL_OK);
    if (victim->headers > 0) return;
    stale_.push_back(victim->handle);
    entries.erase(victim);
  }

  void search_for(const PlainCriteria& criteria, bool once, bool takes) {
    const std::uintptr_t user = ++last_name_;
    const EntryRules rules{.options = kBoth | (once ? PTL_ME_USE_ONCE : 0),
                           .from = criteria.from,
                           .bits = criteria.bits,
                           .ignore = criteria.ignored,
                           .user = reinterpret_cast<void*>(user)};
    ASSERT_EQ(search(takes ? PTL_SEARCH_DELETE : PTL_SEARCH_ONLY, rules, kTarget), PTL_OK);
    std::size_t found = 0;
    for (auto at = headers_.begin(); at != headers_.end() && !(once && found > 0);) {
      const auto header = at++;
      if (!meets(criteria, *header)) continue;
      ++found;
      if (takes) {
        tell_claimed(*header, user);
        forget(header);
      } else {
        Told told = header->arrival;
        told.kind = PTL_EVENT_SEARCH;
        told.user = user;
        expect(told);
      }
    }
    if (found == 0)
      expect(Told{.kind = PTL_EVENT_SEARCH, .failure = PTL_NI_NO_MATCH, .user = user});
  }

  void arrive() {
    const std::size_t from = draw(kProcesses);
    const bool is_get = draw(4) == 0;
    const Call call{.to = kTarget,
                    .bits = draw(universe_.bits),
                    .offset = either<ptl_size_t>(draw(kRoom + 20), 0, 2),
                    .length = draw(data_.size() + 1),
                    .hdr_data = is_get ? 0 : ++last_number_};
    ASSERT_EQ(is_get ? get(mds_[from], call, from) : put(mds_[from], call, from), PTL_OK);
    for (const ptl_list_t list : {PTL_PRIORITY_LIST, PTL_OVERFLOW_LIST}) {
      Entries& entries = lists_[list];
      for (auto at = entries.begin(); at != entries.end(); ++at) {
        if (!at->criteria.admits(SimulatedJob4::physical_id(from), call.bits) ||
            !at->fits(call.offset, *call.length))
          continue;
        return accept(entries, at, list, from, is_get, call);
      }
    }
    ++dropped_;
  }

  void accept(Entries& entries, Entries::iterator entry, ptl_list_t list, std::size_t from,
              bool is_get, const Call& call) {
    if (is_get && !entry->has(PTL_ME_OP_GET)) {
      ++violations_;
      return;
    }
    const bool local = entry->has(PTL_ME_MANAGE_LOCAL);
    const ptl_size_t place = local ? entry->filled : call.offset;
    const ptl_size_t length = std::min(*call.length, kRoom - std::min(kRoom, place));
    const ptl_event_kind_t kind = is_get ? PTL_EVENT_GET : PTL_EVENT_PUT;
    Told told{.kind = kind,
              .user = entry->name,
              .list = list,
              .hdr_data = call.hdr_data,
              .bits = call.bits,
              .from = SimulatedJob4::physical_id(from).phys.nid,
              .requested = *call.length,
              .taken = length,
              .remote_offset = call.offset,
              .start = entry->memory + place};
    if (local) entry->filled += length;
    entry->used_up =
        entry->has(PTL_ME_USE_ONCE) || (local && kRoom - entry->filled < entry->min_free);
    expect(told);
    const bool keeps_header =
        list == PTL_OVERFLOW_LIST && !entry->has(PTL_ME_UNEXPECTED_HDR_DISABLE);
    PlainEntry* holder = &*entry;
    if (entry->used_up) {
      expect(PTL_EVENT_AUTO_UNLINK, *entry);
      stale_.push_back(entry->handle);
      // Its memory stays in use until the last header has gone.
      gone_.splice(gone_.end(), entries, entry);
      if (list == PTL_OVERFLOW_LIST && !keeps_header && holder->headers == 0)
        expect(PTL_EVENT_AUTO_FREE, *holder);
    }
    if (!keeps_header) return;
    ++holder->headers;
    headers_.push_back({told, SimulatedJob4::physical_id(from), holder});
  }

  Universe universe_;
  std::mt19937_64 random_;
  Bytes data_ = pattern(40);
  std::vector<Md> mds_;
  std::list<Bytes> memories_;
  std::array<Entries, 2> lists_;
  Entries gone_;
  std::list<PlainHeader> headers_;
  std::vector<ptl_handle_me_t> stale_;
  std::vector<Told> expected_;
  std::uintptr_t last_name_ = 0;
  ptl_hdr_data_t last_number_ = 0;
  int dropped_ = 0;
  int violations_ = 0;
};

const std::array<Universe, 4>& universes() {
  static const std::array<Universe, 4> all{{
      {"AFewEntries", 3, {0, 1}, 4},
      {"MpiMasks", 16, {0, 0, 0x3, 0xc, ~0ULL}, 40},
      {"MoreMasksThanTables", 8, {0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32}, 50},
      {"LongLists", 64, {0, 0, 0, 0, 0x7}, 150},
  }};
  return all;
}

class ListsOracle4 : public Comparison,
                     public ::testing::WithParamInterface<std::tuple<std::size_t, std::uint64_t>> {
};

TEST_P(ListsOracle4, GivesTheEventsOfPlainLists) {
  const auto [universe, seed] = GetParam();
  begin(universes()[universe], seed);
  constexpr int kSteps = kSanitized ? 3000 : 8000;
  for (int i = 0; i < kSteps; ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(step());
    ASSERT_NO_FATAL_FAILURE(expect_same());
  }
  for (const ptl_event_kind_t kind :
       {PTL_EVENT_PUT, PTL_EVENT_GET, PTL_EVENT_PUT_OVERFLOW, PTL_EVENT_GET_OVERFLOW,
        PTL_EVENT_LINK, PTL_EVENT_AUTO_UNLINK, PTL_EVENT_AUTO_FREE, PTL_EVENT_SEARCH}) {
    EXPECT_GT(seen[kind], 0U) << "event kind " << int{kind} << " never came";
  }
}

std::string test_name(const ::testing::TestParamInfo<ListsOracle4::ParamType>& instance) {
  const auto [universe, seed] = instance.param;
  return std::string(universes()[universe].name) + "Seed" + std::to_string(seed);
}
INSTANTIATE_TEST_SUITE_P(Random, ListsOracle4,
                         ::testing::Combine(::testing::Range<std::size_t>(0, universes().size()),
                                            ::testing::Values(1U, 2U, 3U)),
                         test_name);

}  // namespace
}  // namespace lintel::testing
