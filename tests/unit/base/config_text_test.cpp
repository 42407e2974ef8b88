#include "base/config_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace lintel {
namespace {

using testing::HasSubstr;

TEST(ConfigText, TextShowsTheValueBesideTheDefault) {
  Config config;
  config.window_frames = 17;
  EXPECT_THAT(settings_text(config), HasSubstr("LINTEL_WINDOW = 17 (default: 64)\n"));
  EXPECT_THAT(settings_text(config), HasSubstr("LINTEL_EAGER_LIMIT = 64K (default)\n"));
  EXPECT_THAT(settings_text(config), HasSubstr("LINTEL_PROVIDER = unset (default)\n"));
}

TEST(ConfigText, EverySettingIsInEveryForm) {
  for (const Setting& row : settings()) {
    const std::string name(row.name);
    EXPECT_THAT(settings_text(Config{}), HasSubstr(name + " = "));
    EXPECT_THAT(settings_json(Config{}), HasSubstr("{\"name\": \"" + name + "\","));
    EXPECT_THAT(settings_markdown(), HasSubstr("| `" + name + "` |"));
  }
}

TEST(ConfigText, JsonStringsAreEscaped) {
  EXPECT_EQ(json_string("plain"), "\"plain\"");
  EXPECT_EQ(json_string("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
}

TEST(ConfigText, TheDocumentIsWhatTheTableSays) {
  std::stringstream page;
  page << std::ifstream(LINTEL_SOURCE_DIR "/doc/configuration.md").rdbuf();
  EXPECT_EQ(page.str(), settings_markdown())
      << "run: lintel-info --config-doc > doc/configuration.md";
}

}  // namespace
}  // namespace lintel
