// How far each process may send ahead.

#include "mpi_layer/p2p/credit_ledger.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lintel::mpi {
namespace {

class CreditLedgerTest : public ::testing::Test {
 protected:
  using Given = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // bytes and headers

  CreditLedgerTest() {
    kLock.is_held();
    ledger.set_window({1000, 8}, 2);
    ledger.open(peer, 1);
    ledger.open(other, 2);
  }
  // What give() grants when there is room for that many bytes.
  Given give(std::uint64_t room = 2000) {
    kLock.is_held();
    Given given;
    ledger.give([&](Peer&, const Credit& credit, std::uint64_t bytes) {
      wanted = bytes;
      if (bytes > room) return false;
      given.emplace_back(credit.bytes, credit.headers);
      return true;
    });
    return given;
  }

  DeferredWork deferred_work;
  CreditLedger ledger{deferred_work};
  Peer peer;
  Peer other;
  std::uint64_t wanted = 0;  // the room that give() requested last
};

TEST_F(CreditLedgerTest, ASenderMaySpendItsWindow) {
  kLock.is_held();
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(ledger.allows_message(peer));
    ledger.spend(peer, i == 0 ? 1000 : 0);
  }
  EXPECT_FALSE(ledger.allows_message(peer));
  EXPECT_FALSE(ledger.covers(peer, 1));
  EXPECT_TRUE(ledger.covers(peer, 0));
  EXPECT_TRUE(ledger.covers(other, 1000));
}

TEST_F(CreditLedgerTest, CreditThatComesBackNeverExceedsTheWindow) {
  kLock.is_held();
  ledger.spend(peer, 600);
  ledger.receive(peer, {500, 1});
  EXPECT_TRUE(ledger.covers(peer, 900));
  EXPECT_FALSE(ledger.covers(peer, 901));
  ledger.receive(peer, {~std::uint64_t{0} - 2000, 100});
  EXPECT_TRUE(ledger.covers(peer, 1000));
  EXPECT_FALSE(ledger.covers(peer, 1001));
}

TEST_F(CreditLedgerTest, AQuarterOfTheWindowIsGivenBackAtATime) {
  kLock.is_held();
  ledger.note_arrival(249);
  ledger.owe(peer, 249);
  EXPECT_FALSE(ledger.any_due());
  EXPECT_FALSE(deferred_work.any());
  ledger.note_arrival(1);
  ledger.owe(peer, 1);
  EXPECT_TRUE(ledger.any_due());
  EXPECT_TRUE(deferred_work.any());
  EXPECT_EQ(give(), (Given{{250, 2}}));
  EXPECT_FALSE(ledger.any_due());
}

TEST_F(CreditLedgerTest, AQuarterOfTheHeadersMakesItDueToo) {
  kLock.is_held();
  ledger.owe(peer, 0);
  EXPECT_FALSE(ledger.any_due());
  ledger.owe(peer, 0);
  EXPECT_EQ(give(), (Given{{0, 2}}));
}

TEST_F(CreditLedgerTest, RoomIsAskedForAllThatSendersMayHaveUnderWay) {
  kLock.is_held();
  ledger.note_arrival(800);
  ledger.owe(peer, 300);
  EXPECT_EQ(give(), (Given{{300, 1}}));
  EXPECT_EQ(wanted, 2000U - 800U + 300U);
}

TEST_F(CreditLedgerTest, WithoutRoomItStaysDue) {
  kLock.is_held();
  ledger.note_arrival(500);
  ledger.owe(peer, 500);
  EXPECT_TRUE(give(1999).empty());
  EXPECT_TRUE(ledger.any_due());
  EXPECT_EQ(give(2000), (Given{{500, 1}}));
}

TEST_F(CreditLedgerTest, ALostPeerIsGivenNone) {
  kLock.is_held();
  ledger.owe(peer, 500);
  peer.lost = true;
  EXPECT_TRUE(give().empty());
  EXPECT_FALSE(ledger.any_due());
}

}  // namespace
}  // namespace lintel::mpi
