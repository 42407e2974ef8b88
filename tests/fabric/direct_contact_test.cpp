// The first contact of two sessions over direct transports, and the resumption of their connection,
// while connections are lost: contact begins again, what was sent arrives once and in order, and
// nobody reports a loss.
#include <tuple>

#include "tests/fabric/cutting_sockets.h"
#include "tests/fabric/direct_sessions.h"

namespace lintel::transport {
namespace {

class ContactOverCuts : public DirectSessions {
 protected:
  static constexpr std::uint32_t kEach = 3;  // messages of each side after the first

  ~ContactOverCuts() { cuts = {}; }
  void cut_after(std::vector<std::size_t> distances) {
    cuts.made = 0;
    cuts.distances = std::move(distances);
  }
  void meet_over_cuts(std::vector<std::size_t> distances) {
    sides = {};  // what their ends send is not of the contact
    cut_after(std::move(distances));
    open_both();
    if (!testing::Test::HasFailure()) exchange_messages();
  }
  void exchange_messages() {
    for (std::uint32_t number = 1; number <= kEach; ++number) {
      for (const std::size_t i : {0U, 1U}) send(i, number);
    }
    EXPECT_TRUE(until_both([&] {
      return sides[0].node.seen.message_count > kEach && sides[1].node.seen.message_count > kEach;
    }));
    for (const SessionSide& side : sides) {
      EXPECT_TRUE(side.node.seen.failures.empty());
      ASSERT_EQ(side.node.seen.messages.size(), 1 + kEach);
      for (std::uint32_t number = 0; number <= kEach; ++number)
        EXPECT_EQ(side.node.seen.messages[number], message(number));
    }
  }
};

// The end that is cut; both call at once; the job has a secret.
using ContactCase = std::tuple<CutEnd, bool, bool>;

class DirectFirstContact : public ContactOverCuts, public testing::TestWithParam<ContactCase> {
 protected:
  void SetUp() override {
    cuts.end = std::get<0>(GetParam());
    both_call = std::get<1>(GetParam());
    if (std::get<2>(GetParam())) secret = "of the job";
  }
};

// Until the contact comes before the cut.
TEST_P(DirectFirstContact, ACutAfterAnyByteLosesNothing) {
  std::size_t distance = 0;
  do {
    SCOPED_TRACE("byte " + std::to_string(distance));
    meet_over_cuts({distance++});
    ASSERT_FALSE(HasFailure());
  } while (cuts.made > 0);
  EXPECT_GT(distance, 500U) << "the test saw what it is about";
}

std::string contact_test_name(const testing::TestParamInfo<ContactCase>& info) {
  const auto [end, both_call, has_secret] = info.param;
  return cut_test_name({end, info.index}) + (both_call ? "_both_call" : "_one_calls") +
         (has_secret ? "_with_secret" : "");
}
INSTANTIATE_TEST_SUITE_P(Contact, DirectFirstContact,
                         testing::Combine(testing::Values(CutEnd::kSender, CutEnd::kReceiver),
                                          testing::Bool(), testing::Bool()),
                         contact_test_name);
INSTANTIATE_TEST_SUITE_P(BothEnds, DirectFirstContact,
                         testing::Values(ContactCase(CutEnd::kBoth, true, false)),
                         contact_test_name);

class DirectContact : public ContactOverCuts, public testing::TestWithParam<CutEnd> {
 protected:
  void SetUp() override { cuts.end = GetParam(); }
};

// The second cut is within what resumes the connection that the first one has ended, or behind it.
TEST_P(DirectContact, ACutAfterAnyByteOfTheResumptionLosesNothing) {
  std::size_t distance = 0;
  do {
    SCOPED_TRACE("byte " + std::to_string(distance));
    cut_after({});
    open_both();
    cut_after({distance++, 1});
    if (!HasFailure()) exchange_messages();
    ASSERT_FALSE(HasFailure());
  } while (cuts.made > 1);
  EXPECT_GT(distance, 300U) << "the test saw what it is about";
}

// From the first byte of the contact on.
TEST_P(DirectContact, CutsAtRandomPlacesLoseNothing) {
  std::size_t made = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    meet_over_cuts(random_distances(seed, 500));
    ASSERT_FALSE(HasFailure());
    made += cuts.made;
  }
  EXPECT_GT(made, 200U) << "the test saw what it is about";
}

INSTANTIATE_TEST_SUITE_P(Contact, DirectContact, all_cut_ends(), cut_test_name);

}  // namespace
}  // namespace lintel::transport
