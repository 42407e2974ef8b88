// Completions from a queue, without Portals: the queue is scripted.

#include "queued_operations.h"

#include <gtest/gtest.h>

#include <deque>

namespace lintel::perf {
namespace {

constexpr std::uint64_t kLength = 8;

struct Event {
  std::optional<CompletionKind> type;
  std::uint64_t mlength = kLength;
  int ni_fail_type = 0;
  std::uint32_t sequence = 0;
};

struct Script {
  std::deque<Event> events;
  bool freed = false;
};

// What queued_operations.h takes from an API.
struct ScriptedApi {
  using Handle = Script*;
  using EventRecord = Event;
  static constexpr int kEmpty = 1;
  static constexpr int kDropped = 2;
  static constexpr int kStopped = 3;
  static constexpr int kPeerLost = 4;
  static constexpr std::array kEvents{CompletionKind::kSend, CompletionKind::kAck,
                                      CompletionKind::kReply, CompletionKind::kPut};

  static Handle allocate(Handle script, std::uint64_t) { return script; }
  static void free(Handle script) { script->freed = true; }
  static int wait(Handle script, Event& event) {
    if (script->freed) return kStopped;
    if (script->events.empty()) throw PerfFailure(ExitCode::kFailed, "waits for ever");
    return get(script, event);
  }
  static int get(Handle script, Event& event) {
    if (script->events.empty()) return kEmpty;
    event = script->events.front();
    script->events.pop_front();
    return 0;
  }
  static void check(int code, const char* call) {
    if (code != 0) fail("{} failed: {}", call, code);
  }
  static std::uint32_t sequence_of(const Event& event) { return event.sequence; }
  static const char* name_of_event(const Event&) { return "EVENT"; }
  static const char* name_of_failure(const Event&) { return "FAILURE"; }
};

// A base, because the queue refers to it until it is freed.
struct WithScript {
  Script script;
};

class Scripted final : public WithScript, public QueuedOperations<ScriptedApi> {
 public:
  explicit Scripted(SideParameters parameters = {}) : QueuedOperations(&script, parameters) {}

  void owes(CompletionKind kind) { owe(kind); }

  std::unique_ptr<Attachment> bind(std::span<const MemoryPiece>) override { return nullptr; }
  std::unique_ptr<Attachment> expose(std::uint64_t, std::span<const MemoryPiece>, bool) override {
    return nullptr;
  }
  bool issue(MeasuredAction, const Attachment&, const Attachment*, std::uint64_t) override {
    return false;
  }
};

constexpr Event kSend{CompletionKind::kSend};
constexpr Event kAck{CompletionKind::kAck};
constexpr Event kOther{std::nullopt};

TEST(QueuedOperations, AWaitPassesOverOtherKindsAndCountsThem) {
  Scripted operations;
  operations.script.events = {kSend, kSend, kAck};
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 1), 1U);
  EXPECT_EQ(operations.count(CompletionKind::kSend), 2U);
}

TEST(QueuedOperations, AWaitTakesWhatIsThereUntilItIsEnough) {
  Scripted operations;
  operations.script.events = {kAck, kAck, kAck, kAck};
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 1, 3), 3U);
  EXPECT_EQ(operations.script.events.size(), 1U);
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 4, 9), 4U);
}

TEST(QueuedOperations, AWaitForWhatIsThereLooksAtNothing) {
  Scripted operations;
  operations.script.events = {kAck, kAck};
  operations.wait(CompletionKind::kAck, 1);
  EXPECT_EQ(operations.wait(CompletionKind::kAck, 1), 1U);
  EXPECT_EQ(operations.script.events.size(), 1U);
}

TEST(QueuedOperations, WhereOnlyArrivalsMatterThoseBetweenTwoEventsCount) {
  Scripted operations({.exposed_events = true});
  operations.script.events = {{CompletionKind::kPut, kLength, 0, 7},
                              {CompletionKind::kPut, kLength, 0, 11}};
  EXPECT_EQ(operations.wait(CompletionKind::kPut, 1), 1U);
  EXPECT_EQ(operations.wait(CompletionKind::kPut, 3), 5U);
}

TEST(QueuedOperations, AnotherLengthIsAFailure) {
  Scripted operations;
  operations.script.events = {{CompletionKind::kAck, kLength - 1}};
  EXPECT_THROW(operations.wait(CompletionKind::kAck, 1), PerfFailure);
}

TEST(QueuedOperations, AnOperationThatFailedSaysWhetherThePeerIsLost) {
  Scripted operations;
  operations.script.events = {{CompletionKind::kAck, kLength, ScriptedApi::kPeerLost},
                              {CompletionKind::kAck, kLength, ScriptedApi::kPeerLost + 1}};
  EXPECT_THROW(operations.wait(CompletionKind::kAck, 1), PeerLost);
  try {
    operations.wait(CompletionKind::kAck, 1);
    ADD_FAILURE() << "accepted";
  } catch (const PerfFailure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kFailed);
  }
}

TEST(QueuedOperations, SettlingTakesEverythingThatIsOwed) {
  Scripted operations;
  operations.owes(CompletionKind::kSend);
  operations.owes(CompletionKind::kAck);
  operations.script.events = {kAck, kSend};  // an ack may come before its send
  operations.wait(CompletionKind::kAck, 1);
  operations.settle();
  EXPECT_EQ(operations.count(CompletionKind::kSend), 1U);
  operations.settle();  // and nothing more
}

TEST(QueuedOperations, EveryEventIsProgress) {
  Scripted operations;
  operations.script.events = {kSend, kOther, kAck};
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
