#include "mpi_layer/p2p/peer_table.h"

#include <gtest/gtest.h>

namespace lintel::mpi {
namespace {

ProcessId name(std::uint32_t number) { return {NodeId(0x0a000000 + number / 3), Pid(number % 3)}; }

TEST(PeerTable, EveryPeerIsFoundByItsNumberAndByItsName) {
  kLock.is_held();
  PeerTable table;
  EXPECT_EQ(table.find(name(0)), nullptr);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(table.find(name(i)), nullptr);
    EXPECT_EQ(table.add(name(i)).number, static_cast<std::int32_t>(i));
  }
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_NE(table.find(name(i)), nullptr);
    EXPECT_EQ(table.find(name(i))->number, static_cast<std::int32_t>(i));
    EXPECT_EQ(table.at(static_cast<std::int32_t>(i)), table.find(name(i)));
  }
  EXPECT_EQ(table.find(name(1000)), nullptr);
}

TEST(PeerTable, NumbersOfNoProcessNameNoPeer) {
  kLock.is_held();
  PeerTable table;
  table.add(name(0));
  EXPECT_EQ(table.at(1), nullptr);
  EXPECT_EQ(table.at(kAnySource), nullptr);
  EXPECT_EQ(table.at(kProcNull), nullptr);
}

}  // namespace
}  // namespace lintel::mpi
