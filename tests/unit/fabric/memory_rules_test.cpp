// What each mode of memory registration requires from us.
#include "transport/fabric/memory_rules.h"

#include <gtest/gtest.h>

#include "tests/unit/fabric/mock_provider.h"

namespace lintel::transport {
namespace {

MemoryRules rules_with(int mr_mode) {
  ProviderDescription p = mock_provider("any");
  p.mr_mode = mr_mode;
  return memory_rules(p);
}

TEST(MemoryRules, WithoutAModeRegionsUseOffsetsAndOurOwnKeys) {
  const MemoryRules rules = rules_with(0);
  int memory = 0;
  EXPECT_FALSE(rules.needs_local_descriptor);
  EXPECT_FALSE(rules.provider_keys);
  EXPECT_FALSE(rules.binds_to_endpoint);
  EXPECT_EQ(rules.remote_base(&memory), 0U);
  EXPECT_EQ(rules.requested_key(0xfedcba9876543210ULL), 0xfedcba9876543210ULL);
}

TEST(MemoryRules, WithVirtualAddressesAByteIsNamedByItsAddress) {
  int memory = 0;
  EXPECT_EQ(rules_with(FI_MR_VIRT_ADDR).remote_base(&memory),
            reinterpret_cast<std::uintptr_t>(&memory));
}

TEST(MemoryRules, EachModeSetsItsOwnRuleOnly) {
  for (int modes = 0; modes < 32; ++modes) {
    const bool local = (modes & 1) != 0;
    const bool address = (modes & 2) != 0;
    const bool allocated = (modes & 4) != 0;
    const bool key = (modes & 8) != 0;
    const bool endpoint = (modes & 16) != 0;
    const MemoryRules rules =
        rules_with((local ? FI_MR_LOCAL : 0) | (address ? FI_MR_VIRT_ADDR : 0) |
                   (allocated ? FI_MR_ALLOCATED : 0) | (key ? FI_MR_PROV_KEY : 0) |
                   (endpoint ? FI_MR_ENDPOINT : 0));
    EXPECT_EQ(rules.needs_local_descriptor, local) << modes;
    EXPECT_EQ(rules.virtual_addresses, address) << modes;
    EXPECT_EQ(rules.needs_pages, allocated) << modes;
    EXPECT_EQ(rules.provider_keys, key) << modes;
    EXPECT_EQ(rules.binds_to_endpoint, endpoint) << modes;
  }
}

TEST(MemoryRules, KeysFitTheWidthOfTheProvider) {
  ProviderDescription p = mock_provider("any");
  for (std::size_t bytes = 1; bytes < 8; ++bytes) {
    p.mr_key_bytes = bytes;
    EXPECT_EQ(memory_rules(p).requested_key(~std::uint64_t{0}),
              (std::uint64_t{1} << (8 * bytes)) - 1)
        << bytes;
  }
  p.mr_key_bytes = 8;
  EXPECT_EQ(memory_rules(p).requested_key(~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(MemoryRules, VerbsRegisterEverythingAndChooseTheKeys) {
  const MemoryRules rules = memory_rules(mock_verbs());
  EXPECT_TRUE(rules.needs_local_descriptor);
  EXPECT_TRUE(rules.virtual_addresses);
  EXPECT_TRUE(rules.provider_keys);
}

}  // namespace
}  // namespace lintel::transport
