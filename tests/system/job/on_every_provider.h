#pragma once
// OnEveryProvider: a test that runs once with each network that works on this machine.

#include <gtest/gtest.h>

#include <string>

#include "tests/sanitized.h"
#include "tests/system/job/process_group.h"

namespace lintel::testing {

class OnEveryProvider : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr const char* kPreferred = "direct";
  bool preferred() const { return std::string(GetParam()) == kPreferred; }
  Environment environment() const { return {{"LINTEL_PROVIDER", GetParam()}}; }
};

inline std::string provider_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == ';') c = '_';
  }
  return name;
}

#define LINTEL_ON_EVERY_PROVIDER(suite)                                                       \
  INSTANTIATE_TEST_SUITE_P(, suite, ::testing::Values("direct", "net", "tcp;ofi_rxm", "shm"), \
                           ::lintel::testing::provider_name)

}  // namespace lintel::testing
