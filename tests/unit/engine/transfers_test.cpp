#include "portals/engine/protocol/transfers.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "portals/engine/protocol/pending_request.h"
#include "tests/unit/engine/recording_transport.h"

namespace lintel::portals {
namespace {

class TransfersTest : public ::testing::Test {
 protected:
  static constexpr transport::PeerId kPeer{3};

  explicit TransfersTest(std::size_t most = 4, std::size_t others_memory = SIZE_MAX)
      : operations{transport, most, others_memory} {}

  Operation& begin(bool own = true) {
    kLock.is_held();
    return *operations.create(kPeer, 1, own);
  }
  // Its request goes with the CLEAR that is in `message` then.
  void clear_ahead(Operation& get) {
    kLock.is_held();
    get.request = &request;
    ASSERT_GT(transfers.clear_ahead(get, place(), 4000, message.data()), 0U);
  }
  Transfers::RegionPart place() { return {&region, 0, memory.size()}; }
  // A CLEAR for `length` bytes that lie together at the receiver.
  static wire::Clear clear_of(std::uint64_t length) {
    wire::Clear clear{};
    clear.header.payload_length = sizeof(wire::Segment);
    clear.receiver_token = 99;
    clear.length = length;
    clear.segment_count = 1;
    return clear;
  }
  // The same in so many segments.
  Transfers::Ended clear(Operation& operation, std::uint64_t length, std::size_t segments = 1,
                         std::uint8_t flags = 0) {
    kLock.is_held();
    std::vector<std::byte> bytes(segments * sizeof(wire::Segment));
    for (std::size_t index = 0; index < segments; ++index)
      wire::encode(wire::Segment{5, 1000 * (index + 1), length / segments},
                   bytes.data() + index * sizeof(wire::Segment));
    wire::Clear asked = clear_of(length);
    asked.header.flags = flags;
    asked.header.payload_length = static_cast<std::uint32_t>(bytes.size());
    asked.segment_count = static_cast<std::uint32_t>(segments);
    return transfers.clear(operation, asked, bytes);
  }
  transport::Immediate immediate_of_last_clear() {
    wire::Clear sent = wire::parse_clear(transport.sent.back().bytes);
    return transport::Immediate(sent.immediate);
  }

  std::array<std::byte, 100> memory{};
  MemoryRegion region{memory.data(), memory.size()};
  RecordingTransport transport;
  Counters counters;
  Operations operations;
  Outbox outbox{transport, operations, counters};
  Transfers transfers{transport, outbox, operations, counters};
  std::array<std::byte, Transfers::kMostClearBytes> message;
  PendingRequest request{PendingKind::kPut};
};

TEST_F(TransfersTest, ASourceWritesWhatTheReceiverClears) {
  kLock.is_held();
  Operation& operation = begin();
  transfers.begin_source(operation, place(), {});
  EXPECT_EQ(transfers.moving(1), 1U);
  EXPECT_TRUE(Transfers::may_clear(operation, clear_of(100)));
  EXPECT_FALSE(Transfers::may_clear(operation, clear_of(101)));
  clear(operation, 100);
  ASSERT_EQ(transport.posted.size(), 2U);  // of at most 64 bytes
  EXPECT_EQ(transport.posted[1].to.address, 1064U);
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kWritten});
  transfers.write_ended(transport.posted[0].context, {});
  EXPECT_EQ(transport.registered, 1U);
  transfers.write_ended(transport.posted[1].context, {});
  EXPECT_EQ(transport.registered, 0U);
  EXPECT_EQ(transfers.moving(1), 0U);
  EXPECT_EQ(operations.size(), 0U);
}

TEST_F(TransfersTest, WritesWithoutRoomArePostedLater) {
  kLock.is_held();
  Operation& operation = begin();
  transfers.begin_source(operation, place(), {});
  transport.write_room = 1;
  clear(operation, 100);
  EXPECT_TRUE(transfers.waits_for_room());
  transport.write_room = 1;
  transfers.retry();
  EXPECT_FALSE(transfers.waits_for_room());
  EXPECT_EQ(transport.posted.size(), 2U);
  transfers.fail(operation, Failure::kPeerDead);
}

TEST_F(TransfersTest, TheInitiatorHearsOfTheEndOfASourceOfItsRequest) {
  kLock.is_held();
  Operation& operation = begin();
  operation.request = &request;
  transfers.begin_source(operation, place(), {});
  clear(operation, 100);
  EXPECT_EQ(transfers.write_ended(transport.posted[0].context, {}).operation, nullptr);
  const Transfers::Ended ended =
      transfers.write_ended(transport.posted[1].context, Error(Loss::kOperation, "test", ""));
  EXPECT_EQ(ended.operation, &operation);
  EXPECT_EQ(ended.failure, Failure::kFailed);
  EXPECT_EQ(transport.take_kinds(),
            (std::vector{wire::MessageKind::kWritten, wire::MessageKind::kDiscard}));
  operation.request = nullptr;
  operations.release(operation);
}

