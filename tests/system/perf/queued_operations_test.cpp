// Completions from a queue, without Portals: the queue is scripted.

#include "queued_operations.h"

#include <gtest/gtest.h>

#include <deque>

namespace lintel::perf {
namespace {

class Script {
 public:
  std::deque<Completions> events;
  std::string stopped;

  Completions wait() {
    if (!stopped.empty()) throw PeerLost(stopped);
    if (events.empty()) throw Failure(ExitCode::kFailed, "waits for ever");
    return *poll();
  }
  std::optional<Completions> poll() {
    if (events.empty()) return std::nullopt;
    const Completions completions = events.front();
    events.pop_front();
    return completions;
  }
  void stop(const std::string& reason) { stopped = reason; }
};

class Scripted final : public QueuedOperations<Script> {
 public:
  Script& script() { return queue_; }
  void owes(EventKind kind) { owe(kind); }

  std::unique_ptr<Attachment> bind(std::span<const Piece>) override { return nullptr; }
  std::unique_ptr<Attachment> expose(std::uint64_t, std::span<const Piece>, bool) override {
    return nullptr;
  }
  bool issue(Action, const Attachment&, const Attachment*, std::uint64_t) override { return false; }
};

constexpr Completions kSend{EventKind::kSend, 1};
constexpr Completions kAck{EventKind::kAck, 1};

TEST(QueuedOperations, AWaitPassesOverOtherKindsAndCountsThem) {
  Scripted operations;
  operations.script().events = {kSend, kSend, kAck};
  EXPECT_EQ(operations.wait(EventKind::kAck, 1), 1U);
  EXPECT_EQ(operations.count(EventKind::kSend), 2U);
}

TEST(QueuedOperations, AWaitTakesWhatIsThereUntilItIsEnough) {
  Scripted operations;
  operations.script().events = {kAck, kAck, kAck, kAck};
  EXPECT_EQ(operations.wait(EventKind::kAck, 1, 3), 3U);
  EXPECT_EQ(operations.script().events.size(), 1U);
  EXPECT_EQ(operations.wait(EventKind::kAck, 4, 9), 4U);
}

TEST(QueuedOperations, AWaitForWhatIsThereLooksAtNothing) {
  Scripted operations;
  operations.script().events = {kAck, kAck};
  operations.wait(EventKind::kAck, 1);
  EXPECT_EQ(operations.wait(EventKind::kAck, 1), 1U);
  EXPECT_EQ(operations.script().events.size(), 1U);
}

TEST(QueuedOperations, OneEventMayTellOfSeveral) {
  Scripted operations;
  operations.script().events = {{EventKind::kPut, 5}};
  EXPECT_EQ(operations.wait(EventKind::kPut, 3), 5U);
}

TEST(QueuedOperations, SettlingTakesEverythingThatIsOwed) {
  Scripted operations;
  operations.owes(EventKind::kSend);
  operations.owes(EventKind::kAck);
  operations.script().events = {kAck, kSend};  // an ack may come before its send
  operations.wait(EventKind::kAck, 1);
  operations.settle();
  EXPECT_EQ(operations.count(EventKind::kSend), 1U);
  operations.settle();  // and nothing more
}

TEST(QueuedOperations, EveryEventIsProgress) {
  Scripted operations;
  operations.script().events = {kSend, {}, kAck};
  operations.wait(EventKind::kAck, 1);
  EXPECT_EQ(operations.seen(), 3U);
}

TEST(QueuedOperations, AStopEndsTheWait) {
  Scripted operations;
  operations.stop("the other process died");
  EXPECT_THROW(operations.wait(EventKind::kAck, 1), PeerLost);
  operations.owes(EventKind::kReply);
  EXPECT_THROW(operations.settle(), PeerLost);
}

}  // namespace
}  // namespace lintel::perf
