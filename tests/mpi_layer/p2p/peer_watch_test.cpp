// First contact, and which peers are watched.

#include "mpi_layer/p2p/peer_watch.h"

#include "tests/mpi_layer/p2p/parts_fixture.h"

namespace lintel::testing {
namespace {

using PeerWatchPart = PartsTest;

TEST_F(PeerWatchPart, AWaitForAPeerThatWasNeverMetGreetsItAfterAWhile) {
  kLock.is_held();
  EXPECT_TRUE(here.watch.contact_if_due(*here.peer));
  processes.run(kContactAfter / 2);
  EXPECT_TRUE(here.watch.contact_if_due(*here.peer));
  EXPECT_FALSE(here.peer->has_session());
  processes.run(kContactAfter);
  EXPECT_FALSE(here.watch.contact_if_due(*here.peer));
  EXPECT_TRUE(here.peer->has_session());
  settle();
  EXPECT_EQ(there.take_events().size(), 1U);
}

TEST_F(PeerWatchPart, APeerThatIsMetOrLostIsNotSought) {
  kLock.is_held();
  here.peer->numbers.note_arrival(1);
  EXPECT_FALSE(here.watch.contact_if_due(*here.peer));
  there.peer->lost = true;
  EXPECT_FALSE(there.watch.contact_if_due(*there.peer));
}

TEST_F(PeerWatchPart, AWatchedPeerWithoutContactIsContacted) {
  kLock.is_held();
  here.watch.watch(*here.peer);
  here.watch.contact_all_due();
  processes.run(2 * kContactAfter);
  here.watch.contact_all_due();
  EXPECT_TRUE(here.peer->has_session());
}

TEST_F(PeerWatchPart, WatchesNestAndAProbeCountsOnce) {
  kLock.is_held();
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
  kLock.is_held();
  here.peer->outside = true;
  here.watch.watch(*here.peer);
  EXPECT_EQ(here.peer->watch.watchers, 0U);
  EXPECT_FALSE(here.watch.contact_if_due(*here.peer));
}

}  // namespace
}  // namespace lintel::testing
