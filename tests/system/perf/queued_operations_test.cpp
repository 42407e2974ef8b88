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
    if (events.empty()) throw PerfFailure(ExitCode::kFailed, "waits for ever");
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
  void owes(CompletionKind kind) { owe(kind); }

  std::unique_ptr<Attachment> bind(std::span<const MemoryPiece>) override { return nullptr; }
  std::unique_ptr<Attachment> expose(std::uint64_t, std::span<const MemoryPiece>, bool) override {
    return nullptr;
  }
  bool issue(MeasuredAction, const Attachment&, const Attachment*, std::uint64_t) override {
    return false;
  }
};

constexpr Completions kSend{CompletionKind::kSend, 1};
constexpr Completions kAck{CompletionKind::kAck, 1};

TEST(QueuedOperations, AWaitPassesOverOtherKindsAndCountsThem) {
  Scripted operations;
  operations.script().events = {kSend, kSend, kAck};
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 1), 1U);
  EXPECT_EQ(operations.count(CompletionKind::kSend), 2U);
}

TEST(QueuedOperations, AWaitTakesWhatIsThereUntilItIsEnough) {
  Scripted operations;
  operations.script().events = {kAck, kAck, kAck, kAck};
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 1, 3), 3U);
  EXPECT_EQ(operations.script().events.size(), 1U);
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 4, 9), 4U);
}

TEST(QueuedOperations, AWaitForWhatIsThereLooksAtNothing) {
  Scripted operations;
  operations.script().events = {kAck, kAck};
  operations.wait(CompletionKind::kAck, 1);
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 1), 1U);
  EXPECT_EQ(operations.script().events.size(), 1U);
}

TEST(QueuedOperations, OneEventMayTellOfSeveral) {
  Scripted operations;
  operations.script().events = {{CompletionKind::kPut, 5}};
  EXPECT_EQ(operations.wait(CompletionKind::kPut, 3), 5U);
}

TEST(QueuedOperations, SettlingTakesEverythingThatIsOwed) {
  Scripted operations;
  operations.owes(CompletionKind::kSend);
  operations.owes(CompletionKind::kAck);
  operations.script().events = {kAck, kSend};  // an ack may come before its send
  operations.wait(CompletionKind::kAck, 1);
  operations.settle();
  EXPECT_EQ(operations.count(CompletionKind::kSend), 1U);
  operations.settle();  // and nothing more
}

TEST(QueuedOperations, EveryEventIsProgress) {
  Scripted operations;
  operations.script().events = {kSend, {}, kAck};
  operations.wait(CompletionKind::kAck, 1);
  EXPECT_EQ(operations.seen(), 3U);
}

TEST(QueuedOperations, AStopEndsTheWait) {
  Scripted operations;
  operations.stop("the other process died");
  EXPECT_THROW(operations.wait(CompletionKind::kAck, 1), PeerLost);
  operations.owes(CompletionKind::kReply);
  EXPECT_THROW(operations.settle(), PeerLost);
}

}  // namespace
}  // namespace lintel::perf
