#include "pmi1_server.h"

#include <gmock/gmock.h>

namespace lintel::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Pmi1ServerTest : public ::testing::Test {
 protected:
  explicit Pmi1ServerTest(std::size_t ranks = 3) : server_("job", ranks) {
    for (std::size_t rank = 0; rank < ranks; ++rank)
      says(rank, "cmd=init pmi_version=1 pmi_subversion=1");
  }
  // The answer to that rank. No other rank may get one.
  std::string says(std::size_t rank, const std::string& line) {
    std::vector<Pmi1Server::PmiAnswer> answers;
    const auto end = server_.take(rank, line, answers);
    EXPECT_FALSE(end.has_value()) << line << ": " << end->reason;
    if (answers.empty()) return "";
    EXPECT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers.front().rank, rank);
    return answers.front().line;
  }
  Pmi1Server::End ends(std::size_t rank, const std::string& line) {
    std::vector<Pmi1Server::PmiAnswer> answers;
    const auto end = server_.take(rank, line, answers);
    EXPECT_TRUE(end.has_value()) << line;
    EXPECT_TRUE(answers.empty());
    return end.value_or(Pmi1Server::End{});
  }

  Pmi1Server server_;
};

TEST_F(Pmi1ServerTest, AnswersWhatAProcessAsksAtItsStart) {
  EXPECT_EQ(says(0, "cmd=init pmi_version=1 pmi_subversion=1"),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
  EXPECT_EQ(says(0, "cmd=get_maxes"), "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n");
  EXPECT_EQ(says(0, "cmd=get_appnum"), "cmd=appnum appnum=0\n");
  EXPECT_EQ(says(0, "cmd=get_universe_size"), "cmd=universe_size size=3\n");
  EXPECT_EQ(says(0, "cmd=get_my_kvsname"), "cmd=my_kvsname kvsname=job\n");
  EXPECT_EQ(says(0, "cmd=finalize"), "cmd=finalize_ack\n");
}

TEST_F(Pmi1ServerTest, WhatOneRankPutsAnotherGets) {
  EXPECT_EQ(says(0, "cmd=put kvsname=job key=k value=v=1"), "cmd=put_result rc=0 msg=success\n");
  EXPECT_EQ(says(2, "cmd=get kvsname=job key=k"), "cmd=get_result rc=0 value=v=1\n");
}

TEST_F(Pmi1ServerTest, AKeyThatNobodyHasPutIsAnAnswer) {
  EXPECT_EQ(says(0, "cmd=get kvsname=job key=k"), "cmd=get_result rc=-1 msg=no such key\n");
}

TEST_F(Pmi1ServerTest, TheMappingOfRanksToNodesIsThere) {
  EXPECT_EQ(says(0, "cmd=get kvsname=job key=PMI_process_mapping"),
            "cmd=get_result rc=0 value=(vector,(0,1,3))\n");
}

TEST_F(Pmi1ServerTest, WhatCannotBePutIsRefused) {
  const auto refused = [&](const std::string& rest) {
    EXPECT_THAT(says(0, "cmd=put " + rest), StartsWith("cmd=put_result rc=-1 msg=")) << rest;
  };
  refused("kvsname=other key=k value=v");
  refused("key=k value=v");
  refused("kvsname=job value=v");
  refused("kvsname=job key= value=v");
  refused("kvsname=job key=k");
  refused("kvsname=job key=" + std::string(65, 'k') + " value=v");
  refused("kvsname=job key=k value=" + std::string(1025, 'v'));
  says(1, "cmd=put kvsname=job key=k value=v");
  refused("kvsname=job key=k value=w");
  EXPECT_EQ(says(0, "cmd=get kvsname=job key=k"), "cmd=get_result rc=0 value=v\n");
}

TEST_F(Pmi1ServerTest, WhatARankMayStoreIsBounded) {
  const auto put = [&](std::size_t rank, int key) {
    return says(rank, "cmd=put kvsname=job key=r" + std::to_string(rank) + "-" +
                          std::to_string(key) + " value=" + std::string(1024, 'v'));
  };
  int key = 0;
  while (put(0, key) == "cmd=put_result rc=0 msg=success\n") ASSERT_LT(++key, 2000);
  EXPECT_GT(key, 1000);
  EXPECT_EQ(put(1, 0), "cmd=put_result rc=0 msg=success\n");
}

TEST_F(Pmi1ServerTest, ABarrierIsLeftWhenAllHaveCome) {
  EXPECT_EQ(says(2, "cmd=barrier_in"), "");
  EXPECT_EQ(says(0, "cmd=barrier_in"), "");
  std::vector<Pmi1Server::PmiAnswer> answers;
  EXPECT_FALSE(server_.take(1, "cmd=barrier_in", answers).has_value());
  std::vector<std::size_t> ranks;
  for (const auto& answer : answers) {
    ranks.push_back(answer.rank);
    EXPECT_EQ(answer.line, "cmd=barrier_out\n");
  }
  EXPECT_THAT(ranks, ElementsAre(0, 1, 2));
  EXPECT_EQ(says(1, "cmd=barrier_in"), "") << "the next one begins anew";
}

TEST_F(Pmi1ServerTest, AnAbortEndsTheJobWithItsExitCode) {
  const auto end = ends(1, "cmd=abort exitcode=7");
  EXPECT_EQ(end.rank, 1U);
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.reason, "aborted the job with exit code 7");
  EXPECT_EQ(ends(1, "cmd=abort exitcode=9 message=out of memory").reason,
            "aborted the job with exit code 9: out of memory");
  EXPECT_EQ(ends(1, "cmd=abort exitcode=0").exit_code, 1) << "an abort is no success";
  EXPECT_EQ(ends(1, "cmd=abort").exit_code, 1);
}

