// A peer that sends requests and reads no answers: what it makes the target keep has a limit.

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
}

TEST_F(UnreadAnswers, APeerThatReadsThemMaySendAsManyRequestsAsItWants) {
  RawPeer peer(*job);
  for (int i = 0; i < 400; ++i) peer.send(1, peer.request(MessageKind::kGet, job->id(1), 8));
  EXPECT_EQ(given_up(), 0U);
}

}  // namespace
}  // namespace lintel::testing
