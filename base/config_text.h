#pragma once
// The table of settings as text, for lintel-info and doc/configuration.md.

#include <string>
#include <string_view>

#include "base/config.h"

namespace lintel {

// One paragraph each, with the value in `config` beside the default.
std::string settings_text(const Config& config);
// {"settings": [{"name", "type", "unit", "default", "value", "expected", "help"}, …]}
std::string settings_json(const Config& config);
// doc/configuration.md.
std::string settings_markdown();

// `text` as a JSON string, quotes included.
std::string json_string(std::string_view text);

}  // namespace lintel
