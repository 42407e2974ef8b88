// Memory registered for writes of a peer: who may write where, and until when.
#include "transport/direct/write_targets.h"

#include <gtest/gtest.h>

#include "tests/unit/direct/stream_bytes.h"

namespace lintel::transport {
namespace {

constexpr PeerId kPeer{3};
constexpr PeerId kOther{4};

class WriteTargetsTest : public ::testing::Test {
 protected:
  WriteTargets targets;
  Bytes memory = Bytes(1000);
  StreamBuffers buffers{4096};
  InboundStream stream{{1000, 100000, 50000}, buffers};
  Registration region = targets.add(kPeer, memory);
};

TEST_F(WriteTargetsTest, AWriteGoesToItsAddressInTheMemory) {
  EXPECT_EQ(targets.begin_write(kPeer, {region.key, 200}, 800, stream), memory.data() + 200);
}

TEST_F(WriteTargetsTest, AWriteBeyondTheMemoryHasNoPlace) {
  EXPECT_EQ(targets.begin_write(kPeer, {region.key, 200}, 801, stream), nullptr);
  EXPECT_EQ(targets.begin_write(kPeer, {region.key, 1001}, 0, stream), nullptr);
  EXPECT_EQ(targets.begin_write(kPeer, {region.key, UINT64_MAX}, 2, stream), nullptr);
}

TEST_F(WriteTargetsTest, OnlyThePeerOfTheRegistrationHasAPlace) {
  EXPECT_EQ(targets.begin_write(kOther, {region.key, 0}, 1, stream), nullptr);
}

TEST_F(WriteTargetsTest, AKeyThatWasNotGivenNamesNoMemory) {
  EXPECT_EQ(targets.begin_write(kPeer, {region.key + 1, 0}, 1, stream), nullptr);
}

TEST_F(WriteTargetsTest, EachRegistrationHasAKeyAndAnIdOfItsOwn) {
  const Registration second = targets.add(kPeer, memory);
  EXPECT_NE(second.key, region.key);
  EXPECT_NE(second.id, region.id);
  EXPECT_EQ(targets.size(), 2U);
}

TEST_F(WriteTargetsTest, RemovingTellsThePeerOnce) {
  EXPECT_EQ(targets.remove(region), kPeer);
  EXPECT_EQ(targets.remove(region), kNoPeer);
  EXPECT_EQ(targets.begin_write(kPeer, {region.key, 0}, 1, stream), nullptr);
  EXPECT_EQ(targets.size(), 0U);
}

TEST_F(WriteTargetsTest, NoRegistrationIsNone) {
  EXPECT_EQ(targets.remove(Registration{}), kNoPeer);
  EXPECT_EQ(targets.size(), 1U);
}

// The sink of a stream whose writes go to the targets.
class TargetSink final : public RecordingStreamSink {
 public:
  TargetSink(WriteTargets& of, InboundStream& from) : targets_(of), stream_(from) {}
  std::byte* place_of_write(RemoteMemory where, std::size_t length) override {
    return targets_.begin_write(kPeer, where, length, stream_);
  }

 private:
  WriteTargets& targets_;
  InboundStream& stream_;
};

TEST_F(WriteTargetsTest, TheWriteThatArrivesChangesNothingAfterTheRemoval) {
  TargetSink sink(targets, stream);
  Bytes bytes;
  append_write(bytes, {region.key, 0}, Immediate(1), filled(1000, 3));
  feed(stream, sink, std::span(bytes).first(500), 500);
  const Bytes before = memory;
  targets.remove(region);
  feed(stream, sink, std::span(bytes).subspan(500), 500);
  EXPECT_EQ(memory, before);
}

TEST_F(WriteTargetsTest, AWriterThatHasEndedIsNotCut) {
  TargetSink sink(targets, stream);
  Bytes bytes;
  append_write(bytes, {region.key, 0}, Immediate(1), filled(1000, 3));
  feed(stream, sink, std::span(bytes).first(500), 500);
  targets.end_write(region.key, stream);
  targets.remove(region);
  feed(stream, sink, std::span(bytes).subspan(500), 500);
  EXPECT_EQ(memory, filled(1000, 3));
}

TEST_F(WriteTargetsTest, TheEndOfAnotherStreamLeavesTheWriter) {
  TargetSink sink(targets, stream);
  InboundStream another({1000, 100000, 50000}, buffers);
  Bytes bytes;
  append_write(bytes, {region.key, 0}, Immediate(1), filled(1000, 3));
  feed(stream, sink, std::span(bytes).first(500), 500);
  targets.end_write(region.key, another);
  targets.remove(region);
  const Bytes before = memory;
  feed(stream, sink, std::span(bytes).subspan(500), 500);
  EXPECT_EQ(memory, before);
}

}  // namespace
}  // namespace lintel::transport