TEST_F(TransfersTest, DataThatNobodyWantsCountAsSent) {
  kLock.is_held();
  Operation& operation = begin();
  operation.request = &request;
  transfers.begin_source(operation, place(), {});
  const Transfers::Ended ended = transfers.discarded(operation);
  EXPECT_EQ(ended.operation, &operation);
  EXPECT_EQ(ended.failure, Failure::kNone);
  operation.request = nullptr;
  operations.release(operation);
}

TEST_F(TransfersTest, ASinkIsDoneWhenAllItsWritesAreInPlace) {
  kLock.is_held();
  Operation& get = begin();
  request.kind = PendingKind::kGet;
  ASSERT_NO_FATAL_FAILURE(clear_ahead(get));
  EXPECT_EQ(transport.registered, 1U);
  const wire::Clear sent = wire::parse_clear(message);
  const transport::Immediate more(sent.immediate | 1U << 31);
  ASSERT_EQ(transfers.sink_of(get.peer, more), &get);
  EXPECT_EQ(transfers.sink_of(transport::kNoPeer, more), &get) << "the network cannot tell";
  EXPECT_EQ(transfers.sink_of(transport::PeerId(get.peer.value + 1), more), nullptr)
      << "it was not given to that peer";
  EXPECT_EQ(transfers.immediate_came(get, more).operation, nullptr);
  wire::Written written{};
  written.write_count = 2;
  EXPECT_TRUE(Transfers::may_count(get, written));
  EXPECT_EQ(transfers.written_came(get, written).operation, nullptr);
  const Transfers::Ended ended = transfers.immediate_came(get, more);
  EXPECT_EQ(ended.operation, &get);
  EXPECT_EQ(ended.landed, memory.size());
  EXPECT_EQ(transport.registered, 0U);
  EXPECT_EQ(transfers.sink_of(get.peer, more), nullptr);
  get.request = nullptr;
  operations.release(get);
}

// As where the network does not tell whose write it was.
TEST_F(TransfersTest, AGuessedImmediateNamesNoSink) {
  kLock.is_held();
  Operation& get = begin();
  ASSERT_NO_FATAL_FAILURE(clear_ahead(get));
  const std::uint32_t given = wire::parse_clear(message).immediate;
  for (unsigned bit = 0; bit < 31; ++bit)
    EXPECT_EQ(transfers.sink_of(transport::kNoPeer, transport::Immediate(given ^ (1U << bit))),
              nullptr);
  for (const std::uint32_t near : {given - 1, given + 1, given + 2})
    EXPECT_EQ(transfers.sink_of(transport::kNoPeer, transport::Immediate(near)), nullptr);
  // Numbers of an operation, which its peers know from tokens.
  for (const std::uint32_t known :
       {get.id.slot, get.id.generation, get.id.slot | get.id.generation << 19})
    EXPECT_EQ(transfers.sink_of(transport::kNoPeer, transport::Immediate(known)), nullptr);
  EXPECT_EQ(get.sink->writes_seen, 0U);
  ASSERT_EQ(transfers.sink_of(transport::kNoPeer, transport::Immediate(given)), &get);
  transfers.withdraw_clear(get);
  EXPECT_EQ(transfers.sink_of(transport::kNoPeer, transport::Immediate(given)), nullptr);
  get.request = nullptr;
  operations.release(get);
}

TEST_F(TransfersTest, AWithdrawnClearLeavesNothingRegistered) {
  kLock.is_held();
  Operation& get = begin();
  ASSERT_NO_FATAL_FAILURE(clear_ahead(get));
  transfers.withdraw_clear(get);
  EXPECT_EQ(transport.registered, 0U);
  EXPECT_EQ(transfers.moving(1), 0U);
  get.request = nullptr;
  operations.release(get);
}

TEST_F(TransfersTest, MemoryThatCannotBeRegisteredMakesNoSink) {
  kLock.is_held();
  Operation& operation = begin(false);
  transport.registers = false;
  Completion kept;
  EXPECT_FALSE(transfers.begin_sink(operation, place(), 1, kept, {}));
  EXPECT_EQ(operation.sink, nullptr);
  EXPECT_TRUE(transport.sent.empty());
  operations.release(operation);
}

TEST_F(TransfersTest, AWriteMoreThanWasToldEndsTheSinkAsFailed) {
  kLock.is_held();
  Operation& get = begin();
  ASSERT_NO_FATAL_FAILURE(clear_ahead(get));
  get.sink->writes_seen = 1;
  const Transfers::Ended ended =
      transfers.immediate_came(get, transport::Immediate(wire::parse_clear(message).immediate));
  EXPECT_EQ(ended.failure, Failure::kFailed);
  EXPECT_EQ(transport.registered, 0U);
  get.request = nullptr;
  operations.release(get);
}

// A receiver that asks for its data in many segments makes the source keep these.
class TransfersOfLittleMemory : public TransfersTest {
 protected:
  static constexpr std::size_t kSegments = 50;

