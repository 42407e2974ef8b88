// First contact, and which peers are watched.

#include "mpi_layer/p2p/peer_watch.h"

#include "tests/mpi_layer/p2p/parts_fixture.h"

namespace lintel::testing {
namespace {

using PeerWatchPart = PartsTest;

TEST_F(PeerWatchPart, AWaitForAPeerThatWasNeverMetGreetsItAfterAWhile) {
  mpi::kLock.is_held();
  EXPECT_TRUE(here.watch.seek(*here.peer));
  processes.run(kContactAfter / 2);
  EXPECT_TRUE(here.watch.seek(*here.peer));
  EXPECT_FALSE(here.peer->met());
  processes.run(kContactAfter);
  EXPECT_FALSE(here.watch.seek(*here.peer));
  EXPECT_TRUE(here.peer->met());
  settle();
  EXPECT_EQ(there.take_events().size(), 1U);
}

TEST_F(PeerWatchPart, APeerThatIsMetOrLostIsNotSought) {
  mpi::kLock.is_held();
  here.peer->numbers.note_arrival(1);
  EXPECT_FALSE(here.watch.seek(*here.peer));
  there.peer->lost = true;
  EXPECT_FALSE(there.watch.seek(*there.peer));
}

TEST_F(PeerWatchPart, AWatchedPeerWithoutContactIsContacted) {
  mpi::kLock.is_held();
  here.watch.watch(*here.peer);
  here.watch.seek_strangers();
  processes.run(2 * kContactAfter);
  here.watch.seek_strangers();
  EXPECT_TRUE(here.peer->met());
}

TEST_F(PeerWatchPart, WatchesNestAndAProbeCountsOnce) {
  mpi::kLock.is_held();
  here.watch.watch(*here.peer);
  here.watch.watch_probed(*here.peer);
  here.watch.watch_probed(*here.peer);
  EXPECT_EQ(here.peer->watch.watchers, 2U);
  here.watch.note_arrival(*here.peer);
  here.watch.note_arrival(*here.peer);
  EXPECT_EQ(here.peer->watch.watchers, 1U);
  here.watch.unwatch(*here.peer);
  EXPECT_EQ(here.peer->watch.watchers, 0U);
}

TEST_F(PeerWatchPart, AProcessOutsideIsTheGatewaysBusiness) {
  mpi::kLock.is_held();
  here.peer->outside = true;
  here.watch.watch(*here.peer);
  EXPECT_EQ(here.peer->watch.watchers, 0U);
  EXPECT_FALSE(here.watch.seek(*here.peer));
}

}  // namespace
}  // namespace lintel::testing
