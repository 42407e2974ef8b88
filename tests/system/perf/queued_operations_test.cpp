// Completions from a queue, without Portals: the queue is scripted.

#include "queued_operations.h"

#include <gtest/gtest.h>

#include <deque>

namespace lintel::perf {
namespace {

class Script {
 public:
  std::deque<Taken> events;
  std::string stopped;

  Taken wait() {
    if (!stopped.empty()) throw PeerLost(stopped);
    if (events.empty()) throw Failure(ExitCode::kFailed, "waits for ever");
    return *poll();
  }
  std::optional<Taken> poll() {
    if (events.empty()) return std::nullopt;
    const Taken taken = events.front();
    events.pop_front();
    return taken;
  }
  void stop(const std::string& reason) { stopped = reason; }
};

class Scripted final : public QueuedOperations<Script> {
 public:
  Script& script() { return queue_; }
  void owes(Moment moment) { owe(moment); }

  std::unique_ptr<Attachment> bind(std::span<const Piece>) override { return nullptr; }
  std::unique_ptr<Attachment> expose(Place, std::span<const Piece>, bool) override {
    return nullptr;
  }
  bool issue(Action, const Attachment&, const Attachment*, Place) override { return false; }
};

constexpr Taken kSend{Moment::kSent, 1};
constexpr Taken kAck{Moment::kAcked, 1};

TEST(QueuedOperations, AWaitPassesOverOtherMomentsAndCountsThem) {
  Scripted operations;
  operations.script().events = {kSend, kSend, kAck};
  EXPECT_EQ(operations.wait(Moment::kAcked, 1), 1U);
  EXPECT_EQ(operations.count(Moment::kSent), 2U);
}

TEST(QueuedOperations, AWaitTakesWhatIsThereUntilItIsEnough) {
  Scripted operations;
  operations.script().events = {kAck, kAck, kAck, kAck};
  EXPECT_EQ(operations.wait(Moment::kAcked, 1, 3), 3U);
  EXPECT_EQ(operations.script().events.size(), 1U);
  EXPECT_EQ(operations.wait(Moment::kAcked, 4, 9), 4U);
}

TEST(QueuedOperations, AWaitForWhatIsThereLooksAtNothing) {
  Scripted operations;
  operations.script().events = {kAck, kAck};
  operations.wait(Moment::kAcked, 1);
  EXPECT_EQ(operations.wait(Moment::kAcked, 1), 1U);
  EXPECT_EQ(operations.script().events.size(), 1U);
}

TEST(QueuedOperations, OneEventMayTellOfSeveral) {
  Scripted operations;
  operations.script().events = {{Moment::kArrived, 5}};
  EXPECT_EQ(operations.wait(Moment::kArrived, 3), 5U);
}

TEST(QueuedOperations, SettlingTakesEverythingThatIsOwed) {
  Scripted operations;
  operations.owes(Moment::kSent);
  operations.owes(Moment::kAcked);
  operations.script().events = {kAck, kSend};  // an ack may come before its send
  operations.wait(Moment::kAcked, 1);
  operations.settle();
  EXPECT_EQ(operations.count(Moment::kSent), 1U);
  operations.settle();  // and nothing more
}

TEST(QueuedOperations, EveryEventIsProgress) {
  Scripted operations;
  operations.script().events = {kSend, {}, kAck};
  operations.wait(Moment::kAcked, 1);
  EXPECT_EQ(operations.seen(), 3U);
}

TEST(QueuedOperations, AStopEndsTheWait) {
  Scripted operations;
  operations.stop("the other process died");
  EXPECT_THROW(operations.wait(Moment::kAcked, 1), PeerLost);
  operations.owes(Moment::kReplied);
  EXPECT_THROW(operations.settle(), PeerLost);
}

}  // namespace
}  // namespace lintel::perf
