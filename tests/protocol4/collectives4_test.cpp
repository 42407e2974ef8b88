// Section 3.16: collective operations of many processes made of triggered operations only. After
// the set-up and one increment of a counter in each process that enters, no process calls anything.
// They only poll, as a progress thread would.

#include <algorithm>
#include <bit>

#include "tests/protocol4/atomic_numbers.h"
#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

struct Job4 {
  std::size_t processes;
  unsigned interface;
  std::uint64_t seed;
};

void PrintTo(const Job4& job, std::ostream* out) {
  *out << job.processes << " processes, interface " << job.interface << ", seed " << job.seed;
}

class Collectives4 : public Portals4Test, public ::testing::WithParamInterface<Job4> {
 protected:
  Collectives4() { begin(); }
  void begin() {
    JobOptions4 options{.processes = GetParam().processes, .interface = GetParam().interface};
    options.network.seed = GetParam().seed;
    start(options);
  }
  // An entry that counts its messages and logs no events. Non-matching interfaces have no match
  // bits, so each entry gets a portal of its own there.
  ptl_handle_ct_t counted(Bytes& region, ptl_pt_index_t slot, std::size_t rank) {
    ptl_pt_index_t portal = slot;
    if (slot != kPortal) {
      EXPECT_EQ(allocate_portal(0, slot, portal, rank), PTL_OK);
    }
    const ptl_handle_ct_t ct = counter(rank);
    append(region,
           {.options =
                kPut | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_LINK_DISABLE,
            .counter = ct,
            .portal = slot},
           rank);
    return ct;
  }
  // Increments counter `to` when `from` reaches the threshold.
  void pass_on(ptl_handle_ct_t from, ptl_size_t threshold, ptl_handle_ct_t to, std::size_t rank) {
    job->as(rank);
    EXPECT_EQ(PtlTriggeredCTInc(to, {1, 0}, from, threshold), PTL_OK);
    job->as(0);
  }
  static std::vector<std::size_t> children(std::size_t rank, std::size_t processes) {
    std::vector<std::size_t> all;
    for (std::size_t child = 2 * rank + 1; child <= 2 * rank + 2 && child < processes; ++child)
      all.push_back(child);
    return all;
  }
  const std::size_t n = GetParam().processes;
};

INSTANTIATE_TEST_SUITE_P(All, Collectives4,
                         ::testing::Values(Job4{1, PTL_NI_MATCHING | PTL_NI_PHYSICAL, 1},
                                           Job4{2, PTL_NI_MATCHING | PTL_NI_PHYSICAL, 2},
                                           Job4{7, PTL_NI_MATCHING | PTL_NI_PHYSICAL, 3},
                                           Job4{8, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL, 4},
                                           Job4{8, PTL_NI_MATCHING | PTL_NI_LOGICAL, 5},
                                           Job4{13, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, 6},
                                           Job4{16, PTL_NI_MATCHING | PTL_NI_LOGICAL, 7}));

TEST_P(Collectives4, BroadcastThroughATree) {
  for (const std::size_t length : {std::size_t{8}, std::size_t{1024}, std::size_t{30000}}) {
    begin();
    std::vector<Bytes> region(n, Bytes(length));
    std::vector<ptl_handle_ct_t> came;
    for (std::size_t rank = 0; rank < n; ++rank) {
      came.push_back(counted(region[rank], kPortal, rank));
      const Md md = bind(region[rank], {.quiet = true}, rank);
      for (const std::size_t child : children(rank, n)) {
        ASSERT_EQ(post_put(md, {.to = child, .trigger = Trigger{came[rank], 1}}, rank), PTL_OK);
      }
    }
    std::ranges::copy(pattern(length), region[0].begin());
    ASSERT_EQ(increment(came[0], {1, 0}, 0), PTL_OK);
    job->settle(10s);
    for (std::size_t rank = 0; rank < n; ++rank) {
      EXPECT_EQ(region[rank], pattern(length)) << "rank " << rank;
      EXPECT_EQ(count(came[rank], rank), "1+0");
    }
  }
}

// In round k each process tells the one 2^k further that it has entered, or has heard from those
// behind it. No process leaves before the last has entered.
TEST_P(Collectives4, BarrierByDissemination) {
  const auto rounds = static_cast<ptl_pt_index_t>(std::bit_width(n - 1));
  Bytes nothing;
  std::vector<ptl_handle_ct_t> entered, through;
  for (std::size_t rank = 0; rank < n; ++rank) {
    ptl_handle_ct_t stage = counter(rank);
    entered.push_back(stage);
    const Md md = bind(nothing, {.quiet = true}, rank);
    for (ptl_pt_index_t k = 0; k < rounds; ++k) {
      // entered; or the last round's message sent and received
      const ptl_size_t complete = k == 0 ? 1 : 2;
      const std::size_t peer = (rank + (std::size_t{1} << k)) % n;
      ASSERT_EQ(post_put(md, {.to = peer, .portal = k, .trigger = Trigger{stage, complete}}, rank),
                PTL_OK);
      const ptl_handle_ct_t next = counter(rank);
      pass_on(stage, complete, next, rank);
      pass_on(counted(nothing, k, rank), 1, next, rank);
      stage = next;
    }
    through.push_back(stage);
  }
  const std::string done = rounds == 0 ? "1+0" : "2+0";
  // They enter one by one, in any order.
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t rank = 0; rank < n; ++rank)
      EXPECT_NE(count(through[rank], rank), done) << rank << " after " << i;
    const std::size_t rank = (i + n / 2) % n;
    ASSERT_EQ(increment(entered[rank], {1, 0}, rank), PTL_OK);
  }
  job->settle(10s);
  for (std::size_t rank = 0; rank < n; ++rank) EXPECT_EQ(count(through[rank], rank), done) << rank;
}