TEST_F(Pmi1ServerTest, WhatIsNotProvidedOrNotUnderstoodEndsTheJob) {
  EXPECT_THAT(ends(1, "cmd=publish_name service=s port=p").reason,
              HasSubstr("sent cmd=publish_name over PMI-1, which lintel-run does not provide"));
  EXPECT_THAT(ends(1, "mcmd=spawn").reason,
              HasSubstr("sent \"mcmd=spawn\" over PMI-1: it names no command"));
}

TEST_F(Pmi1ServerTest, WhatComesOutOfTurnEndsTheJob) {
  Pmi1Server fresh("job", 2);
  std::vector<Pmi1Server::PmiAnswer> answers;
  const auto early = fresh.take(0, "cmd=barrier_in", answers);
  ASSERT_TRUE(early.has_value());
  EXPECT_EQ(early->reason, "sent cmd=barrier_in before cmd=init over PMI-1");
  says(0, "cmd=finalize");
  EXPECT_EQ(ends(0, "cmd=get_maxes").reason, "sent cmd=get_maxes after cmd=finalize over PMI-1");
  says(1, "cmd=barrier_in");
  EXPECT_EQ(ends(1, "cmd=barrier_in").reason,
            "sent cmd=barrier_in before the answer to cmd=barrier_in over PMI-1");
}

TEST_F(Pmi1ServerTest, AnotherVersionIsRefused) {
  EXPECT_EQ(says(0, "cmd=init pmi_version=2 pmi_subversion=0"),
            "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n");
}

TEST_F(Pmi1ServerTest, AJobHangsWhenSomeoneWaitsForARankThatIsGone) {
  server_.leave(1);
  EXPECT_FALSE(server_.hanging().has_value()) << "nobody waits";
  says(2, "cmd=barrier_in");
  ASSERT_TRUE(server_.hanging().has_value());
  EXPECT_EQ(server_.hanging()->rank, 1U);
  EXPECT_EQ(server_.hanging()->reason,
            "left PMI without finalizing it while rank 2 waits at a barrier");
}

TEST_F(Pmi1ServerTest, AJobHangsWhenSomeoneWaitsForARankThatHasFinalized) {
  says(2, "cmd=barrier_in");
  EXPECT_FALSE(server_.hanging().has_value());
  says(0, "cmd=finalize");
  ASSERT_TRUE(server_.hanging().has_value());
  EXPECT_EQ(server_.hanging()->reason, "has finalized PMI while rank 2 waits at a barrier");
}

}  // namespace
}  // namespace lintel::run
