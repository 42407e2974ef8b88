#include "mpi_layer/envelope/envelope.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lintel::mpi {
namespace {

constexpr ProcessId kOne{NodeId(0x0a000001), Pid(7)};
constexpr ProcessId kOther{NodeId(0x0a000001), Pid(8)};

struct Sent {
  ProcessId source;
  std::uint32_t context;
  std::int32_t tag;
};

struct Wanted {
  ProcessId source;  // kAnyProcess: any
  std::uint32_t context;
  std::int32_t tag;  // kAnyTag: any
};

bool takes(const Wanted& wanted, const Sent& sent) {
  return criteria(wanted.source, wanted.context, wanted.tag)
      .admits(sent.source, match_bits(sent.context, sent.tag));
}

// The matching rule in MPI's words, without bit masks.
bool should_take(const Wanted& wanted, const Sent& sent) {
  const bool source = wanted.source == kAnyProcess || wanted.source == sent.source;
  const bool tag = wanted.tag == kAnyTag ? sent.tag >= 0 : wanted.tag == sent.tag;
  return source && tag && wanted.context == sent.context;
}

TEST(Envelope, EveryCombinationOfWildcardsMatchesAsMpiSays) {
  const std::vector<std::int32_t> tags{0,           1,       2,  32767, 1 << 30,
                                       kMaxTag - 1, kMaxTag, -1, -2,    -kMaxTag};
  const std::vector<std::uint32_t> contexts{0, 1, 2, 65535, kMaxContext - 1, kMaxContext};
  std::vector<std::int32_t> wanted_tags = tags;
  wanted_tags.push_back(kAnyTag);
  int matches = 0;
  for (const ProcessId from : {kOne, kOther}) {
    for (const std::uint32_t context : contexts) {
      for (const std::int32_t tag : tags) {
        const Sent sent{from, context, tag};
        for (const ProcessId source : {kOne, kOther, kAnyProcess}) {
          for (const std::uint32_t wanted_context : contexts) {
            for (const std::int32_t wanted_tag : wanted_tags) {
              const Wanted wanted{source, wanted_context, wanted_tag};
              ASSERT_EQ(takes(wanted, sent), should_take(wanted, sent))
                  << "message " << context << "/" << tag << ", receive " << wanted_context << "/"
                  << wanted_tag;
              matches += takes(wanted, sent);
            }
          }
        }
      }
    }
  }
  // Two sources, each matched by name and by the wildcard; six contexts; ten tags by name, seven of
  // them by the wildcard.
  EXPECT_EQ(matches, 2 * 2 * 6 * (10 + 7));
}

TEST(Envelope, EncodedEnvelopeComesBack) {
  for (const std::uint32_t context : {0U, 1U, kMaxContext}) {
    for (const std::int32_t tag : {0, 1, kMaxTag, -1, -kMaxTag}) {
      const std::uint64_t bits = match_bits(context, tag);
      EXPECT_EQ(context_of(bits), context);
      EXPECT_EQ(tag_of(bits), tag);
      EXPECT_EQ(bits >> 60, 0U);
    }
  }
}

TEST(Envelope, BoundsAreAtLeastThoseOfMpi) {
  EXPECT_EQ(kMaxTag, 2147483647);
  EXPECT_GE(kMaxContext, 65536U);
  EXPECT_TRUE(is_context(kMaxContext));
  EXPECT_FALSE(is_context(kMaxContext + 1));
  EXPECT_TRUE(is_tag(-kMaxTag));
  EXPECT_FALSE(is_tag(kAnyTag));
}

}  // namespace
}  // namespace lintel::mpi
