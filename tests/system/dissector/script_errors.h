#pragma once
// tshark reports the errors of a script in the packet's tree.

#include <gmock/gmock.h>

#include <string>

namespace lintel::test {

inline void expect_no_script_error(const std::string& output) {
  for (const char* error : {"Lua Error", "Lua: ", "Dissector bug"})
    EXPECT_THAT(output, testing::Not(testing::HasSubstr(error)));
}

}  // namespace lintel::test
