#include <gmock/gmock.h>

#include "failure.h"
#include "options.h"
#include "rank_environment.h"

namespace lintel::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::optional<RunOptions> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "lintel-run");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

std::string refused_options(const std::vector<const char*>& arguments) {
  try {
    parse(arguments);
  } catch (const RunFailure& failure) {
    EXPECT_EQ(failure.exit_code(), 2);
    return failure.what();
  }
  ADD_FAILURE() << "accepted";
  return "";
}

TEST(RunOptions, WhatFollowsTheProgramIsTheProgramsOwn) {
  const auto options =
      parse({"-n", "4", "--tag-output", "program", "-n", "5", "--help", "--", "x"});
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->ranks, 4U);
  EXPECT_TRUE(options->tag_output);
  EXPECT_THAT(options->program, ElementsAre("program", "-n", "5", "--help", "--", "x"));
}

TEST(RunOptions, TwoDashesEndTheOptions) {
  EXPECT_THAT(parse({"-n", "1", "--", "-program", "x"})->program, ElementsAre("-program", "x"));
}

TEST(RunOptions, HaveDefaults) {
  const auto options = parse({"-n4", "program"});
  EXPECT_EQ(options->ranks, 4U);
  EXPECT_FALSE(options->tag_output);
  EXPECT_EQ(options->binding, Binding::kNone);
  EXPECT_FALSE(options->timeout.has_value());
}

TEST(RunOptions, AreReadInEveryForm) {
  const auto options = parse({"--bind=core", "--timeout", "2.5", "-n", "1", "program"});
  EXPECT_EQ(options->binding, Binding::kCore);
  EXPECT_EQ(options->timeout, std::chrono::milliseconds(2500));
}

TEST(RunOptions, WhatIsWrongIsNamedWithWhatWasExpected) {
  EXPECT_EQ(refused_options({}), "no number of processes; expected -n N");
  EXPECT_EQ(refused_options({"program"}), "no number of processes; expected -n N");
  EXPECT_EQ(refused_options({"-n", "4"}),
            "no program; expected a program, and its arguments, after the options");
  for (const char* number : {"0", "-1", "x", "4097", "1.5", "4x"}) {
    EXPECT_EQ(refused_options({"-n", number, "program"}),
              std::string("-n: '") + number +
                  "' is not usable; expected a number of processes from 1 to 4096");
  }
  EXPECT_EQ(refused_options({"-n", "1", "--bind", "socket", "program"}),
            "--bind: 'socket' is not usable; expected none or core");
  for (const char* time : {"0", "-1", "soon", "1e3x", "nan", "inf"}) {
    EXPECT_THAT(
        refused_options({"-n", "1", "--timeout", time, "program"}),
        HasSubstr(std::string("--timeout: '") + time + "' is not usable; expected seconds"));
  }
  EXPECT_THAT(refused_options({"-n", "1", "--tag", "program"}),
              HasSubstr("unknown option --tag; expected -n, --tag-output"));
  EXPECT_THAT(refused_options({"-np", "1", "program"}), HasSubstr("-n: 'p' is not usable"));
}

TEST(RunOptions, ImpiNamesThisClientAndTheServer) {
  for (const char* where : {"0@127.0.0.1:4000", "31@head-node.example:65535", "7@node_2:1"})
    EXPECT_EQ(parse({"-n", "1", "--impi", where, "program"})->impi, where);
  EXPECT_EQ(parse({"-n", "1", "program"})->impi, "");
}

TEST(RunOptions, WrongImpiIsNamedWithWhatWasExpected) {
  for (const char* where : {"", "0", "127.0.0.1:4000", "0@127.0.0.1", "0:4000@host"}) {
    EXPECT_EQ(refused_options({"-n", "1", "--impi", where, "program"}),
              std::string("--impi: '") + where +
                  "' is not usable; expected RANK@HOST:PORT, as in 0@127.0.0.1:4000");
  }
  for (const std::string rank : {"", "32", "-1", "x", "1x"}) {
    EXPECT_EQ(refused_options({"-n", "1", "--impi", (rank + "@host:1").c_str(), "program"}),
              "--impi: '" + rank + "' in '" + rank +
                  "@host:1' is not usable; expected the rank of this client, from 0 to 31");
  }
  for (const std::string host : {"", "a b", "1@2", "::1"}) {
    EXPECT_EQ(refused_options({"-n", "1", "--impi", ("0@" + host + ":1").c_str(), "program"}),
              "--impi: '" + host + "' in '0@" + host +
                  ":1' is not usable; expected the name or the IPv4 address of impi-server's host");
  }
  for (const std::string port : {"", "0", "65536", "x", "1x"}) {
    EXPECT_EQ(refused_options({"-n", "1", "--impi", ("0@host:" + port).c_str(), "program"}),
              "--impi: '" + port + "' in '0@host:" + port +
                  "' is not usable; expected the port of impi-server, from 1 to 65535");
  }
}

TEST(RankEnvironment, HasThisJobsLauncherAndNoOther) {
  const char* own[] = {"PATH=/bin",   "PMI_RANK=9",      "PMIX_NAMESPACE=x",
                       "PMIX_RANK=0", "LINTEL_LOG=info", nullptr};
  EXPECT_THAT(rank_environment(own, 2, 4, 17, 4711, "/a/secret"),
              ElementsAre("PATH=/bin", "LINTEL_LOG=info", "PMI_FD=17", "PMI_RANK=2", "PMI_SIZE=4",
                          "LINTEL_JOB_ID=4711", "LINTEL_SECRET_FILE=/a/secret"));
}

TEST(RankEnvironment, KeepsTheJobIdAndTheSecretThatTheUserHasSet) {
  const char* own[] = {"LINTEL_JOB_ID=7", "LINTEL_SECRET_FILE=", nullptr};
  EXPECT_THAT(rank_environment(own, 0, 1, 3, 4711, "/a/secret"),
              ElementsAre("LINTEL_JOB_ID=7", "LINTEL_SECRET_FILE=", "PMI_FD=3", "PMI_RANK=0",
                          "PMI_SIZE=1"));
}

}  // namespace
}  // namespace lintel::run
