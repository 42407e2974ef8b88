// Memory registration modes that other networks need, demanded here from the providers at hand:
// messages and writes must still work.
#include <rdma/fi_domain.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/fabric/fabric_pair.h"

namespace lintel::transport {
namespace {

// Must run before libfabric looks for its providers.
[[maybe_unused]] const int kFound = ::setenv("FI_PROVIDER_PATH", LINTEL_TEST_PROVIDERS, 1);

struct ModeCase {
  const char* name;
  const char* provider;
  int modes;
};

class FabricMemoryModes : public TwoNodes, public testing::TestWithParam<ModeCase> {
 protected:
  void SetUp() override {
    FabricOptions fabric;
    fabric.added_mr_modes = GetParam().modes;
    open_both(options_for(GetParam().provider), fabric);
  }
  bool asks_for(int mode) const { return (GetParam().modes & mode) != 0; }
};

TEST_P(FabricMemoryModes, MessagesOfEverySizeArrive) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{1000},
                                  a.transport->attributes().max_message_bytes}) {
    const std::vector<std::byte> message = pattern(bytes, 1);
    ASSERT_TRUE(send(a, b_at_a, message, {&a, &b}));
    ASSERT_TRUE(until_both([&] {
      return b.seen.messages.size() == 1 && a.seen.messages_left == 1;
    })) << bytes;
    EXPECT_EQ(b.seen.messages[0], message);
    a.seen = Recorder();
    b.seen = Recorder();
  }
}

TEST_P(FabricMemoryModes, WritesLandInTheMiddleOfARegion) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1000}, std::size_t{100000}}) {
    const std::vector<std::byte> source = pattern(bytes, 2);
    std::vector<std::byte> target(bytes + 3000);
    const Registration region =
        b.transport->register_memory(a_at_b, target, Access::kWriteTarget).value();
    if (asks_for(FI_MR_VIRT_ADDR)) {
      EXPECT_EQ(region.base, reinterpret_cast<std::uintptr_t>(target.data()));
    }
    ASSERT_TRUE(write(a, b_at_a, source, {region.key, region.base + 2000}, Immediate(5), Context(1),
                      {&a, &b}));
    ASSERT_TRUE(until_both([&] {
      return b.seen.immediates.size() == 1 && a.seen.write_ends.size() == 1;
    })) << bytes;
    std::vector<std::byte> expected(bytes + 3000);
    std::copy(source.begin(), source.end(), expected.begin() + 2000);
    EXPECT_EQ(target, expected);
    b.transport->deregister_memory(region);
    a.seen = Recorder();
    b.seen = Recorder();
  }
}

TEST_P(FabricMemoryModes, MessagesOfFramesBeyondThePoolArrive) {
  NetworkOptions options = options_for(GetParam().provider);
  options.send_frames = 1;
  FabricOptions fabric;
  fabric.added_mr_modes = GetParam().modes;
  open_both(options, fabric);
  connect();
  const MessageBuffer first = a.transport->reserve(b_at_a, 8);
  ASSERT_TRUE(first);
  const std::vector<std::byte> message = pattern(1000, 3);
  ASSERT_TRUE(send(a, b_at_a, message, {&a, &b})) << "a second one of its own";
  ASSERT_TRUE(until_both([&] { return b.seen.message_count == 1; }));
  EXPECT_EQ(b.seen.messages[0], message);
  a.transport->abandon(b_at_a, first);
}

TEST_P(FabricMemoryModes, MemoryToWriteFromIsRegisteredWhereRequired) {
  const std::vector<std::byte> source(100);
  const Registration region =
      a.transport
          ->register_memory(b_at_a, {const_cast<std::byte*>(source.data()), source.size()},
                            Access::kWriteSource)
          .value();
  EXPECT_EQ(region.id != 0, asks_for(FI_MR_LOCAL));
  a.transport->deregister_memory(region);
}

// strict_provider.cpp checks its demand FI_MR_ENDPOINT itself.
INSTANTIATE_TEST_SUITE_P(Endpoint, FabricMemoryModes,
                         testing::Values(ModeCase{"Strict", "strict", 0},
                                         ModeCase{"StrictLocal", "strict", FI_MR_LOCAL}),
                         [](const auto& one) { return std::string(one.param.name); });

constexpr int kBasic = FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED;  // the modes of verbs
INSTANTIATE_TEST_SUITE_P(Mode, FabricMemoryModes,
                         testing::Values(ModeCase{"NetLocal", "net", FI_MR_LOCAL},
                                         ModeCase{"NetBasic", "net", kBasic},
                                         ModeCase{"NetVerbs", "net", FI_MR_LOCAL | kBasic},
                                         ModeCase{"RxmLocal", "tcp;ofi_rxm", FI_MR_LOCAL},
                                         ModeCase{"ShmLocal", "shm", FI_MR_LOCAL},
                                         ModeCase{"ShmBasic", "shm", kBasic}),
                         [](const auto& one) { return std::string(one.param.name); });

