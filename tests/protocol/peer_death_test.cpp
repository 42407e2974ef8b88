// A peer dies at each step of an operation: each START gets its END with PTL_NI_PEER_DEAD, nothing
// hangs, and the program may reuse its memory.

#include <map>
#include <string>
#include <vector>

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

using transport::Death;

enum class Action {
  kSmallPut,
  kSmallAckedPut,
  kLargePut,
  kLargeAckedPut,
  kSmallGet,
  kLargeGet,
  kGetPut
};

struct DeathCase {
  Action action;
  Death death;
  std::size_t victim;  // 0: the initiator dies, 1: the target
};

class PeerDeath : public ProtocolTest, public ::testing::WithParamInterface<DeathCase> {
 protected:
  void begin() {
    JobOptions options;
    options.network.attributes.max_write_bytes = 1000;
    options.session.dead_peer_deadline = 50ms;
    options.session.connect_deadline = 50ms;
    start(options);
    memory = pattern(6000, 3);
    theirs = target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE, .threshold = 5});
    first = pattern(length());
    second = pattern(length(), 2);
    mine = source(first, {.threshold = 9});
    other = source(second, {.threshold = 9});
  }
  std::size_t length() const {
    const Action action = GetParam().action;
    return action == Action::kLargePut || action == Action::kLargeAckedPut ||
                   action == Action::kLargeGet
               ? 6000
               : 100;
  }
  void act() {
    switch (GetParam().action) {
      case Action::kSmallPut:
      case Action::kLargePut: ASSERT_EQ(post_put(mine), PTL_OK); break;
      case Action::kSmallAckedPut:
      case Action::kLargeAckedPut: ASSERT_EQ(post_put(mine, {.ack = true}), PTL_OK); break;
      case Action::kSmallGet:
      case Action::kLargeGet: ASSERT_EQ(post_get(mine), PTL_OK); break;
      case Action::kGetPut:
        ASSERT_EQ(PtlGetPut(other, mine, job->id(1), kPortal, 0, kBits, 0, 0), PTL_OK);
        break;
    }
  }
  // Each START has one END, and what the program waits for has come: success or the peer's death.
  void expect_ended(const Events& events, std::size_t survivor) {
    std::map<ptl_seq_t, int> open;
    bool answered = false;
    for (const ptl_event_t& event : events) {
      EXPECT_TRUE(event.ni_fail_type == PTL_NI_OK || event.ni_fail_type == PTL_NI_PEER_DEAD)
          << event.ni_fail_type;
      const std::string kind = PtlEventKindStr(event.type);
      if (kind.ends_with("_START")) ++open[event.link];
      if (kind.ends_with("_END")) --open[event.link];
      answered = answered || event.type == PTL_EVENT_ACK || event.type == PTL_EVENT_REPLY_END ||
                 (event.type == PTL_EVENT_SEND_END && event.ni_fail_type != PTL_NI_OK);
    }
    for (const auto& [link, count] : open) EXPECT_EQ(count, 0) << link << ": " << kinds(events);
    const bool waits_for_answer =
        GetParam().action != Action::kSmallPut && GetParam().action != Action::kLargePut;
    if (survivor == 0 && waits_for_answer) {
      EXPECT_TRUE(answered) << kinds(events);
    }
  }

  Bytes memory, first, second;
  Entry theirs;
  ptl_handle_md_t mine = PTL_INVALID_HANDLE;
  ptl_handle_md_t other = PTL_INVALID_HANDLE;
};

// The number of steps grows until a run needs no more: the peer dies between each two events of the
// network.
TEST_P(PeerDeath, AtEveryMomentNothingIsStuck) {
  const std::size_t survivor = 1 - GetParam().victim;
  bool finished = false;
  for (int steps = 0; !finished; ++steps) {
    ASSERT_LT(steps, 400);
    begin();
    act();
    for (int i = 0; i < steps && !finished; ++i) {
      job->settle(0ns);
      finished = !job->network().advance_to_next();
    }
    job->kill(GetParam().victim, GetParam().death);
    job->run(200ms);
    SCOPED_TRACE("killed after " + std::to_string(steps) + " steps");
    expect_ended(take(survivor), survivor);
    if (survivor == 0) {
      EXPECT_EQ(unlink_md(mine, 0), PTL_OK);
      EXPECT_EQ(unlink_md(other, 0), PTL_OK);
    } else {
      EXPECT_EQ(unlink_md(theirs.md, 1), PTL_OK);
    }
    if (HasFailure()) return;
  }
}

std::vector<DeathCase> all_deaths() {
  std::vector<DeathCase> all;
  for (const Action action :
       {Action::kSmallPut, Action::kSmallAckedPut, Action::kLargePut, Action::kLargeAckedPut,
        Action::kSmallGet, Action::kLargeGet, Action::kGetPut}) {
    for (const Death death : {Death::kSilent, Death::kNoticed}) {
      for (const std::size_t victim : {0U, 1U}) all.push_back({action, death, victim});
    }
  }
  return all;
}

std::string name_of(const DeathCase& death) {
  static constexpr const char* kActions[] = {
      "SmallPut", "SmallAckedPut", "LargePut", "LargeAckedPut", "SmallGet", "LargeGet", "GetPut"};
  return std::string(kActions[static_cast<std::size_t>(death.action)]) +
         (death.death == Death::kSilent ? "Silent" : "Noticed") +
         (death.victim == 0 ? "Initiator" : "Target");
}

INSTANTIATE_TEST_SUITE_P(All, PeerDeath, ::testing::ValuesIn(all_deaths()),
                         [](const auto& instance) { return name_of(instance.param); });

}  // namespace
}  // namespace lintel::testing
