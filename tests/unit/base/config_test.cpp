#include "base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/quantity.h"

namespace lintel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ConfigReading read(std::vector<const char*> variables) {
  variables.push_back(nullptr);
  return read_config(variables.data());
}

const Setting& setting(std::string_view name) {
  for (const Setting& row : settings()) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << "no setting " << name;
  return settings().front();
}

TEST(Config, AnEmptyEnvironmentGivesTheDefaults) {
  const ConfigReading reading = read_config(nullptr);
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
  for (const Setting& row : settings())
    EXPECT_EQ(value_text(row, reading.config), value_text(row, Config{})) << row.name;
}

TEST(Config, EachKindOfValueReachesItsMember) {
  const ConfigReading reading =
      read({"LINTEL_PROVIDER=tcp;ofi_rxm", "LINTEL_INTERFACE=10.0.0.7", "LINTEL_PORT_BASE=30000",
            "LINTEL_EAGER_LIMIT=8K", "LINTEL_SPIN=250us", "LINTEL_LOG=debug",
            "LINTEL_DUMP_SIGNAL=USR2", "PATH=/bin"});
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_EQ(reading.config.provider, "tcp;ofi_rxm");
  EXPECT_EQ(reading.config.interface, "10.0.0.7");
  EXPECT_EQ(reading.config.port_base, 30000U);
  EXPECT_EQ(reading.config.eager_limit_bytes, 8192U);
  EXPECT_EQ(reading.config.spin, std::chrono::microseconds(250));
  EXPECT_EQ(reading.config.log_level, LogLevel::kDebug);
  EXPECT_EQ(reading.config.dump_signal, DumpSignal::kUsr2);
}

TEST(Config, AnEmptyValueCountsAsUnset) {
  EXPECT_EQ(read({"LINTEL_INTERFACE="}).config.interface, Config{}.interface);
}

TEST(Config, AValueThatIsNotUnderstoodIsASentenceWithVariableValueAndExpectation) {
  const ConfigReading reading = read({"LINTEL_PORT_BASE=many"});
  EXPECT_THAT(
      reading.errors,
      ElementsAre("LINTEL_PORT_BASE=many is not accepted: expected an integer from 1024 to 64512"));
  EXPECT_EQ(reading.config.port_base, Config{}.port_base);
}

TEST(Config, AValueOutsideItsRangeIsRefusedAtBothEnds) {
  EXPECT_THAT(read({"LINTEL_PORT_BASE=1023"}).errors, ElementsAre(HasSubstr("1023")));
  EXPECT_THAT(read({"LINTEL_PORT_BASE=1024"}).errors, IsEmpty());
  EXPECT_THAT(read({"LINTEL_PORT_BASE=64512"}).errors, IsEmpty());
  EXPECT_THAT(read({"LINTEL_PORT_BASE=64513"}).errors, ElementsAre(HasSubstr("64513")));
}

TEST(Config, ADurationWithoutUnitIsRefused) {
  EXPECT_THAT(read({"LINTEL_SPIN=100"}).errors,
              ElementsAre(AllOf(HasSubstr("LINTEL_SPIN=100"), HasSubstr("ns, us, ms, s"))));
}

TEST(Config, AChoiceNamesAllItsWords) {
  EXPECT_THAT(
      read({"LINTEL_LOG=loud"}).errors,
      ElementsAre(
          "LINTEL_LOG=loud is not accepted: expected one of error, warn, info, debug, trace"));
}

TEST(Config, AnInterfaceIsAnAddressOrAName) {
  for (const char* good : {"127.0.0.1", "192.168.17.4", "eth0", "enp0s31f6", "br-lan"}) {
    EXPECT_THAT(read({(std::string("LINTEL_INTERFACE=") + good).c_str()}).errors, IsEmpty())
        << good;
  }
  for (const char* bad :
       {"0.0.0.0", "127.0.0", "300.1.1.1", "10.0.0.7.1", "a name", "anameofmorethanfifteen"}) {
    EXPECT_THAT(read({(std::string("LINTEL_INTERFACE=") + bad).c_str()}).errors, testing::SizeIs(1))
        << bad;
  }
}

TEST(Config, AnUnknownVariableIsWarnedAboutWithTheNearestName) {
  EXPECT_THAT(read({"LINTEL_PROVIDR=net"}).warnings,
              ElementsAre("LINTEL_PROVIDR is not a setting of Lintel and has no effect; did you "
                          "mean LINTEL_PROVIDER?"));
  EXPECT_THAT(read({"LINTEL_LOGFILE=x"}).warnings, ElementsAre(HasSubstr("LINTEL_LOG_FILE?")));
}

TEST(Config, AnUnknownVariableUnlikeAnyOtherGetsNoSuggestion) {
  EXPECT_THAT(read({"LINTEL_ZZ=1"}).warnings, ElementsAre(Not(HasSubstr("did you mean"))));
}

TEST(Config, TheCompilersOfTheMpiWrappersAreNoSettings) {
  EXPECT_THAT(read({"LINTEL_CC=gcc", "LINTEL_CXX=g++"}).warnings, IsEmpty());
}

TEST(Config, VariablesOfOtherProgramsAreLeftAlone) {
  EXPECT_THAT(read({"LINTELX=1", "FI_PROVIDER=net"}).warnings, IsEmpty());
}

TEST(Config, EveryErrorIsReportedNotOnlyTheFirst) {
  EXPECT_THAT(read({"LINTEL_WINDOW=1", "LINTEL_SPIN=x"}).errors, testing::SizeIs(2));
}

TEST(ConfigTable, NamesAreUniqueAndCarryThePrefix) {
  std::set<std::string_view> names;
  for (const Setting& row : settings()) {
    EXPECT_TRUE(row.name.starts_with("LINTEL_")) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(ConfigTable, EverySettingHasHelpInFullSentences) {
  for (const Setting& row : settings()) {
    EXPECT_GT(row.help.size(), 20U) << row.name;
    EXPECT_TRUE(row.help.ends_with('.')) << row.name;
  }
}

TEST(ConfigTable, EveryDefaultIsAcceptedByItsOwnRow) {
  for (const Setting& row : settings()) {
    Config config;
    const std::string text = value_text(row, Config{});
    if (text.empty()) continue;
    EXPECT_EQ(apply_setting(row, text, config), "") << row.name;
    EXPECT_EQ(value_text(row, config), text) << row.name;
  }
}

TEST(ConfigTable, EveryChoiceIsAcceptedAndReadsBack) {
  for (const Setting& row : settings()) {
    for (const std::string_view choice : row.choices) {
      Config config;
      EXPECT_EQ(apply_setting(row, choice, config), "") << row.name;
      EXPECT_EQ(value_text(row, config), choice) << row.name;
    }
  }
}

TEST(ConfigTable, BothEndsOfARangeReadBack) {
  for (const Setting& row : settings()) {
    if (row.type != SettingType::kSize && row.type != SettingType::kInteger) continue;
    for (const std::uint64_t number : {row.minimum, row.maximum}) {
      Config config;
      EXPECT_EQ(apply_setting(row, std::to_string(number), config), "") << row.name;
      EXPECT_EQ(parse_size(value_text(row, config)), number) << row.name;
    }
  }
}

TEST(ConfigTable, ARefusedValueLeavesTheMemberUnchanged) {
  Config config;
  config.spin = Nanoseconds(5000);
  EXPECT_THAT(apply_setting(setting("LINTEL_SPIN"), "11s", config), HasSubstr("LINTEL_SPIN=11s"));
  EXPECT_EQ(config.spin, Nanoseconds(5000));
}

}  // namespace
}  // namespace lintel
