#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

struct ToolRun {
  std::string output;  // standard output and standard error
  int exit_code = -1;
};

// Runs lintel-info in a shell, with only those LINTEL_ settings that `variables` sets.
ToolRun lintel_info(const std::string& arguments, const std::string& variables = "") {
  const std::string command = "env -u LINTEL_PROVIDER -u LINTEL_INTERFACE " + variables +
                              " " LINTEL_INFO " " + arguments + " 2>&1";
  ToolRun run;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  std::array<char, 4096> chunk;
  while (const std::size_t length = std::fread(chunk.data(), 1, chunk.size(), pipe))
    run.output.append(chunk.data(), length);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  return run;
}

TEST(LintelInfo, SaysEverythingWithoutOptions) {
  const ToolRun run = lintel_info("");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.output, AllOf(HasSubstr("Lintel 0."), HasSubstr("Providers"),
                                HasSubstr("max_pt_index"), HasSubstr("LINTEL_INTERFACE = ")));
}

TEST(LintelInfo, MarksExactlyOneProviderAsChosenAndSaysWhyNotTheOthers) {
  const ToolRun run = lintel_info("--providers");
  EXPECT_EQ(run.exit_code, 0);
  std::istringstream lines(run.output);
  int chosen = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("* ")) ++chosen;
    if (line.starts_with("* ") || line.starts_with("+ ") || line.starts_with("- ")) {
      EXPECT_GT(line.size(), line.find(": ") + 2) << line;
    }
  }
  EXPECT_EQ(chosen, 1) << run.output;
}

TEST(LintelInfo, FollowsTheProviderThatIsAskedFor) {
  EXPECT_THAT(lintel_info("--providers", "LINTEL_PROVIDER='tcp;ofi_rxm'").output,
              HasSubstr("\n* tcp;ofi_rxm: "));
}

TEST(LintelInfo, ShowsTheValueInForceBesideTheDefault) {
  EXPECT_THAT(lintel_info("--config", "LINTEL_WINDOW=17").output,
              HasSubstr("LINTEL_WINDOW = 17 (default: 64)"));
}

TEST(LintelInfo, ReportsInEveryFormAValueThatIsNotAcceptedAndAVariableThatIsNotKnown) {
  for (const char* arguments : {"--config", "--limits", "--providers", "--json"}) {
    const ToolRun run = lintel_info(arguments, "LINTEL_WINDOW=none LINTEL_PROVIDR=net");
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_THAT(
        run.output,
        HasSubstr("error: LINTEL_WINDOW=none is not accepted: expected an integer from 2 to 1024"))
        << arguments;
    EXPECT_THAT(run.output, HasSubstr("warning: LINTEL_PROVIDR is not a setting of Lintel and has "
                                      "no effect; did you mean LINTEL_PROVIDER?"))
        << arguments;
  }
}

TEST(LintelInfo, AVariableThatIsNotKnownIsNoError) {
  EXPECT_EQ(lintel_info("--limits", "LINTEL_PROVIDR=net").exit_code, 0);
}

TEST(LintelInfo, AnInterfaceOrAProviderThatIsNotThereIsASentenceAndExitCode2) {
  const ToolRun interface = lintel_info("--providers", "LINTEL_INTERFACE=nosuch0");
  EXPECT_EQ(interface.exit_code, 2);
  EXPECT_THAT(interface.output,
              AllOf(HasSubstr("error: LINTEL_INTERFACE is \"nosuch0\": "), Not(HasSubstr("\n* "))));
  const ToolRun provider = lintel_info("--providers", "LINTEL_PROVIDER=nosuch");
  EXPECT_EQ(provider.exit_code, 2);
  EXPECT_THAT(provider.output,
              AllOf(HasSubstr("error: "), HasSubstr("nosuch"), Not(HasSubstr("\n* "))));
}

TEST(LintelInfo, PrintsOnlyTheSectionAskedFor) {
  const std::string output = lintel_info("--limits").output;
  EXPECT_THAT(output, HasSubstr("max_pt_index"));
  EXPECT_THAT(output, Not(HasSubstr("LINTEL_INTERFACE")));
}

TEST(LintelInfo, ShowsTheLimitsOfBothPortals) {
  EXPECT_THAT(lintel_info("--limits", "LINTEL_MAX_UNEXPECTED=17").output,
              AllOf(ContainsRegex("Portals 3\n +max_mes +65536 "),
                    ContainsRegex("Portals 4\n +max_entries +120000 "),
                    ContainsRegex("max_unexpected_headers +17 ")));
  const ToolRun json = lintel_info(
      "--limits --json | python3 -c 'import json, sys; d = json.load(sys.stdin)[\"limits\"]; "
      "print(d[\"portals3\"][\"max_eqs\"], d[\"portals4\"][\"max_msg_size\"])'");
  EXPECT_EQ(json.output, "4096 4611686018427387904\n");
}

TEST(LintelInfo, JsonIsReadByAJsonParser) {
  const ToolRun run = lintel_info(
      "--json | python3 -c 'import json, sys; d = json.load(sys.stdin); "
      "print(len(d[\"settings\"]), sorted(d))'");
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("['interface', 'limits', 'providers', 'settings', 'version']"));
}

TEST(LintelInfo, ConfigurationPageIsWhatItPrints) {
  std::stringstream page;
  page << std::ifstream(LINTEL_SOURCE_DIR "/doc/configuration.md").rdbuf();
  EXPECT_EQ(lintel_info("--config-doc", "LINTEL_WINDOW=17").output, page.str());
}

TEST(LintelInfo, AWrongOptionIsASentenceAndExitCode2) {
  const ToolRun run = lintel_info("--provider");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.output, AllOf(HasSubstr("unknown option --provider"),
                                HasSubstr("expected --config, --providers")));
}

}  // namespace
