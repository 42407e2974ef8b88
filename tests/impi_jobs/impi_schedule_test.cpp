// The global phases compared with the reference's text: some written by hand, and all for up to 9
// masters, executed with sends that wait for their receives.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "mpi_layer/mpi/runtime/impi_schedule.h"

namespace lintel::mpi {
namespace {

using ::testing::ElementsAre;

constexpr int kMost = 9;
constexpr int kLinear = kMost;  // as max_linear: always linear
constexpr int kTree = 0;        // never

GlobalStep to(int peer) { return {GlobalStep::StepDirection::kSend, peer}; }
GlobalStep from(int peer) { return {GlobalStep::StepDirection::kReceive, peer}; }

// Master n has rank 10 n. Rank 10 n + 1 is of the same client and no master.
struct Clients {
  explicit Clients(int count, int max_linear)
      : ranks(static_cast<std::size_t>(count)), linear(max_linear) {
    for (int number = 0; number < count; ++number)
      ranks[static_cast<std::size_t>(number)] = 10 * number;
  }
  Masters masters() const { return {ranks, linear}; }
  int count() const { return static_cast<int>(ranks.size()); }
  GlobalPhase barrier(int own) const { return barrier_phase(masters(), own); }
  GlobalPhase broadcast(int root, int own) const {
    return broadcast_phase(masters(), {root, root / 10}, own);
  }
  GlobalPhase reduction(int root, int own) const {
    return reduction_phase(masters(), {root, root / 10}, own);
  }
  // The rank that takes part for client `own`.
  static int participant(int root, int own) { return root / 10 == own ? root : 10 * own; }

  std::vector<int> ranks;
  int linear;
};

// The contributions that each rank has: the ranks that they come from, and how often.
using Knowledge = std::map<int, std::multiset<int>>;

// Executes the phases. A send waits until its receive is the other's next step. Returns false if
// they block each other. Calls `receive(to, from)` for each message.
template <class Receive>
bool carry_out(std::map<int, GlobalPhase> phases, Receive receive) {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [rank, phase] : phases) {
      if (phase.empty() || phase.front().kind != GlobalStep::StepDirection::kSend) continue;
      const int peer = phase.front().peer;
      GlobalPhase& other = phases.at(peer);
      if (other.empty() || other.front() != from(rank)) continue;
      receive(peer, rank);
      other.erase(other.begin());
      phase.erase(phase.begin());
      moved = true;
    }
  }
  return std::ranges::all_of(phases, [](const auto& entry) { return entry.second.empty(); });
}

// ---- Barrier

TEST(BarrierPhase, LinearMastersTellTheFirstAndWaitForIt) {
  const Clients clients(3, kLinear);
  EXPECT_THAT(clients.barrier(0), ElementsAre(from(10), from(20), to(10), to(20)));
  EXPECT_THAT(clients.barrier(1), ElementsAre(to(0), from(0)));
  EXPECT_THAT(clients.barrier(2), ElementsAre(to(0), from(0)));
}

TEST(BarrierPhase, TreeGathersFromTheFarthestChildAndReleasesFromTheNearest) {
  const Clients clients(5, kTree);
  EXPECT_THAT(clients.barrier(0),
              ElementsAre(from(40), from(20), from(10), to(10), to(20), to(40)));
  EXPECT_THAT(clients.barrier(1), ElementsAre(from(30), to(0), from(0), to(30)));
  EXPECT_THAT(clients.barrier(2), ElementsAre(to(0), from(0)));
  EXPECT_THAT(clients.barrier(3), ElementsAre(to(10), from(10)));
  EXPECT_THAT(clients.barrier(4), ElementsAre(to(0), from(0)));
}

TEST(BarrierPhase, NobodyLeavesBeforeAllHaveCome) {
  for (int count = 1; count <= kMost; ++count) {
    for (const int linear : {kLinear, kTree}) {
      const Clients clients(count, linear);
      std::map<int, GlobalPhase> phases;
      std::map<int, std::set<int>> reached;
      for (int own = 0; own < count; ++own) {
        phases[10 * own] = clients.barrier(own);
        reached[10 * own] = {10 * own};
      }
      EXPECT_TRUE(carry_out(phases,
                            [&](int at, int peer) {
                              reached[at].insert(reached[peer].begin(), reached[peer].end());
                            }))
          << count << " masters, linear up to " << linear;
      for (const auto& [rank, ranks] : reached)
        EXPECT_EQ(ranks.size(), static_cast<std::size_t>(count)) << rank << " of " << count;
    }
  }
}

// ---- Broadcast

TEST(BroadcastPhase, LinearRootSendsToTheMastersOfAllOtherClientsInAscendingOrder) {
  const Clients clients(4, kLinear);
  EXPECT_THAT(clients.broadcast(11, 1), ElementsAre(to(0), to(20), to(30)));
  for (const int own : {0, 2, 3}) EXPECT_THAT(clients.broadcast(11, own), ElementsAre(from(11)));
}

TEST(BroadcastPhase, TreeIsTurnedSoThatTheRootsClientIsItsRoot) {
  const Clients clients(5, kTree);
  EXPECT_THAT(clients.broadcast(20, 2), ElementsAre(to(30), to(40), to(10)));
  EXPECT_THAT(clients.broadcast(20, 3), ElementsAre(from(20), to(0)));
  EXPECT_THAT(clients.broadcast(20, 4), ElementsAre(from(20)));
  EXPECT_THAT(clients.broadcast(20, 0), ElementsAre(from(30)));
  EXPECT_THAT(clients.broadcast(20, 1), ElementsAre(from(20)));
}