// Sums go up a tree: a process adds its vector to its parent's when it has entered and all its
// children have added theirs.
TEST_P(Collectives4, ReductionThroughATree) {
  constexpr std::size_t kWords = 16;
  std::vector<Bytes> sums(n, Bytes(8 * kWords));
  std::vector<ptl_handle_ct_t> ready;
  for (std::size_t rank = 0; rank < n; ++rank) {
    ready.push_back(counted(sums[rank], kPortal, rank));
    if (rank == 0) continue;
    const Md md = bind(sums[rank], {.quiet = true}, rank);
    const Trigger when{ready[rank], children(rank, n).size() + 1};
    ASSERT_EQ(post_atomic(md, PTL_SUM, PTL_INT64_T, {.to = (rank - 1) / 2, .trigger = when}, rank),
              PTL_OK);
  }
  for (std::size_t rank = 0; rank < n; ++rank)
    encode(PTL_INT64_T, std::vector<int>(kWords, static_cast<int>(rank) + 1), sums[rank]);
  for (std::size_t rank = n; rank-- > 0;) {
    EXPECT_NE(count(ready[0], 0), std::to_string(children(0, n).size() + 1) + "+0")
        << "before " << rank;
    ASSERT_EQ(increment(ready[rank], {1, 0}, rank), PTL_OK);
  }
  job->settle(10s);
  EXPECT_EQ(count(ready[0], 0), std::to_string(children(0, n).size() + 1) + "+0");
  EXPECT_EQ(decode(PTL_INT64_T, sums[0], kWords),
            std::vector<int>(kWords, static_cast<int>(n * (n + 1) / 2)));
}

// Up the tree and down again, then once more with the same counters and twice the thresholds. The
// rounds must not mix.
TEST_P(Collectives4, AllreduceTwice) {
  std::vector<Bytes> sums(n, Bytes(8)), results(n, Bytes(8));
  std::vector<ptl_handle_ct_t> up, down;
  for (std::size_t rank = 0; rank < n; ++rank) {
    up.push_back(counted(sums[rank], kPortal, rank));
    down.push_back(counted(results[rank], 1, rank));
  }
  for (std::size_t rank = 0; rank < n; ++rank) {
    const Md sum = bind(sums[rank], {.quiet = true}, rank),
             result = bind(results[rank], {.quiet = true}, rank);
    for (ptl_size_t round = 1; round <= 2; ++round) {
      const Trigger all_here{up[rank], round * (children(rank, n).size() + 1)};
      if (rank > 0) {
        ASSERT_EQ(post_atomic(sum, PTL_SUM, PTL_INT64_T,
                              {.to = (rank - 1) / 2, .trigger = all_here}, rank),
                  PTL_OK);
      } else {
        ASSERT_EQ(post_put(sum, {.to = 0, .portal = 1, .trigger = all_here}, rank), PTL_OK);
      }
      for (const std::size_t child : children(rank, n)) {
        ASSERT_EQ(post_put(result,
                           {.to = child, .portal = 1, .trigger = Trigger{down[rank], round}}, rank),
                  PTL_OK);
      }
    }
  }
  for (int round = 1; round <= 2; ++round) {
    for (std::size_t rank = 0; rank < n; ++rank)
      encode(PTL_INT64_T, {round * (static_cast<int>(rank) + 1)}, sums[rank]);
    for (std::size_t rank = 0; rank < n; ++rank)
      ASSERT_EQ(increment(up[rank], {1, 0}, rank), PTL_OK);
    job->settle(10s);
    for (std::size_t rank = 0; rank < n; ++rank) {
      EXPECT_EQ(count(down[rank], rank), std::to_string(round) + "+0") << rank;
      EXPECT_EQ(decode(PTL_INT64_T, results[rank], 1),
                std::vector<int>{round * static_cast<int>(n * (n + 1) / 2)})
          << rank;
    }
  }
}

// A message that goes round without calls: each arrival forwards it, as often as was set up.
TEST_P(Collectives4, ATokenGoesRound) {
  constexpr ptl_size_t kLaps = 20;
  Bytes nothing;
  std::vector<ptl_handle_ct_t> came;
  for (std::size_t rank = 0; rank < n; ++rank) {
    came.push_back(counted(nothing, kPortal, rank));
    const Md md = bind(nothing, {.quiet = true}, rank);
    const ptl_size_t laps = rank + 1 < n ? kLaps : kLaps - 1;
    for (ptl_size_t lap = 1; lap <= laps; ++lap) {
      ASSERT_EQ(post_put(md, {.to = (rank + 1) % n, .trigger = Trigger{came[rank], lap}}, rank),
                PTL_OK);
    }
  }
  ASSERT_EQ(increment(came[0], {1, 0}, 0), PTL_OK);
  job->settle(10s);
  for (std::size_t rank = 0; rank < n; ++rank)
    EXPECT_EQ(count(came[rank], rank), std::to_string(kLaps) + "+0") << rank;
}

}  // namespace
}  // namespace lintel::testing
