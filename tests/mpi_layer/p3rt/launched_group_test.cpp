// What a launcher tells about the group, and when it is released.

#include "mpi_layer/p3rt/launched_group.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace lintel::p3rt {
namespace {

using mpi::Outcome;
using mpi::Problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

mpi::BusinessCard card(std::uint32_t rank) {
  return {.lintel_version = "0.1.0",
          .wire_version = 1,
          .provider = "direct",
          .id = {NodeId(0x7f000001), Pid(30000 + rank)},
          .node = "here/1",
          .secret_part = {.bytes = {static_cast<std::uint8_t>(1U << rank)}}};
}

// What happened to the launchers of this test, and what they answer.
struct Scene {
  std::vector<std::string> calls;
  std::string open_fails, exchange_fails, finalize_fails;
};
Scene scene;

// Rank 1 of 3.
class FakeLauncher final : public mpi::Launcher {
 public:
  ~FakeLauncher() override { scene.calls.emplace_back("let go"); }
  std::string_view name() const override { return "fake"; }
  std::uint32_t rank() const override { return 1; }
  std::uint32_t size() const override { return 3; }
  Outcome<std::vector<std::string>> exchange(std::string_view, std::string_view own) override {
    scene.calls.emplace_back("exchange");
    if (!scene.exchange_fails.empty()) return Problem{scene.exchange_fails};
    return std::vector<std::string>{encode(card(0)), std::string(own), encode(card(2))};
  }
  Outcome<> barrier() override {
    scene.calls.emplace_back("barrier");
    return {};
  }
  [[noreturn]] void abort(int, std::string_view, mpi::AbortCause) override {
    throw std::logic_error("nobody aborts here");
  }
  Outcome<> finalize() override {
    scene.calls.emplace_back("finalize");
    if (!scene.finalize_fails.empty()) return Problem{scene.finalize_fails};
    return {};
  }
};

Outcome<std::unique_ptr<mpi::Launcher>> open_fake() {
  scene.calls.emplace_back("open");
  if (!scene.open_fails.empty()) return Problem{scene.open_fails};
  return std::unique_ptr<mpi::Launcher>(std::make_unique<FakeLauncher>());
}

class LaunchedGroupTest : public ::testing::Test {
 protected:
  LaunchedGroupTest() { scene = {}; }
  LaunchedGroup group_{open_fake, [](const mpi::JobSecret& secret) {
                         scene.calls.push_back("secret " + std::to_string(secret.bytes[0]));
                       }};
};

TEST_F(LaunchedGroupTest, TellsRankAndSizeAtOnceAndOpensTheLauncherOnce) {
  for (int i = 0; i < 2; ++i) {
    Outcome<ProcessGroup> told = group_.ask();
    ASSERT_TRUE(told.ok());
    EXPECT_EQ(told->rank, 1U);
    EXPECT_EQ(told->size, 3U);
    EXPECT_FALSE(told->complete());
    EXPECT_TRUE(told->of_launcher);
  }
  EXPECT_EQ(group_.known(), nullptr);
  EXPECT_THAT(scene.calls, ElementsAre("open"));
}

TEST_F(LaunchedGroupTest, LearnsAllNamesWhenAllMeetAndLetsTheLauncherGo) {
  for (int i = 0; i < 2; ++i) {
    Outcome<ProcessGroup> met = group_.exchange_names(card(1));
    ASSERT_TRUE(met.ok()) << met.sentence();
    EXPECT_EQ(met->pids, (std::vector<Pid>{Pid(30000), Pid(30001), Pid(30002)}));
    EXPECT_EQ(met->nids, (std::vector<NodeId>(3, NodeId(0x7f000001))));
  }
  ASSERT_NE(group_.known(), nullptr);
  EXPECT_TRUE(group_.known()->complete());
  // All have the secret before anybody goes on.
  EXPECT_THAT(scene.calls,
              ElementsAre("open", "exchange", "secret 7", "barrier", "finalize", "let go"));
}

TEST_F(LaunchedGroupTest, SaysTheSameSentenceAgainWhateverWentWrong) {
  scene.open_fails = "no such launcher";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(group_.ask().sentence(), "no such launcher");
  EXPECT_EQ(group_.exchange_names(card(1)).sentence(), "no such launcher");
  EXPECT_THAT(scene.calls, ElementsAre("open"));
}

TEST_F(LaunchedGroupTest, IsLostWhenTheMeetingFails) {
  scene.exchange_fails = "the launcher has closed its connection";
  EXPECT_EQ(group_.exchange_names(card(1)).sentence(), scene.exchange_fails);
  EXPECT_EQ(group_.ask().sentence(), scene.exchange_fails);
  EXPECT_EQ(group_.known(), nullptr);
}

TEST_F(LaunchedGroupTest, RefusesRanksThatDoNotFitTogether) {
  mpi::BusinessCard other = card(1);
  other.provider = "net";
  EXPECT_THAT(group_.exchange_names(other).sentence(),
              HasSubstr("rank 1 has provider net, rank 0 has provider direct"));
}

TEST_F(LaunchedGroupTest, AChildOfForkNeitherAsksItsParentsLauncherNorHasItsPid) {
  ASSERT_TRUE(group_.ask().ok());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Outcome<ProcessGroup> met = group_.exchange_names(card(1));
    ::_exit(!met.ok() && met.sentence().find("child of fork()") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(group_.exchange_names(card(1)).ok());
  const pid_t second = ::fork();
  ASSERT_GE(second, 0);
  if (second == 0)
    ::_exit(group_.known() == nullptr && group_.exchange_names(card(1)).ok() ? 0 : 1);
  ASSERT_EQ(::waitpid(second, &status, 0), second);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace lintel::p3rt