TEST(BroadcastPhase, ARootThatIsNoMasterTakesItsMastersPlaceInTheTree) {
  const Clients clients(5, kTree);
  EXPECT_THAT(clients.broadcast(21, 2), ElementsAre(to(30), to(40), to(10)));
  EXPECT_THAT(clients.broadcast(21, 3), ElementsAre(from(21), to(0)));
  EXPECT_THAT(clients.broadcast(21, 0), ElementsAre(from(30)));
}

TEST(BroadcastPhase, EveryClientGetsTheMessageOnceFromOneThatHasIt) {
  for (int count = 1; count <= kMost; ++count) {
    for (const int linear : {kLinear, kTree}) {
      const Clients clients(count, linear);
      for (int root = 0; root < 10 * count; root = root % 10 == 0 ? root + 1 : root + 9) {
        std::map<int, GlobalPhase> phases;
        for (int own = 0; own < count; ++own)
          phases[Clients::participant(root, own)] = clients.broadcast(root, own);
        std::set<int> have{root};
        EXPECT_TRUE(carry_out(phases,
                              [&](int at, int peer) {
                                EXPECT_TRUE(have.contains(peer))
                                    << peer << " sends what it does not have";
                                EXPECT_TRUE(have.insert(at).second) << at << " gets it twice";
                              }))
            << count << " masters, root " << root;
        EXPECT_EQ(have.size(), static_cast<std::size_t>(count));
      }
    }
  }
}

// ---- Reduction

TEST(ReductionPhase, LinearRootReceivesFromTheMastersOfAllOtherClientsInAscendingOrder) {
  const Clients clients(4, kLinear);
  EXPECT_THAT(clients.reduction(21, 2), ElementsAre(from(0), from(10), from(30)));
  for (const int own : {0, 1, 3}) EXPECT_THAT(clients.reduction(21, own), ElementsAre(to(21)));
}

TEST(ReductionPhase, TreeCombinesTheNearestFirst) {
  const Clients clients(5, kTree);
  EXPECT_THAT(clients.reduction(20, 2), ElementsAre(from(30), from(40), from(10)));
  EXPECT_THAT(clients.reduction(20, 3), ElementsAre(to(20)));
  EXPECT_THAT(clients.reduction(20, 4), ElementsAre(from(0), to(20)));
  EXPECT_THAT(clients.reduction(20, 0), ElementsAre(to(40)));
  EXPECT_THAT(clients.reduction(20, 1), ElementsAre(to(20)));
}

TEST(ReductionPhase, ARootThatIsNoMasterTakesItsMastersPlaceInTheTree) {
  const Clients clients(5, kTree);
  EXPECT_THAT(clients.reduction(21, 2), ElementsAre(from(30), from(40), from(10)));
  EXPECT_THAT(clients.reduction(21, 1), ElementsAre(to(21)));
}

TEST(ReductionPhase, TheRootEndsWithEachClientsPartOnce) {
  for (int count = 1; count <= kMost; ++count) {
    for (const int linear : {kLinear, kTree}) {
      const Clients clients(count, linear);
      for (int root = 0; root < 10 * count; root = root % 10 == 0 ? root + 1 : root + 9) {
        std::map<int, GlobalPhase> phases;
        Knowledge parts;
        for (int own = 0; own < count; ++own) {
          phases[Clients::participant(root, own)] = clients.reduction(root, own);
          parts[Clients::participant(root, own)] = {own};
        }
        EXPECT_TRUE(carry_out(
            phases,
            [&](int at, int peer) { parts[at].insert(parts[peer].begin(), parts[peer].end()); }))
            << count << " masters, root " << root;
        std::multiset<int> all;
        for (int own = 0; own < count; ++own) all.insert(own);
        EXPECT_EQ(parts[root], all);
      }
    }
  }
}

// ---- Which

TEST(GlobalPhases, AreLinearUpToTheAgreedNumberOfMastersAndATreeBeyond) {
  EXPECT_THAT(Clients(4, 4).barrier(3), ElementsAre(to(0), from(0)));
  EXPECT_THAT(Clients(5, 4).barrier(3), ElementsAre(to(10), from(10)));
  EXPECT_THAT(Clients(4, 4).broadcast(0, 3), ElementsAre(from(0)));
  EXPECT_THAT(Clients(5, 4).broadcast(0, 3), ElementsAre(from(10)));
  EXPECT_THAT(Clients(4, 4).reduction(0, 3), ElementsAre(to(0)));
  EXPECT_THAT(Clients(5, 4).reduction(0, 3), ElementsAre(to(20)));
}

TEST(GlobalPhases, OfOneClientHaveNoSteps) {
  for (const int linear : {kLinear, kTree}) {
    EXPECT_TRUE(Clients(1, linear).barrier(0).empty());
    EXPECT_TRUE(Clients(1, linear).broadcast(1, 0).empty());
    EXPECT_TRUE(Clients(1, linear).reduction(0, 0).empty());
  }
}

}  // namespace
}  // namespace lintel::mpi
