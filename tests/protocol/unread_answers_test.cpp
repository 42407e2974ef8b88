// A peer that sends requests and reads no answers, or never ends what it has begun: what it makes
// the target keep has a limit, and who keeps the rules is not given up.

#include <optional>

#include "tests/protocol/raw_peer.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;

class UnreadAnswers : public ProtocolTest {
 protected:
  // Answers wait after few frames, and few of them are kept.
  UnreadAnswers()
      : job_options{
            .endpoint = {.eager_limit = 1024, .max_operations = 4096, .answer_limit = 64 << 10},
            .session = {.window_frames = 2}} {
    job.reset();
    job = std::make_unique<SimulatedJob>(job_options);
  }
  std::uint64_t given_up() const {
    return job->process(1).counters().get(Counter::kPeersOverdrawn);
  }
  JobOptions job_options;
};

TEST_F(UnreadAnswers, APeerThatReadsNoneIsGivenUp) {
  RawPeer deaf(*job);
  const portals::wire::Request refused = deaf.request(MessageKind::kGet, job->id(1), 8);
  deaf.send(1, refused);
  std::vector<std::byte> bytes(portals::wire::fixed_size(refused.header));
  portals::wire::encode(refused, bytes.data());
  deaf.stop();
  for (int i = 0; i < 3000; ++i) deaf.post_bytes(1, bytes);
  job->settle();
  EXPECT_EQ(given_up(), 1U);
  // Its answers fill two frames before the first has to wait.
  EXPECT_LT(job->process(1).counters().get(Counter::kMessagesReceived), 1000U)
      << "it is given up at its limit and not at the end of a turn";
}

TEST_F(UnreadAnswers, APeerThatReadsThemMaySendAsManyRequestsAsItWants) {
  RawPeer peer(*job);
  for (int i = 0; i < 400; ++i) peer.send(1, peer.request(MessageKind::kGet, job->id(1), 8));
  EXPECT_EQ(given_up(), 0U);
}

// The answers to all of its requests would exceed its part of the memory by far, and none of them
// can leave while requests arrive.
TEST_F(UnreadAnswers, AProcessThatReadsThemMayHaveMoreOutstandingThanAreKept) {
  constexpr std::size_t kGets = 4000;
  constexpr std::size_t kLength = 4000;
  Bytes theirs = pattern(kLength);
  Bytes ours(kLength);
  start({.endpoint = {.eager_limit = 4096, .max_operations = 1 << 16, .answer_limit = 4 << 20}});
  target(theirs, {.options = kGet | PTL_MD_MANAGE_REMOTE, .quiet = true});
  const ptl_handle_md_t md = bind(this->md(ours, {.quiet = true}, 0));
  for (std::size_t i = 0; i < kGets; ++i) ASSERT_EQ(post_get(md), PTL_OK);
  job->settle(1s);
  EXPECT_EQ(given_up(), 0U);
  EXPECT_EQ(job->process(0).counters().get(Counter::kPeerFailures), 0U);
  EXPECT_EQ(job->process(0).counters().get(Counter::kRepliesReceived), kGets);
  EXPECT_EQ(ours, theirs);
}

// The CLEAR for each put names as many pieces of memory as one can.
TEST_F(UnreadAnswers, AProcessThatReadsThemMayPutMuchIntoManyPieces) {
  constexpr std::size_t kPuts = 250;
  constexpr std::size_t kLength = 2048;
  std::vector<Bytes> pieces(portals::wire::kMostSegments, Bytes(kLength / 64));
  Bytes ours = pattern(kLength);
  start({.endpoint = {.eager_limit = 1024, .max_operations = 1 << 16, .answer_limit = 1 << 20}});
  attach(iovec_md(pieces, {.options = kPut | PTL_MD_MANAGE_REMOTE, .quiet = true}, 1));
  const ptl_handle_md_t md = bind(this->md(ours, {.quiet = true}, 0));
  for (std::size_t i = 0; i < kPuts; ++i) ASSERT_EQ(post_put(md, {.ack = true}), PTL_OK);
  job->settle(1s);
  EXPECT_EQ(given_up(), 0U);
  EXPECT_EQ(job->process(0).counters().get(Counter::kPeerFailures), 0U);
  EXPECT_EQ(job->process(0).counters().get(Counter::kAcksReceived), kPuts);
  Bytes landed;
  for (const Bytes& piece : pieces) landed.insert(landed.end(), piece.begin(), piece.end());
  EXPECT_EQ(landed, ours);
}

class UnendedOperations : public ProtocolTest {
 protected:
  static constexpr std::size_t kMost = 64;
  UnendedOperations()
      : ProtocolTest({.endpoint = {.eager_limit = 1024, .max_operations = kMost}}) {}
  std::uint64_t refused() const {
    return job->process(1).counters().get(Counter::kOperationsRefused);
  }
  // A peer announces the data of so many puts and never sends them.
  void announce() {
    silent.emplace(*job);
    for (std::size_t i = 0; i < kMost; ++i) {
      portals::wire::Request put = silent->request(MessageKind::kPut, job->id(1), memory.size());
      put.header.flags = portals::wire::kFlagAnnounced;
      put.sender_token = i + 1;
      silent->send(1, put);
    }
  }
  void expect_a_put_of_another() {
    Bytes large = pattern(memory.size());
    const ptl_handle_md_t md = source(large);
    EXPECT_EQ(put(md, {.ack = true}), PTL_OK);
    EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
    EXPECT_EQ(memory, large);
  }

  Bytes memory = Bytes(4096);
  std::optional<RawPeer> silent;
};

TEST_F(UnendedOperations, APeerThatEndsNoneLeavesRoomForTheOthers) {
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  announce();
  EXPECT_EQ(refused(), kMost - kMost / 4);
  expect_a_put_of_another();
}

TEST_F(UnendedOperations, TheMemoryForThemIsSharedToo) {
  constexpr std::size_t kFit = 16;
  start({.endpoint = {.eager_limit = 1024,
                      .max_operations = 4096,
                      .operation_limit = kFit * portals::OperationPlaces::kPlaceBytes}});
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  announce();
  EXPECT_EQ(refused(), kMost - kFit / 4);
  expect_a_put_of_another();
}

}  // namespace
}  // namespace lintel::testing
