#include "pmi1_connections.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

#include "mpi_layer/bootstrap/pmi1_line.h"

namespace lintel::run {
namespace {

// Two ranks, of which the test has the other ends.
class Pmi1ConnectionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (FileDescriptor& rank : ranks) {
      std::array<int, 2> sockets{};
      ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets.data()), 0);
      connections.add(FileDescriptor(sockets[0]));
      rank = FileDescriptor(sockets[1]);
    }
  }
  void send(std::size_t rank, const std::string& bytes) {
    ASSERT_EQ(::write(ranks[rank].get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void initialize(std::size_t rank) {
    send(rank, "cmd=init pmi_version=1 pmi_subversion=1\n");
    EXPECT_FALSE(connections.read(rank));
    received(rank);
  }
  std::string received(std::size_t rank) {
    std::array<char, 4096> bytes;
    const ssize_t got = ::read(ranks[rank].get(), bytes.data(), bytes.size());
    return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : std::string();
  }

  std::array<FileDescriptor, 2> ranks;
  Pmi1Connections connections{"job", 2};
};

TEST_F(Pmi1ConnectionsTest, ALineIsAnsweredWhenItHasAllArrived) {
  send(0, "cmd=init pmi_version=1 ");
  EXPECT_FALSE(connections.read(0));
  EXPECT_EQ(received(0), "");
  send(0, "pmi_subversion=1\n");
  EXPECT_FALSE(connections.read(0));
  EXPECT_NE(received(0), "");
  EXPECT_TRUE(connections.is_within(0));
}

TEST_F(Pmi1ConnectionsTest, TheLastAtABarrierLetsAllContinue) {
  initialize(0);
  initialize(1);
  send(0, "cmd=barrier_in\n");
  EXPECT_FALSE(connections.read(0));
  EXPECT_EQ(received(0), "");
  send(1, "cmd=barrier_in\n");
  EXPECT_FALSE(connections.read(1));
  EXPECT_NE(received(0), "");
  EXPECT_NE(received(1), "");
}

TEST_F(Pmi1ConnectionsTest, ALineThatIsTooLongEndsTheJobAndClosesTheConnection) {
  std::optional<Pmi1Connections::End> end;
  for (std::size_t sent = 0; !end && sent < 4 * mpi::kMaxPmi1LineBytes; sent += 1000) {
    send(1, std::string(1000, 'x'));
    end = connections.read(1);
  }
  ASSERT_TRUE(end);
  EXPECT_EQ(end->rank, 1U);
  EXPECT_FALSE(connections.is_open(1));
  EXPECT_TRUE(connections.is_open(0));
}

TEST_F(Pmi1ConnectionsTest, AConnectionIsAtItsEndWhenAllThatCameBeforeItWasRead) {
  initialize(0);
  send(0, "cmd=finalize\n");
  ranks[0].close();
  EXPECT_TRUE(connections.is_readable(0));
  EXPECT_FALSE(connections.is_at_end(0));
  EXPECT_FALSE(connections.read(0));
  EXPECT_TRUE(connections.is_at_end(0));
  EXPECT_FALSE(connections.is_within(0));
}

TEST_F(Pmi1ConnectionsTest, ARankThatCannotReachABarrierLeavesTheJobHanging) {
  initialize(0);
  initialize(1);
  send(0, "cmd=barrier_in\n");
  EXPECT_FALSE(connections.read(0));
  EXPECT_FALSE(connections.hanging());
  connections.on_process_end(1);
  EXPECT_TRUE(connections.hanging());
}

}  // namespace
}  // namespace lintel::run
