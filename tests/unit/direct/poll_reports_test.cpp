// What a poll() tells its sink: ended operations, and messages that have left.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <new>

#include "transport/direct/ended_operations.h"
#include "transport/direct/left_messages.h"

namespace lintel::transport {
namespace {

using Told = std::vector<std::uint64_t>;

// Keeps what it is told, then does what a test wants.
class ToldSink final : public Sink {
 public:
  Told told;
  std::function<void()> then = [] {};

  void on_message(PeerId, std::span<const std::byte>) override {}
  void on_message_left(PeerId to) override { keep(to.value); }
  void on_write_done(Context context, Error) override { keep(context.value); }
  void on_immediate(PeerId, Immediate) override {}
  void on_peer_failed(PeerId, Error) override {}

 private:
  void keep(std::uint64_t what) {
    told.push_back(what);
    then();
  }
};

class EndedOperationsTest : public ::testing::Test {
 protected:
  EndedOperationsTest() { ended.reserve(3); }
  // One that has begun and ended.
  void add(std::uint64_t context) {
    ASSERT_TRUE(ended.has_room());
    ended.begin();
    ended.add(Context(context), {});
  }

  EndedOperations ended;
  ToldSink sink;
};

TEST_F(EndedOperationsTest, EachIsToldOnceInOrder) {
  add(1);
  add(2);
  EXPECT_EQ(ended.report(sink), 2U);
  EXPECT_EQ(ended.report(sink), 0U);
  EXPECT_EQ(sink.told, (Told{1, 2}));
}

TEST_F(EndedOperationsTest, WhatEndsMeanwhileIsToldTheNextTime) {
  add(1);
  sink.then = [&] {
    if (sink.told.size() == 1) add(2);
  };
  EXPECT_EQ(ended.report(sink), 1U);
  EXPECT_EQ(ended.report(sink), 1U);
  EXPECT_EQ(sink.told, (Told{1, 2}));
}

// A peer may acknowledge one write after the other while its requests begin further ones.
TEST_F(EndedOperationsTest, NoneBeginsBeyondTheRoomUntilTheSinkIsTold) {
  for (const std::uint64_t context : {1U, 2U}) add(context);
  ended.begin();
  EXPECT_FALSE(ended.has_room()) << "two have ended, one is under way";
  ended.report(sink);
  EXPECT_TRUE(ended.has_room());
}

TEST_F(EndedOperationsTest, OneThatTheSinkHasBeenToldOfMakesRoomForOne) {
  for (const std::uint64_t context : {1U, 2U, 3U}) add(context);
  sink.then = [&] {
    EXPECT_TRUE(ended.has_room());
    ended.begin();
    EXPECT_FALSE(ended.has_room());
  };
  EXPECT_EQ(ended.report(sink), 3U);
}

TEST_F(EndedOperationsTest, ASinkWithoutMemoryIsToldTheRestTheNextTime) {
  for (const std::uint64_t context : {1U, 2U, 3U}) add(context);
  sink.then = [&] {
    if (sink.told.size() == 2) throw std::bad_alloc();
  };
  EXPECT_THROW(ended.report(sink), std::bad_alloc);
  EXPECT_EQ(ended.report(sink), 1U);
  EXPECT_EQ(sink.told, (Told{1U, 2U, 3U}));
}

class LeftMessagesTest : public ::testing::Test {
 protected:
  LeftMessagesTest() { left.reserve(2); }
  std::size_t report() {
    return left.report(sink,
                       [this](PeerId id) -> LeftMessages::OfPeer& { return peers[id.value]; });
  }
  void add(std::uint32_t peer) { left.add(PeerId(peer), peers[peer]); }

  LeftMessages left;
  std::map<std::uint32_t, LeftMessages::OfPeer> peers;
  ToldSink sink;
};

TEST_F(LeftMessagesTest, EachMessageIsToldOnce) {
  add(7);
  add(8);
  add(7);
  EXPECT_EQ(report(), 3U);
  EXPECT_EQ(sink.told, (Told{7, 7, 8}));
  EXPECT_TRUE(left.empty());
}

TEST_F(LeftMessagesTest, WhatLeavesMeanwhileIsToldTheNextTime) {
  add(7);
  sink.then = [&] {
    if (sink.told.size() == 1) add(7);
  };
  EXPECT_EQ(report(), 1U);
  EXPECT_FALSE(left.empty());
  EXPECT_EQ(report(), 1U);
}

TEST_F(LeftMessagesTest, ASinkWithoutMemoryIsToldTheRestTheNextTime) {
  for (const std::uint32_t peer : {7U, 7U, 7U, 8U}) add(peer);
  sink.then = [&] {
    if (sink.told.size() == 2) throw std::bad_alloc();
  };
  EXPECT_THROW(report(), std::bad_alloc);
  EXPECT_EQ(report(), 2U);
  EXPECT_EQ(sink.told, (Told{7, 7, 7, 8}));
}

TEST_F(LeftMessagesTest, NobodyIsToldOfAPeerThatWasGivenUp) {
  add(7);
  peers[7].count = 0;
  EXPECT_EQ(report(), 0U);
  EXPECT_TRUE(left.empty());
}

TEST_F(LeftMessagesTest, ThereIsRoomForEachPeerHoweverOftenItIsGivenUp) {
  left.reserve(1);
  for (int i = 0; i < 100; ++i) {
    add(7);
    peers[7].count = 0;
  }
  add(7);
  EXPECT_EQ(report(), 1U);
}

}  // namespace
}  // namespace lintel::transport
