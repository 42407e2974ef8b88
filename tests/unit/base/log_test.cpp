#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace lintel {
namespace {

// Sends the log to a file of its own and back to its default afterwards.
class Log : public testing::Test {
 protected:
  void start(LogLevel level) { configure_log(level, pattern_); }
  void TearDown() override {
    configure_log(LogLevel::kWarn, "");
    std::remove(path_.c_str());
  }
  std::string content() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  const std::string pattern_ = testing::TempDir() + "lintel_log.%p";
  const std::string path_ = testing::TempDir() + "lintel_log." + std::to_string(getpid());
  const std::string head_ = "lintel[" + std::to_string(getpid()) + "] ";
};

TEST_F(Log, ALineNamesProcessAndLevel) {
  start(LogLevel::kWarn);
  LINTEL_LOG(kWarn, "peer %s does not answer", "10.0.0.7:12");
  EXPECT_EQ(content(), head_ + "warn: peer 10.0.0.7:12 does not answer\n");
}

TEST_F(Log, LinesBelowTheLevelAreNotWrittenAndTheirArgumentsNotEvaluated) {
  start(LogLevel::kWarn);
  int evaluated = 0;
  LINTEL_LOG(kInfo, "never %d", ++evaluated);
  EXPECT_EQ(content(), "");
  EXPECT_EQ(evaluated, 0);
}

TEST_F(Log, EachLevelIncludesTheMoreUrgentOnes) {
  start(LogLevel::kInfo);
  EXPECT_TRUE(log_enabled(LogLevel::kError));
  EXPECT_TRUE(log_enabled(LogLevel::kWarn));
  EXPECT_TRUE(log_enabled(LogLevel::kInfo));
  EXPECT_FALSE(log_enabled(LogLevel::kDebug));
  EXPECT_FALSE(log_enabled(LogLevel::kTrace));
}

TEST_F(Log, AnOverlongLineIsCutAndStaysOneLine) {
  start(LogLevel::kWarn);
  LINTEL_LOG(kError, "%s", std::string(5000, 'x').c_str());
  const std::string text = content();
  EXPECT_EQ(text.size(), 511U);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST_F(Log, LeavesErrnoAlone) {
  start(LogLevel::kWarn);
  errno = EDOM;
  LINTEL_LOG(kWarn, "anything");
  EXPECT_EQ(errno, EDOM);
}

TEST_F(Log, AFileThatCannotBeOpenedFallsBackToStandardErrorAndSaysSo) {
  testing::internal::CaptureStderr();
  configure_log(LogLevel::kWarn, "/no/such/folder/log");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            head_ + "warn: cannot open log file /no/such/folder/log : No such file or directory\n");
}

TEST(ExpandProcessId, ReplacesEveryMark) {
  EXPECT_EQ(expand_process_id("a.%p.%p%", 42), "a.42.42%");
  EXPECT_EQ(expand_process_id("plain", 42), "plain");
}

}  // namespace
}  // namespace lintel
