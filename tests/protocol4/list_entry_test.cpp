// List entries and match list entries: which messages match, and every option.

#include <algorithm>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class ListEntry : public Portals4Test {
 protected:
  int put_acked(ptl_match_bits_t bits = kBits, ptl_size_t offset = 0) {
    return put(bind(data), {.ack = PTL_ACK_REQ, .bits = bits, .offset = offset});
  }
  // The offset from `memory` of the data of the only PUT event.
  std::ptrdiff_t place_of_put(const Events& events) {
    return static_cast<std::uint8_t*>(only(events, PTL_EVENT_PUT).start) - memory.data();
  }
  static constexpr unsigned kOnce = kPut | PTL_ME_USE_ONCE;

  Bytes memory = Bytes(32);
  Bytes second = Bytes(32);
  Bytes data = pattern(8);
  int first_user = 0, second_user = 0;
};

// ---- On each of the four interfaces

class EveryInterface : public ListEntry, public ::testing::WithParamInterface<unsigned> {
 protected:
  EveryInterface() { start({.interface = GetParam()}); }
};

TEST_P(EveryInterface, EntryTakesAPutAndAnswers) {
  append(memory);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(story(1), "LINK PUT 8/8@0");
  EXPECT_EQ(story(0), "SEND ACK 8@0");
  EXPECT_EQ(part(memory, 0, 8), data);
}

TEST_P(EveryInterface, FirstEntryOfThePriorityListWins) {
  append_overflow(second, {.options = kOnce});
  append(memory, {.options = kOnce, .user = &first_user});
  append(second, {.options = kOnce, .user = &second_user});
  take(1);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).user_ptr, &first_user);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).user_ptr, &second_user);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).ptl_list, PTL_OVERFLOW_LIST);
}

TEST_P(EveryInterface, UseOnceTakesOneMessageAndUnlinks) {
  const ptl_handle_me_t entry = append(memory, {.options = kOnce});
  ASSERT_EQ(put_acked(), PTL_OK);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT AUTO_UNLINK");
  EXPECT_EQ(kinds(0), "SEND ACK SEND ACK!DROPPED");
  EXPECT_EQ(unlink(entry), PTL_ARG_INVALID);
}