  // A peer has a quarter: two places, or one and the segments of a CLEAR.
  TransfersOfLittleMemory()
      : TransfersTest(64, 4 * (OperationPlaces::kPlaceBytes + kSegments * sizeof(wire::Segment))) {}
  // What another process reads: its request began the transfer.
  Operation& begin_read() {
    kLock.is_held();
    Operation& operation = *operations.create(kPeer, 1, false);
    transfers.begin_source(operation, place(), {});
    return operation;
  }
  void clear_in(std::size_t segments, Operation& operation, std::uint64_t length) {
    kLock.is_held();
    const bool more = length < memory.size() && operation.source->cleared == 0;
    const std::uint8_t flags = more ? std::uint8_t{wire::kFlagMore} : std::uint8_t{0};
    wire::Clear asked = clear_of(length);
    asked.header.flags = flags;
    ASSERT_TRUE(Transfers::may_clear(operation, asked));
    clear(operation, length, segments, flags);
  }
  void end_writes() {
    kLock.is_held();
    for (const RecordingTransport::Posted& write : std::exchange(transport.posted, {}))
      transfers.write_ended(write.context, {});
  }
};

TEST_F(TransfersOfLittleMemory, SegmentsBeyondItsPartOfItEndTheTransfer) {
  kLock.is_held();
  Operation& first = begin_read();
  Operation& second = begin_read();
  EXPECT_EQ(operations.create(kPeer, 1, false), nullptr);
  clear_in(kSegments, first, memory.size());
  EXPECT_EQ(transport.posted.size(), 0U);
  EXPECT_EQ(transport.registered, 0U);
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kDiscard});
  clear_in(kSegments, second, memory.size());
  EXPECT_EQ(transport.posted.size(), kSegments) << "what the first took is free";
  end_writes();
  EXPECT_EQ(operations.size(), 0U);
}

TEST_F(TransfersOfLittleMemory, TheEndOfATransferGivesItBack) {
  kLock.is_held();
  for (int i = 0; i < 3; ++i) {
    clear_in(kSegments, begin_read(), memory.size());
    EXPECT_EQ(transport.posted.size(), kSegments);
    end_writes();
    clear_in(kSegments, begin_read(), memory.size());
    transfers.fail(*operations.first_with(kPeer), Failure::kPeerDead);
    transport.posted.clear();
  }
}

TEST_F(TransfersOfLittleMemory, AClearThatWaitsForTheEndOfWritesCountsToo) {
  kLock.is_held();
  Operation& refused = begin_read();
  clear_in(1, refused, 50);
  clear_in(kSegments, refused, 50);
  transport.take_kinds();
  end_writes();
  EXPECT_EQ(transport.take_kinds(), std::vector{wire::MessageKind::kDiscard});
  EXPECT_EQ(operations.size(), 0U);

  clear_in(1, begin_read(), 50);
  clear_in(kSegments / 2, *operations.first_with(kPeer), 50);
  end_writes();
  EXPECT_EQ(transport.posted.size(), kSegments / 2);
  end_writes();
  EXPECT_EQ(operations.size(), 0U);
}

// Of such rounds a receiver can make any number.
TEST_F(TransfersOfLittleMemory, TheCountsOfLaterRoundsAreAnswersThatThePeerMustRead) {
  kLock.is_held();
  Operation& own = begin();
  transfers.begin_source(own, place(), {});
  transport.message_room = 0;
  clear_in(2, own, 50);
  EXPECT_EQ(outbox.answers().kept_for(kPeer), 0U);
  end_writes();
  clear_in(2, own, 50);
  EXPECT_GT(outbox.answers().kept_for(kPeer), 0U);
  end_writes();
  outbox.take(kPeer, [](Outbox::Unsent&) {});
}

TEST_F(TransfersOfLittleMemory, OperationsOfThisProcessDoNotCount) {
  kLock.is_held();
  for (int i = 0; i < 3; ++i) transfers.begin_source(begin(), place(), {});
  clear_in(kSegments, *operations.first_with(kPeer), memory.size());
  EXPECT_EQ(transport.posted.size(), kSegments);
  while (Operation* const operation = operations.first_with(kPeer))
    transfers.fail(*operation, Failure::kPeerDead);
}

TEST_F(TransfersTest, TheEndOfALateWriteIsIgnored) {
  kLock.is_held();
  Operation& operation = begin();
  transfers.begin_source(operation, place(), {});
  clear(operation, 100);
  const transport::Context context = transport.posted[0].context;
  transfers.fail(operation, Failure::kPeerDead);
  EXPECT_EQ(transfers.write_ended(context, {}).operation, nullptr);
  EXPECT_EQ(transfers.writes_done(1), 0U);
}

// They answer nothing that the peer has asked for.
TEST_F(TransfersTest, DiscardsOfOwnTransfersAreNotAnswersThatThePeerMustRead) {
  kLock.is_held();
  for (const bool own : {true, false}) {
    Operation& operation = begin(own);
    transfers.begin_source(operation, place(), {});
    clear(operation, 100);
    transport.message_room = 0;
    transfers.notify_ending(operation);
    EXPECT_EQ(outbox.waiting(), 1U);
    EXPECT_EQ(outbox.answers().total() == 0, own);
    transfers.fail(operation, Failure::kShutdown);
    transport.message_room = 10;
    EXPECT_EQ(outbox.retry(), 1U);
  }
}

}  // namespace
}  // namespace lintel::portals
