#include "mpi_layer/bootstrap/pmi1_launcher.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/mpi_layer/bootstrap/scripted_launcher.h"

namespace lintel::mpi {
namespace {

using lintel::testing::ScriptedLauncher;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Pmi1LauncherTest : public ::testing::Test {
 protected:
  // Rank 1 of 2, connected.
  Launcher& open() {
    peer_.greets();
    auto opened = Pmi1Launcher::open(peer_.fd(), 1, 2);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.sentence());
    launcher_ = std::move(*opened);
    peer_.asked();
    return *launcher_;
  }
  std::string opening_fails() {
    const auto opened = Pmi1Launcher::open(peer_.fd(), 1, 2);
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? "" : opened.sentence();
  }

  ScriptedLauncher peer_;
  std::unique_ptr<Launcher> launcher_;
};

TEST_F(Pmi1LauncherTest, AsksForItsNameAndLimitsWhenItOpens) {
  peer_.greets();
  const auto opened = Pmi1Launcher::open(peer_.fd(), 1, 2);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(peer_.asked(),
            "cmd=init pmi_version=1 pmi_subversion=1\ncmd=get_maxes\ncmd=get_my_kvsname\n");
}

TEST_F(Pmi1LauncherTest, KnowsItsRankAndTheSize) {
  const Launcher& launcher = open();
  EXPECT_EQ(launcher.rank(), 1U);
  EXPECT_EQ(launcher.size(), 2U);
  EXPECT_EQ(launcher.name(), "PMI-1");
}

TEST_F(Pmi1LauncherTest, AnExchangeIsAPutABarrierAndAGetOfEachRank) {
  Launcher& launcher = open();
  peer_.says("cmd=put_result rc=0 msg=success\ncmd=barrier_out\n");
  peer_.says(
      "cmd=get_result rc=0 msg=success value=6162\ncmd=get_result rc=0 msg=success value=00ff20\n");
  auto all = launcher.exchange("card", std::string_view("\x00\xff\x20", 3));
  ASSERT_TRUE(all.ok()) << all.sentence();
  EXPECT_THAT(*all, ElementsAre("ab", std::string("\x00\xff\x20", 3)));
  EXPECT_EQ(peer_.asked(),
            "cmd=put kvsname=kvs_7 key=card-1 value=00ff20\ncmd=barrier_in\ncmd=get kvsname=kvs_7 "
            "key=card-0\ncmd=get kvsname=kvs_7 "
            "key=card-1\n");
}

TEST_F(Pmi1LauncherTest, TheLargestBlobFitsIntoALineOf1024Bytes) {
  Launcher& launcher = open();
  peer_.hangs_up();
  static_cast<void>(launcher.exchange("lintel-card", std::string(kMaxBlobBytes, 'x')).ok());
  EXPECT_LE(peer_.asked().size(), 1024U);
}

TEST_F(Pmi1LauncherTest, AnswersMayComeInPiecesOfAnyLength) {
  Launcher& launcher = open();
  std::thread dribble([this] {
    for (const char c : std::string("cmd=barrier_out\ncmd=finalize_ack\n")) {
      peer_.says({&c, 1});
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(launcher.barrier().ok());
  EXPECT_TRUE(launcher.finalize().ok());
  dribble.join();
  EXPECT_EQ(peer_.asked(), "cmd=barrier_in\ncmd=finalize\n");
}

TEST_F(Pmi1LauncherTest, AConnectionThatEndsIsASentenceNowAndLater) {
  Launcher& launcher = open();
  peer_.says("cmd=barrier");
  peer_.hangs_up();
  const auto met = launcher.barrier();
  ASSERT_FALSE(met.ok());
  EXPECT_EQ(met.sentence(), "the launcher has closed its PMI-1 connection; expected an answer");
  const auto again = launcher.finalize();
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.sentence(), met.sentence());
}

TEST_F(Pmi1LauncherTest, ALauncherThatIsGoneIsASentenceAndNoSignal) {
  auto peer = std::make_unique<ScriptedLauncher>();
  peer->greets();
  auto opened = Pmi1Launcher::open(peer->fd(), 0, 1);
  ASSERT_TRUE(opened.ok());
  peer.reset();
  const auto met = (*opened)->barrier();
  ASSERT_FALSE(met.ok());
  EXPECT_THAT(met.sentence(),
              HasSubstr("the launcher cannot be reached over PMI-1: write: Broken pipe"));
}

TEST_F(Pmi1LauncherTest, AnotherAnswerThanExpectedIsQuoted) {
  Launcher& launcher = open();
  peer_.says("cmd=put_result rc=0\n");
  const auto met = launcher.barrier();
  ASSERT_FALSE(met.ok());
  EXPECT_EQ(met.sentence(),
            "the launcher answered \"cmd=put_result rc=0\" to cmd=barrier_in over PMI-1; expected "
            "cmd=barrier_out");
}

TEST_F(Pmi1LauncherTest, ARefusalIsQuoted) {
  Launcher& launcher = open();
  peer_.says("cmd=put_result rc=-1 msg=duplicate_key card-1\n");
  const auto all = launcher.exchange("card", "x");
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.sentence(),
            "the launcher answered \"cmd=put_result rc=-1 msg=duplicate_key card-1\" to cmd=put "
            "over PMI-1; expected rc=0");
}

TEST_F(Pmi1LauncherTest, AMalformedAnswerIsQuotedWithWhatIsWrong) {
  Launcher& launcher = open();
  peer_.says("barrier_out\n");
  const auto met = launcher.barrier();
  ASSERT_FALSE(met.ok());
  EXPECT_THAT(met.sentence(), AllOf(HasSubstr("\"barrier_out\""),
                                    HasSubstr("'barrier_out' is no key with a value")));
}

TEST_F(Pmi1LauncherTest, AnAnswerWithoutEndIsGivenUp) {
  Launcher& launcher = open();
  peer_.says(std::string(kMaxPmi1LineBytes + 1, 'x'));
  const auto met = launcher.barrier();
  ASSERT_FALSE(met.ok());
  EXPECT_THAT(met.sentence(),
              HasSubstr("a line of more than 4096 bytes over PMI-1, beginning \"xxxxx"));
}

TEST_F(Pmi1LauncherTest, AValueThatNoRankCanHaveLeftNamesTheRank) {
  const std::vector<std::string> values{
      "value=6",  "value=6g", "value=",
      "value=6A", "other=66", "value=" + std::string(2 * kMaxBlobBytes + 2, '6')};
  for (const std::string& value : values) {
    ScriptedLauncher peer;
    peer.greets();
    auto opened = Pmi1Launcher::open(peer.fd(), 1, 2);
    ASSERT_TRUE(opened.ok());
    peer.says(
        "cmd=put_result rc=0\ncmd=barrier_out\ncmd=get_result rc=0 value=61\ncmd=get_result rc=0 " +
        value + "\n");
    const auto all = (*opened)->exchange("card", "x");
    ASSERT_FALSE(all.ok()) << value;
    EXPECT_THAT(all.sentence(),
                AllOf(HasSubstr(value.substr(0, 20)),
                      HasSubstr("for what rank 1 has left; expected 1 to 384 bytes")));
  }
}

TEST_F(Pmi1LauncherTest, AnotherVersionOfPmiIsRefused) {
  peer_.says("cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n");
  EXPECT_EQ(opening_fails(), "the launcher speaks PMI version 2; expected version 1");
}

TEST_F(Pmi1LauncherTest, LimitsAndANameMustBeThere) {
  peer_.says("cmd=response_to_init pmi_version=1 rc=0\ncmd=maxes kvsname_max=256\n");
  EXPECT_THAT(opening_fails(), HasSubstr("expected vallen_max with a number"));
}

TEST_F(Pmi1LauncherTest, ANameMustBeThere) {
  peer_.says(
      "cmd=response_to_init pmi_version=1 rc=0\ncmd=maxes vallen_max=1024\ncmd=my_kvsname "
      "kvsname=\n");
  EXPECT_THAT(opening_fails(), HasSubstr("expected kvsname with a name"));
}

TEST_F(Pmi1LauncherTest, ValuesThatAreTooShortForABlobAreASentence) {
  peer_.says(
      "cmd=response_to_init pmi_version=1 rc=0\ncmd=maxes vallen_max=7\ncmd=my_kvsname "
      "kvsname=k\n");
  auto opened = Pmi1Launcher::open(peer_.fd(), 1, 2);
  ASSERT_TRUE(opened.ok());
  const auto all = (*opened)->exchange("card", "four");
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.sentence(), "the launcher takes values of 7 bytes over PMI-1; expected at least 8");
}

}  // namespace
}  // namespace lintel::mpi