class CompletionDataReceives : public TwoNodes, public testing::Test {};

// With FI_RX_CQ_DATA. More writes than receives are posted, one after the other and all at once,
// with messages in between.
TEST_F(CompletionDataReceives, ReceivesUsedByTheDataOfWritesArePostedAgain) {
  constexpr std::size_t kWrites = 100;
  open_both(options_for("strict"));
  connect();
  std::vector<std::byte> target(8);
  const Registration region =
      b.transport->register_memory(a_at_b, target, Access::kWriteTarget).value();
  for (std::uint32_t i = 0; i < kWrites; ++i) {
    ASSERT_TRUE(
        write(a, b_at_a, pattern(8, i), {region.key, region.base}, Immediate(i), Context(i), {&a}));
    if (i % 3 == 0) {
      ASSERT_TRUE(send(a, b_at_a, pattern(100, i), {&a}));
    }
    if (i < kWrites / 2) {
      ASSERT_TRUE(until_both([&] { return b.seen.immediates.size() == i + 1; })) << i;
    }
  }
  ASSERT_TRUE(until_both([&] {
    return b.seen.immediates.size() == kWrites && b.seen.messages.size() == (kWrites + 2) / 3;
  }));
  for (std::uint32_t i = 0; i < kWrites; ++i) {
    EXPECT_EQ(b.seen.immediates[i], Immediate(i));
    if (i % 3 == 0) {
      EXPECT_EQ(b.seen.messages[i / 3], pattern(100, i));
    }
  }
  EXPECT_EQ(target, pattern(8, kWrites - 1));
  b.transport->deregister_memory(region);
}

class NarrowKeys : public FabricPair {};
LINTEL_FOR_EACH_LIBFABRIC_PROVIDER(NarrowKeys);

// Keys have one byte, so that some of those that are drawn are in use.
TEST_P(NarrowKeys, KeysInUseAreNotGivenAgain) {
  FabricOptions fabric;
  fabric.mr_key_bytes = 1;
  open_both(options_for(GetParam()), fabric);
  std::vector<std::byte> kept(100), other(100);
  const Registration first =
      b.transport->register_memory(a_at_b, kept, Access::kWriteTarget).value();
  for (int i = 0; i < 600; ++i) {
    const Result<Registration> region =
        b.transport->register_memory(a_at_b, other, Access::kWriteTarget);
    ASSERT_TRUE(region.ok()) << i;
    EXPECT_NE(region->key, first.key);
    EXPECT_LE(region->key, 255U);
    b.transport->deregister_memory(*region);
  }
  b.transport->deregister_memory(first);
}

TEST_P(NarrowKeys, AKeyIsFoundWhileHalfAreInUse) {
  FabricOptions fabric;
  fabric.mr_key_bytes = 1;
  open_both(options_for(GetParam()), fabric);
  std::vector<std::byte> memory(100);
  std::set<std::uint64_t> keys;
  std::vector<Registration> kept;
  for (int i = 0; i < 128; ++i) {
    const Result<Registration> region =
        b.transport->register_memory(a_at_b, memory, Access::kWriteTarget);
    ASSERT_TRUE(region.ok()) << i;
    kept.push_back(*region);
    EXPECT_TRUE(keys.insert(region->key).second) << "it is in use: " << region->key;
  }
  for (const Registration& region : kept) b.transport->deregister_memory(region);
}

class KeysOfRegistrations : public FabricPair {};
LINTEL_FOR_EACH_LIBFABRIC_PROVIDER(KeysOfRegistrations);

// A peer has keys of registrations that were made for it, and must not learn those of others from
// them. With 16 numbers of at least 32 bits, two that are close by chance appear once in 10^5 runs.
TEST_P(KeysOfRegistrations, TellNothingAboutOthers) {
  constexpr std::uint64_t kClose = 128;
  constexpr std::size_t kRegistrations = 16;
  open_both(options_for(GetParam()));
  std::vector<std::byte> memory(100);
  std::vector<Registration> made;
  for (std::size_t i = 0; i < kRegistrations; ++i) {
    made.push_back(b.transport->register_memory(a_at_b, memory, Access::kWriteTarget).value());
    for (std::size_t before = 0; before < i; ++before) {
      const std::uint64_t one = made[i].key;
      const std::uint64_t other = made[before].key;
      EXPECT_GT(std::max(one, other) - std::min(one, other), kClose) << one << ' ' << other;
    }
  }
  for (const Registration& region : made) b.transport->deregister_memory(region);
}

}  // namespace
}  // namespace lintel::transport
