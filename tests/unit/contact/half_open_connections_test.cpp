// Connections whose peer has not identified itself yet: how many are kept, and for how long. Tests
// pass the time as an argument.
#include "transport/contact/half_open_connections.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

using std::chrono::seconds;

constexpr TimePoint at(Nanoseconds since_start) { return TimePoint{1000000000} + since_start; }

TEST(HalfOpenConnectionsTest, TheOldestMakesRoomAtTheLimit) {
  HalfOpenConnections connections(2, seconds(3));
  HalfOpenConnection first;
  HalfOpenConnection second;
  EXPECT_EQ(connections.displaced_by_next(), nullptr);
  connections.add(first, at(seconds(0)));
  EXPECT_EQ(connections.displaced_by_next(), nullptr);
  connections.add(second, at(seconds(1)));
  EXPECT_EQ(connections.displaced_by_next(), &first);
  connections.remove(first);
  EXPECT_EQ(connections.displaced_by_next(), nullptr);
}

TEST(HalfOpenConnectionsTest, AConnectionThatSendsNothingForTheTimeoutIsOverdue) {
  HalfOpenConnections connections(2, seconds(3));
  HalfOpenConnection first;
  HalfOpenConnection second;
  EXPECT_EQ(connections.next_deadline(), kNever);
  connections.add(first, at(seconds(0)));
  connections.add(second, at(seconds(1)));
  EXPECT_EQ(connections.next_deadline(), at(seconds(3)));
  EXPECT_EQ(connections.overdue(at(seconds(2))), nullptr);
  EXPECT_EQ(connections.overdue(at(seconds(3))), &first);
  connections.remove(first);
  EXPECT_EQ(connections.overdue(at(seconds(3))), nullptr);
  EXPECT_EQ(connections.next_deadline(), at(seconds(4)));
}

TEST(HalfOpenConnectionsTest, AConnectionIsRemovedOnce) {
  HalfOpenConnections connections(1, seconds(3));
  HalfOpenConnection connection;
  connections.remove(connection);
  connections.add(connection, at(seconds(0)));
  connections.remove(connection);
  connections.remove(connection);
  connections.add(connection, at(seconds(1)));
  EXPECT_EQ(connections.displaced_by_next(), &connection);
}

}  // namespace
}  // namespace lintel::transport