TEST_P(EveryInterface, UnlinkedEntryTakesNothingAndTellsNothing) {
  const ptl_handle_me_t entry = append(memory);
  take(1);
  ASSERT_EQ(unlink(entry), PTL_OK);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(drops(1), 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryInterface,
    ::testing::Values(PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_NI_MATCHING | PTL_NI_LOGICAL,
                      PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL),
    [](const auto& instance) {
      return std::string((instance.param & PTL_NI_MATCHING) != 0 ? "Matching" : "NonMatching") +
             ((instance.param & PTL_NI_LOGICAL) != 0 ? "Logical" : "Physical");
    });

// ---- Which messages match

TEST_F(ListEntry, BitsMustAgreeButForTheIgnoredOnes) {
  append(memory, {.bits = 0xff0f, .ignore = 0x00ff});
  ASSERT_EQ(put_acked(0xff00), PTL_OK);
  ASSERT_EQ(put_acked(0xfe0f), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK SEND ACK!DROPPED");
}

TEST_F(ListEntry, NidAndPidMayBeAnyEachForItself) {
  const ptl_process_t sender = SimulatedJob4::physical_id(0);
  const ptl_process_t other = SimulatedJob4::physical_id(1);
  struct Case {
    ptl_nid_t nid;
    ptl_pid_t pid;
    bool matches;
  };
  for (const Case& c :
       {Case{sender.phys.nid, sender.phys.pid, true}, Case{PTL_NID_ANY, sender.phys.pid, true},
        Case{sender.phys.nid, PTL_PID_ANY, true}, Case{other.phys.nid, PTL_PID_ANY, false},
        Case{PTL_NID_ANY, sender.phys.pid + 1, false}}) {
    ptl_process_t from;
    from.phys = {c.nid, c.pid};
    const ptl_handle_me_t entry = append(memory, {.from = from});
    ASSERT_EQ(put_acked(), PTL_OK);
    EXPECT_EQ(kinds(0), c.matches ? "SEND ACK" : "SEND ACK!DROPPED") << c.nid << ":" << c.pid;
    ASSERT_EQ(unlink(entry), PTL_OK);
  }
}

TEST_F(ListEntry, OnALogicalInterfaceTheRankMatches) {
  start({.processes = 3, .interface = PTL_NI_MATCHING | PTL_NI_LOGICAL});
  append(memory, {.from = job->id(2)});
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
  ASSERT_EQ(put(bind(data, {}, 2), {}, 2), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "LINK PUT");
  EXPECT_EQ(events[1].initiator.rank, 2U);
}

// ---- What is permitted

TEST_F(ListEntry, PutNeedsItsPermissionAndLeavesTheEntryAsItWas) {
  append(memory, {.options = kGet | PTL_ME_USE_ONCE});
  append(second);
  take(1);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!OP_VIOLATION");
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(status(1, PTL_SR_OPERATION_VIOLATIONS), 1);
  EXPECT_EQ(drops(1), 0);
  EXPECT_EQ(second, Bytes(32));  // it does not try the next entry
  ASSERT_EQ(get(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "GET AUTO_UNLINK");
}

TEST_F(ListEntry, GetAndAtomicNeedTheirs) {
  append(memory);
  ASSERT_EQ(get(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY!OP_VIOLATION");
  append(second, {.options = kGet, .bits = 5});
  ASSERT_EQ(atomic(bind(data), PTL_SUM, PTL_UINT8_T, {.ack = PTL_ACK_REQ, .bits = 5}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!OP_VIOLATION");
}

TEST_F(ListEntry, FetchAtomicAndSwapNeedBoth) {
  const Md mine = bind(data);
  for (const unsigned options : {kPut, kGet}) {
    const ptl_handle_me_t entry = append(memory, {.options = options});
    ASSERT_EQ(fetch_atomic(mine, mine, PTL_SUM, PTL_UINT8_T), PTL_OK);
    ASSERT_EQ(swap(mine, mine, nullptr, PTL_SWAP, PTL_UINT8_T), PTL_OK);
    const Events events = take(0);
    EXPECT_EQ(how_many(events, PTL_EVENT_REPLY), 2U);
    for (const ptl_event_t& event : events) {
      if (event.type == PTL_EVENT_REPLY) {
        EXPECT_EQ(event.ni_fail_type, PTL_NI_OP_VIOLATION);
      }
    }
    ASSERT_EQ(unlink(entry), PTL_OK);
  }
  EXPECT_EQ(memory, Bytes(32));
}

// ---- Where the data go

TEST_F(ListEntry, RemoteOffsetSaysWhere) {
  append(memory);
  ASSERT_EQ(put_acked(kBits, 10), PTL_OK);
  EXPECT_EQ(part(memory, 10, 8), data);
  const Events events = take(1);
  EXPECT_EQ(story(events), "LINK PUT 8/8@10");
  EXPECT_EQ(place_of_put(events), 10);
}

TEST_F(ListEntry, MessageThatDoesNotFitIsShortened) {
  append(memory);
  ASSERT_EQ(put_acked(kBits, 27), PTL_OK);
  EXPECT_EQ(story(1), "LINK PUT 5/8@27");
  EXPECT_EQ(story(0), "SEND ACK 5@27");
  EXPECT_EQ(part(memory, 27, 5), part(data, 0, 5));
}

TEST_F(ListEntry, OffsetBeyondTheEndLeavesNothingAndAllElseHappens) {
  append(memory, {.options = kOnce});
  ASSERT_EQ(put_acked(kBits, 1000), PTL_OK);
  EXPECT_EQ(story(1), "LINK PUT 0/8@1000 AUTO_UNLINK");
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(memory, Bytes(32));
}

TEST_F(ListEntry, NoTruncateIsNoMatchForWhatDoesNotFit) {
  append(memory, {.options = kPut | PTL_ME_NO_TRUNCATE, .user = &first_user});
  append(second, {.user = &second_user});
  take(1);
  ASSERT_EQ(put_acked(kBits, 24), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).user_ptr, &first_user);
  ASSERT_EQ(put_acked(kBits, 25), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).user_ptr, &second_user);
}

TEST_F(ListEntry, NoTruncateWithAnOffsetBeyondTheEndIsNoMatchEvenForNothing) {
  append(memory, {.options = kPut | PTL_ME_NO_TRUNCATE});
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .offset = 33, .length = 0}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
}

TEST_F(ListEntry, ManageLocalLaysMessagesOneBehindTheOther) {
  append(memory, {.options = kPut | PTL_ME_MANAGE_LOCAL});
  take(1);
  ASSERT_EQ(put_acked(kBits, 20), PTL_OK);
  ASSERT_EQ(put_acked(kBits, 20), PTL_OK);
  EXPECT_EQ(part(memory, 0, 8), data);
  EXPECT_EQ(part(memory, 8, 8), data);
  const Events events = take(1);
  EXPECT_EQ(story(events), "PUT 8/8@20 PUT 8/8@20");  // as asked for
  EXPECT_EQ(static_cast<std::uint8_t*>(events[1].start) - memory.data(), 8);
  EXPECT_EQ(story(0), "SEND ACK 8@0 SEND ACK 8@8");  // as used
}

TEST_F(ListEntry, ManageLocalHasOneOffsetForEveryOperation) {
  append(memory, {.options = kBoth | PTL_ME_MANAGE_LOCAL});
  std::ranges::copy(pattern(32, 9), memory.begin());
  Bytes fetched(8);
  ASSERT_EQ(put_acked(), PTL_OK);
  ASSERT_EQ(get(bind(fetched)), PTL_OK);
  EXPECT_EQ(fetched, part(pattern(32, 9), 8, 8));
}

TEST_F(ListEntry, FullManageLocalEntryGoesOnTakingNothing) {
  append(memory, {.options = kPut | PTL_ME_MANAGE_LOCAL});
  take(1);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(story(1), "PUT 8/8@0 PUT 8/8@0 PUT 8/8@0 PUT 8/8@0 PUT 0/8@0");
}

TEST_F(ListEntry, MinFreeUnlinksWhenLessIsLeft) {
  append(memory, {.options = kPut | PTL_ME_MANAGE_LOCAL, .min_free = 16});
  take(1);
  ASSERT_EQ(put_acked(), PTL_OK);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT PUT");  // exactly min_free is left
  ASSERT_EQ(put(bind(data), {.length = 1}), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT AUTO_UNLINK");
}

TEST_F(ListEntry, MinFreeIsNotLookedAtWithoutManageLocal) {
  append(memory, {.min_free = 1000});
  ASSERT_EQ(put_acked(), PTL_OK);
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT PUT");
}

TEST_F(ListEntry, NoTruncateWithManageLocalLooksAtWhatIsLeft) {
  append(memory, {.options = kPut | PTL_ME_MANAGE_LOCAL | PTL_ME_NO_TRUNCATE});
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .offset = 500}), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT PUT PUT PUT");
  EXPECT_EQ(drops(1), 1);
}

// ---- Which events are logged

TEST_F(ListEntry, EachEventMayBeDisabled) {
  struct Case {
    unsigned option;
    const char* told;
  };
  for (const Case& c : {Case{PTL_ME_EVENT_LINK_DISABLE, "PUT AUTO_UNLINK"},
                        Case{PTL_ME_EVENT_COMM_DISABLE, "LINK AUTO_UNLINK"},
                        Case{PTL_ME_EVENT_SUCCESS_DISABLE, "LINK AUTO_UNLINK"},
                        Case{PTL_ME_EVENT_UNLINK_DISABLE, "LINK PUT"},
                        Case{PTL_ME_EVENT_OVER_DISABLE, "LINK PUT AUTO_UNLINK"},
                        Case{PTL_ME_EVENT_FLOWCTRL_DISABLE, "LINK PUT AUTO_UNLINK"},
                        Case{PTL_ME_IS_ACCESSIBLE, "LINK PUT AUTO_UNLINK"},
                        Case{PTL_ME_MAY_ALIGN, "LINK PUT AUTO_UNLINK"}}) {
    append(memory, {.options = kOnce | c.option});
    ASSERT_EQ(put_acked(), PTL_OK);
    EXPECT_EQ(kinds(1), c.told) << std::hex << c.option;
  }
}

TEST_F(ListEntry, CounterCountsOperationsWhateverEventsAreDisabled) {
  const ptl_handle_ct_t counted = counter(1);
  append(memory, {.options = kBoth | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE |
                             PTL_ME_EVENT_SUCCESS_DISABLE,
                  .counter = counted});
  const Md mine = bind(data);
  ASSERT_EQ(put(mine), PTL_OK);
  ASSERT_EQ(get(mine), PTL_OK);
  ASSERT_EQ(atomic(mine, PTL_SUM, PTL_UINT8_T), PTL_OK);
  ASSERT_EQ(fetch_atomic(mine, mine, PTL_SUM, PTL_UINT8_T), PTL_OK);
  EXPECT_EQ(count(counted, 1), "4+0");
  EXPECT_EQ(kinds(1), "LINK");
}

TEST_F(ListEntry, CounterMayCountTheBytesMoved) {
  const ptl_handle_ct_t counted = counter(1);
  append(memory,
         {.options = kPut | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES, .counter = counted});
  ASSERT_EQ(put_acked(), PTL_OK);
  ASSERT_EQ(put_acked(kBits, 29), PTL_OK);
  EXPECT_EQ(count(counted, 1), "11+0");
}

TEST_F(ListEntry, CounterIsNotLookedAtWithoutItsOptions) {
  append(memory, {.counter = PTL_INVALID_HANDLE});
  ASSERT_EQ(put_acked(), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT");
  ptl_handle_me_t made = 0;
  EXPECT_EQ(try_append(
                me(memory, {.options = kPut | PTL_ME_EVENT_CT_COMM, .counter = PTL_INVALID_HANDLE}),
                {}, made),
            PTL_ARG_INVALID);
}

// ---- What is refused

TEST_F(ListEntry, EntriesAreOfTheirInterfacesKind) {
  ptl_handle_me_t made = 0;
  const ptl_le_t le{memory.data(), memory.size(), PTL_CT_NONE, PTL_UID_ANY, PTL_LE_OP_PUT};
  EXPECT_EQ(PtlLEAppend(job->ni(), kPortal, &le, PTL_PRIORITY_LIST, nullptr, &made),
            PTL_ARG_INVALID);
  start({.interface = PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL});
  const ptl_me_t entry = me(memory);
  EXPECT_EQ(PtlMEAppend(job->ni(), kPortal, &entry, PTL_PRIORITY_LIST, nullptr, &made),
            PTL_ARG_INVALID);
  // an ME's option
  EXPECT_EQ(try_append(me(memory, {.options = kPut | PTL_ME_MANAGE_LOCAL}), {}, made),
            PTL_ARG_INVALID);
}

TEST_F(ListEntry, UnknownListsOptionsAndPortalsAreInvalid) {
  ptl_handle_me_t made = 0;
  EXPECT_EQ(try_append(me(memory), {.list = 2}, made), PTL_ARG_INVALID);
  EXPECT_EQ(try_append(me(memory, {.options = 0x100000}), {}, made), PTL_ARG_INVALID);
  EXPECT_EQ(try_append(me(memory), {.portal = 5}, made), PTL_ARG_INVALID);
}

TEST_F(ListEntry, WhileAMessageIsBeingDeliveredUnlinkSaysInUse) {
  Bytes large = pattern(4096), room(4096);
  const ptl_handle_me_t entry = append(room);
  put_until_landing(bind(large));
  EXPECT_EQ(unlink(entry), PTL_IN_USE);
  job->settle();
  EXPECT_EQ(room, large);
  EXPECT_EQ(unlink(entry), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT");
}

TEST_F(ListEntry, UnlinkTakesInWhatHasArrivedBeforeItSaysInUse) {
  Bytes large = pattern(4096), room(4096);
  const ptl_handle_me_t entry = append(room);
  put_until_landing(bind(large));
  // the data have arrived, and the program has not looked
  while (job->network().advance_to_next()) job->poll(0);
  EXPECT_EQ(job->landing(1, kPortal), 1U);
  EXPECT_EQ(unlink(entry), PTL_OK);
  EXPECT_EQ(room, large);
}

TEST_F(ListEntry, UsedUpEntryIsOutAtOnceAndToldWhenItsLastMessageHasLanded) {
  Bytes large = pattern(4096), room(4096);
  append(room, {.options = kOnce | PTL_ME_EVENT_LINK_DISABLE});
  put_until_landing(bind(large, {.quiet = true}));
  ASSERT_EQ(put_acked(), PTL_OK);  // settles
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
  EXPECT_EQ(kinds(1), "PUT AUTO_UNLINK");
}

}  // namespace
}  // namespace lintel::testing
