#include "mpi_layer/bootstrap/open_launcher.h"

#include <gmock/gmock.h>

#include "tests/mpi_layer/bootstrap/scripted_launcher.h"

namespace lintel::mpi {
namespace {

using lintel::testing::ScriptedLauncher;
using ::testing::HasSubstr;

std::string refused_variables(const LaunchVariables& variables) {
  const auto opened = open_launcher(variables);
  EXPECT_FALSE(opened.ok());
  return opened.ok() ? "" : opened.sentence();
}

TEST(OpenLauncher, NothingInTheEnvironmentIsAWorldOfOne) {
  auto opened = open_launcher({});
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->name(), "none");
  EXPECT_EQ((*opened)->size(), 1U);
}

TEST(OpenLauncher, RankAndSizeWithoutADescriptorAreNoLauncher) {
  auto opened = open_launcher({.pmi_rank = "3", .pmi_size = "4"});
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->name(), "none");
}

TEST(OpenLauncher, AProcessThatSrunHasStartedWithoutPmiIsAloneAndSaysSo) {
  ::testing::internal::CaptureStderr();
  const auto opened = open_launcher({.slurm_size = "4"});
  EXPECT_TRUE(opened.ok());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("srun has started 4 processes without --mpi=pmix or --mpi=pmi2"));
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(open_launcher({.slurm_size = "1"}).ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(OpenLauncher, ADescriptorIsPmi1) {
  const ScriptedLauncher peer;
  peer.greets();
  auto opened =
      open_launcher({.pmi_fd = std::to_string(peer.fd()), .pmi_rank = "3", .pmi_size = "4"});
  ASSERT_TRUE(opened.ok()) << opened.sentence();
  EXPECT_EQ((*opened)->name(), "PMI-1");
  EXPECT_EQ((*opened)->rank(), 3U);
  EXPECT_EQ((*opened)->size(), 4U);
}

TEST(OpenLauncher, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(refused_variables({.pmi_fd = "3"}),
            "PMI_FD is set and PMI_RANK is not; expected PMI_FD, PMI_RANK and PMI_SIZE from one "
            "launcher");
  EXPECT_EQ(refused_variables({.pmi_fd = "3", .pmi_rank = "0"}),
            "PMI_FD is set and PMI_SIZE is not; expected PMI_FD, PMI_RANK and PMI_SIZE from one "
            "launcher");
  EXPECT_EQ(refused_variables({.pmi_fd = "x", .pmi_rank = "0", .pmi_size = "1"}),
            "PMI_FD=x is not accepted: expected a number from 0 to 16777216");
  EXPECT_EQ(refused_variables({.pmi_fd = "3", .pmi_rank = "-1", .pmi_size = "1"}),
            "PMI_RANK=-1 is not accepted: expected a number from 0 to 16777216");
  EXPECT_EQ(refused_variables({.pmi_fd = "3", .pmi_rank = "0", .pmi_size = "99999999"}),
            "PMI_SIZE=99999999 is not accepted: expected a number from 0 to 16777216");
  EXPECT_EQ(refused_variables({.pmi_fd = "3", .pmi_rank = "4", .pmi_size = "4"}),
            "PMI_RANK=4 is not below PMI_SIZE=4; expected both from one launcher");
}

TEST(OpenLauncher, ADescriptorThatIsNotOpenIsNamed) {
  EXPECT_THAT(refused_variables({.pmi_fd = "16777215", .pmi_rank = "0", .pmi_size = "1"}),
              HasSubstr("PMI_FD=16777215 is no open descriptor"));
}

TEST(OpenLauncher, PmiOverTcpIsNamed) {
  EXPECT_THAT(refused_variables({.pmi_port = "host:4711"}),
              HasSubstr("PMI_PORT=host:4711 is set and PMI_FD is not"));
}

}  // namespace
}  // namespace lintel::mpi
