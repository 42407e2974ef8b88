// Sections 3.5, 3.6, 3.9: starting and ending the library and its interfaces, the four kinds at
// once, names of processes, and maps of ranks.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

constexpr unsigned kMatching = PTL_NI_MATCHING, kNonMatching = PTL_NI_NO_MATCHING,
                   kLogical = PTL_NI_LOGICAL, kPhysical = PTL_NI_PHYSICAL;
constexpr unsigned kFour[] = {kMatching | kLogical, kNonMatching | kLogical, kMatching | kPhysical,
                              kNonMatching | kPhysical};

int open(unsigned options, ptl_handle_ni_t& ni, ptl_pid_t pid = PTL_PID_ANY,
         ptl_ni_limits_t* actual = nullptr) {
  return PtlNIInit(PTL_IFACE_DEFAULT, options, pid, nullptr, actual, &ni);
}

class Interfaces4 : public Portals4Test {};

// ---- PtlInit and PtlFini

TEST_F(Interfaces4, InitAndFiniAreCounted) {
  start({.processes = 1});
  ptl_uid_t uid = 0;
  ASSERT_EQ(PtlInit(), PTL_OK);
  PtlFini();
  EXPECT_EQ(PtlGetUid(job->ni(), &uid), PTL_OK);
  PtlFini();
  EXPECT_EQ(PtlGetUid(job->ni(), &uid), PTL_NO_INIT);
  PtlFini();  // one call too many: no effect
  EXPECT_EQ(PtlGetUid(job->ni(), &uid), PTL_NO_INIT);
}

TEST_F(Interfaces4, TheLastFiniShutsWhatIsOpen) {
  start({.processes = 1});
  Bytes data = pattern(8), memory(8);
  append(memory, {}, 0);
  ASSERT_EQ(post_put(bind(data), {.to = 0}), PTL_OK);
  PtlFini();
  ASSERT_EQ(PtlInit(), PTL_OK);
  ptl_uid_t uid = 0;
  EXPECT_EQ(PtlGetUid(job->ni(), &uid), PTL_ARG_INVALID);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(open(kMatching | kPhysical, ni), PTL_OK);
}

// ---- PtlNIInit and PtlNIFini

TEST_F(Interfaces4, ExactlyOneOfEachPairOfOptions) {
  start({.processes = 1, .open = false});
  ASSERT_EQ(PtlInit(), PTL_OK);
  for (unsigned options = 0; options < 64; ++options) {
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    const bool good = std::ranges::find(kFour, options) != std::end(kFour);
    EXPECT_EQ(open(options, ni), good ? PTL_OK : PTL_ARG_INVALID) << options;
    EXPECT_EQ(ni == PTL_INVALID_HANDLE, !good) << options;
  }
  PtlFini();
}

TEST_F(Interfaces4, WrongArguments) {
  start({.processes = 1, .open = false});
  ASSERT_EQ(PtlInit(), PTL_OK);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  ptl_ni_limits_t actual{};
  EXPECT_EQ(
      PtlNIInit(PTL_IFACE_DEFAULT, kMatching | kPhysical, PTL_PID_ANY, nullptr, &actual, nullptr),
      PTL_ARG_INVALID);
  EXPECT_EQ(
      PtlNIInit(PTL_IFACE_DEFAULT - 1, kMatching | kPhysical, PTL_PID_ANY, nullptr, &actual, &ni),
      PTL_ARG_INVALID);
  for (const ptl_pid_t pid :
       {PTL_PID_MAX, PTL_PID_MAX + 1, PTL_PID_ANY - 1, PTL_PID_ANY + 1, 0xffffffffU}) {
    EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, kMatching | kPhysical, pid, nullptr, &actual, &ni),
              PTL_ARG_INVALID)
        << pid;
  }
  EXPECT_EQ(ni, PTL_INVALID_HANDLE);
  EXPECT_EQ(actual.max_entries, 0);
  PtlFini();
}

TEST_F(Interfaces4, TheFirstInterfaceIsTheDefaultOne) {
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlNIInit(0, kMatching | kPhysical, PTL_PID_ANY, nullptr, nullptr, &ni), PTL_OK);
  EXPECT_EQ(ni, job->ni());
}

TEST_F(Interfaces4, OpeningAKindAgainGivesTheSameHandleAndTheLimitsInForce) {
  ptl_ni_limits_t desired{}, actual{};
  desired.max_cts = 2;
  ptl_handle_ni_t again = PTL_INVALID_HANDLE;
  ASSERT_EQ(
      PtlNIInit(PTL_IFACE_DEFAULT, kMatching | kPhysical, PTL_PID_ANY, &desired, &actual, &again),
      PTL_OK);
  EXPECT_EQ(again, job->ni());
  EXPECT_EQ(actual.max_cts, job->limits().max_cts);
  EXPECT_NE(actual.max_cts, 2);
  EXPECT_EQ(actual.max_msg_size, job->limits().max_msg_size);
}

TEST_F(Interfaces4, EachOpeningWantsItsOwnFini) {
  ptl_handle_ni_t again = PTL_INVALID_HANDLE;
  ASSERT_EQ(open(kMatching | kPhysical, again), PTL_OK);
  const ptl_handle_ct_t ct = counter(0);
  ASSERT_EQ(PtlNIFini(again), PTL_OK);
  EXPECT_EQ(count(ct, 0), "0+0");
  ASSERT_EQ(PtlNIFini(again), PTL_OK);
  EXPECT_EQ(PtlNIFini(again), PTL_ARG_INVALID);
  ptl_ct_event_t value{};
  EXPECT_EQ(PtlCTGet(ct, &value), PTL_ARG_INVALID);
}

TEST_F(Interfaces4, AllHaveOnePid) {
  const ptl_pid_t own = job->id(0).phys.pid;
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(open(kNonMatching | kPhysical, ni, own + 1), PTL_ARG_INVALID);
  EXPECT_EQ(ni, PTL_INVALID_HANDLE);
  EXPECT_EQ(open(kNonMatching | kPhysical, ni, own), PTL_OK);
}

// A pid that PTL_PID_ANY gave is usually above those that a program may choose.
TEST_F(Interfaces4, TheProcessOwnPidIsGoodHoweverLargeItIs) {
  constexpr ptl_pid_t kLarge = 40000;
  transport::SimulatedNetwork network{{}};
  auto factory = [&network](Pid, std::string&) -> Result<std::unique_ptr<transport::Transport>> {
    transport::SessionOptions session;
    session.incarnation = 1;
    return std::unique_ptr<transport::Transport>(std::make_unique<transport::Session>(
        network.join({NodeId(0x0a000009), Pid(kLarge)}), session));
  };
  start({.processes = 0});
  portals::ProcessOptions options;
  options.progress_thread = false;
  portals::Process process(options, factory);
  const portals::ScopedProcess scoped(process);
  ASSERT_EQ(PtlInit(), PTL_OK);
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE, again = PTL_INVALID_HANDLE, other = PTL_INVALID_HANDLE;
  EXPECT_EQ(open(kMatching | kPhysical, ni, kLarge), PTL_ARG_INVALID)
      << "no process has it yet, and none may ask for it";
  ASSERT_EQ(open(kMatching | kPhysical, ni), PTL_OK);
  ptl_process_t id;
  ASSERT_EQ(PtlGetPhysId(ni, &id), PTL_OK);
  ASSERT_EQ(id.phys.pid, kLarge);
  EXPECT_EQ(open(kMatching | kPhysical, again, kLarge), PTL_OK);
  EXPECT_EQ(again, ni);
  EXPECT_EQ(open(kNonMatching | kPhysical, other, kLarge), PTL_OK);
  for (const ptl_pid_t pid : {1U, PTL_PID_MAX, kLarge - 1, kLarge + 1}) {
    EXPECT_EQ(open(kMatching | kPhysical, again, pid), PTL_ARG_INVALID) << pid;
    EXPECT_EQ(open(kMatching | kLogical, again, pid), PTL_ARG_INVALID) << pid;
  }
  PtlFini();
}

TEST_F(Interfaces4, OpeningAKindAgainWithAnotherPidIsInvalid) {
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(open(kMatching | kPhysical, ni, job->id(0).phys.pid + 1), PTL_ARG_INVALID);
  EXPECT_EQ(open(kMatching | kPhysical, ni, job->id(0).phys.pid), PTL_OK);
}

TEST_F(Interfaces4, FourKindsAtOnceAreApart) {
  start({.open = false});
  ptl_handle_ni_t ni[2][4]{};
  Bytes memory[4];
  for (std::size_t rank = 0; rank < 2; ++rank) {
    job->as(rank);
    ASSERT_EQ(PtlInit(), PTL_OK);
    for (int kind = 0; kind < 4; ++kind) {
      ASSERT_EQ(open(kFour[kind], ni[rank][kind]), PTL_OK);
      const ptl_process_t map[] = {job->physical_id(0), job->physical_id(1)};
      if ((kFour[kind] & kLogical) != 0) {
        ASSERT_EQ(PtlSetMap(ni[rank][kind], 2, map), PTL_OK);
      }
      ptl_process_t id{};
      ASSERT_EQ(PtlGetPhysId(ni[rank][kind], &id), PTL_OK);
      EXPECT_EQ(id.phys.nid, map[rank].phys.nid);
      EXPECT_EQ(id.phys.pid, map[rank].phys.pid);
      for (int other = 0; other < kind; ++other)
        EXPECT_FALSE(PtlHandleIsEqual(ni[rank][kind], ni[rank][other]));
      if (rank == 0) continue;
      memory[kind].resize(8);
      ptl_pt_index_t index = 99;
      ASSERT_EQ(PtlPTAlloc(ni[1][kind], 0, PTL_EQ_NONE, PTL_PT_ANY, &index), PTL_OK);
      EXPECT_EQ(index, 0U);
      ptl_handle_me_t made = PTL_INVALID_HANDLE;
      ptl_me_t me{memory[kind].data(), 8, PTL_CT_NONE, PTL_UID_ANY, PTL_ME_OP_PUT, {}, 0, 0, 0};
      me.match_id.phys = {PTL_NID_ANY, PTL_PID_ANY};
      if ((kFour[kind] & kLogical) != 0) me.match_id.rank = PTL_RANK_ANY;
      const ptl_le_t le{me.start, 8, PTL_CT_NONE, PTL_UID_ANY, PTL_LE_OP_PUT};
      ASSERT_EQ((kFour[kind] & kMatching) != 0
                    ? PtlMEAppend(ni[1][kind], 0, &me, PTL_PRIORITY_LIST, nullptr, &made)
                    : PtlLEAppend(ni[1][kind], 0, &le, PTL_PRIORITY_LIST, nullptr, &made),
                PTL_OK);
    }
  }
  job->as(0);
  for (int kind = 0; kind < 4; ++kind) {
    Bytes data = pattern(8, static_cast<std::uint8_t>(kind + 1));
    ptl_md_t md{data.data(), 8, 0, PTL_EQ_NONE, PTL_CT_NONE};
    ptl_handle_md_t bound = PTL_INVALID_HANDLE;
    ASSERT_EQ(PtlMDBind(ni[0][kind], &md, &bound), PTL_OK);
    const ptl_process_t target =
        (kFour[kind] & kLogical) != 0 ? ptl_process_t{1} : job->physical_id(1);
    ASSERT_EQ(PtlPut(bound, 0, 8, PTL_NO_ACK_REQ, target, 0, 0, 0, nullptr, 0), PTL_OK);
    job->settle();
    for (int other = 0; other < 4; ++other) {
      const Bytes expected =
          other <= kind ? pattern(8, static_cast<std::uint8_t>(other + 1)) : Bytes(8);
      EXPECT_EQ(memory[other], expected) << "kind " << other << " after " << kind;
    }
  }
  for (std::size_t rank = 0; rank < 2; ++rank) {
    job->as(rank);
    PtlFini();
  }
}

TEST_F(Interfaces4, AnInterfaceThatIsShutTakesNothingAndTheOthersGoOn) {
  Bytes data = pattern(8), memory(8);
  append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
  job->as(1);
  ptl_handle_ni_t other = PTL_INVALID_HANDLE;
  ASSERT_EQ(open(kNonMatching | kPhysical, other), PTL_OK);
  ASSERT_EQ(PtlNIFini(other), PTL_OK);
  job->as(0);
  ASSERT_EQ(put(bind(data), {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(memory, data);
}

TEST_F(Interfaces4, ShuttingEndsWhatIsInFlight) {
  Bytes data = pattern(20000), memory(20000);
  append(memory, {.options = kBoth | PTL_ME_EVENT_LINK_DISABLE});
  put_until_landing(bind(data), {.ack = PTL_ACK_REQ});
  const Md md = bind(data);
  ASSERT_EQ(post_get(md), PTL_OK);
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  job->settle();
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  EXPECT_EQ(open(kMatching | kPhysical, ni), PTL_OK);
  job->run(1s);
}

// ---- Names of processes

TEST_F(Interfaces4, IdsOfAPhysicalInterface) {
  ptl_process_t id{}, physical{};
  ptl_uid_t uid = 0;
  ASSERT_EQ(PtlGetId(job->ni(), &id), PTL_OK);
  ASSERT_EQ(PtlGetPhysId(job->ni(), &physical), PTL_OK);
  for (const ptl_process_t& found : {id, physical}) {
    EXPECT_EQ(found.phys.nid, job->id(0).phys.nid);
    EXPECT_EQ(found.phys.pid, job->id(0).phys.pid);
  }
  ASSERT_EQ(PtlGetUid(job->ni(), &uid), PTL_OK);
  EXPECT_EQ(uid, 1000U);
}

TEST_F(Interfaces4, MapsAreForLogicalInterfaces) {
  const ptl_process_t map[] = {job->physical_id(0)};
  ptl_process_t read{};
  ptl_size_t size = 0;
  EXPECT_EQ(PtlSetMap(job->ni(), 1, map), PTL_ARG_INVALID);
  EXPECT_EQ(PtlGetMap(job->ni(), 1, &read, &size), PTL_ARG_INVALID);
}

class Maps4 : public Portals4Test {
 protected:
  Maps4() { start({.processes = 3, .interface = kMatching | kLogical, .map = false}); }
};

TEST_F(Maps4, BeforeTheMap) {
  ptl_process_t id{}, map[3];
  ptl_size_t size = 4711;
  EXPECT_EQ(PtlGetMap(job->ni(), 3, map, &size), PTL_NO_SPACE);
  EXPECT_EQ(size, 4711U);
  EXPECT_EQ(PtlGetId(job->ni(), &id), PTL_FAIL);
  EXPECT_EQ(PtlGetPhysId(job->ni(), &id), PTL_OK);
  EXPECT_EQ(id.phys.nid, job->physical_id(0).phys.nid);
  Bytes data(8);
  EXPECT_EQ(put(bind(data), {.to = 0}), PTL_ARG_INVALID);
}

TEST_F(Maps4, RanksAreTheIds) {
  for (std::size_t rank = 0; rank < 3; ++rank) {
    ASSERT_EQ(job->set_map(rank), PTL_OK);
    ptl_process_t id{99};
    ASSERT_EQ(PtlGetId(job->ni(), &id), PTL_OK);
    EXPECT_EQ(id.rank, rank);
    ASSERT_EQ(PtlGetPhysId(job->ni(), &id), PTL_OK);
    EXPECT_EQ(id.phys.nid, job->physical_id(rank).phys.nid);
  }
}

TEST_F(Maps4, TheFirstMapStaysAndIsACopy) {
  std::vector<ptl_process_t> map{job->physical_id(2), job->physical_id(0)};
  ASSERT_EQ(PtlSetMap(job->ni(), 2, map.data()), PTL_OK);
  map.assign(2, job->physical_id(1));
  EXPECT_EQ(PtlSetMap(job->ni(), 2, map.data()), PTL_IGNORED);
  ptl_process_t read[4]{}, id{};
  ptl_size_t size = 0;
  ASSERT_EQ(PtlGetMap(job->ni(), 4, read, &size), PTL_OK);
  EXPECT_EQ(size, 2U);
  EXPECT_EQ(read[0].phys.nid, job->physical_id(2).phys.nid);
  EXPECT_EQ(read[1].phys.nid, job->physical_id(0).phys.nid);
  EXPECT_EQ(read[2].phys.nid, 0U) << "written beyond the map";
  ASSERT_EQ(PtlGetId(job->ni(), &id), PTL_OK);
  EXPECT_EQ(id.rank, 1U);
}

TEST_F(Maps4, AsMuchOfTheMapAsThereIsRoomFor) {
  ASSERT_EQ(job->set_map(0), PTL_OK);
  ptl_process_t read[3]{};
  ptl_size_t size = 0;
  EXPECT_EQ(PtlGetMap(job->ni(), 0, nullptr, &size), PTL_OK);
  EXPECT_EQ(size, 3U);
  EXPECT_EQ(PtlGetMap(job->ni(), 2, read, nullptr), PTL_OK);
  EXPECT_EQ(read[1].phys.nid, job->physical_id(1).phys.nid);
  EXPECT_EQ(read[2].phys.nid, 0U);
}

TEST_F(Maps4, AProcessThatIsNotInTheMapHasNoRank) {
  const ptl_process_t map[] = {job->physical_id(1), job->physical_id(2)};
  ASSERT_EQ(PtlSetMap(job->ni(), 2, map), PTL_OK);
  ptl_process_t id{};
  EXPECT_EQ(PtlGetId(job->ni(), &id), PTL_FAIL);
}

TEST_F(Maps4, RankBeyondTheMapIsInvalid) {
  for (std::size_t rank = 0; rank < 3; ++rank) ASSERT_EQ(job->set_map(rank), PTL_OK);
  job->as(0);
  Bytes data(8);
  const Md md = bind(data);
  for (const ptl_rank_t rank : {ptl_rank_t{3}, PTL_RANK_ANY}) {
    EXPECT_EQ(
        PtlPut(md.handle, 0, 8, PTL_NO_ACK_REQ, ptl_process_t{rank}, kPortal, 0, 0, nullptr, 0),
        PTL_ARG_INVALID);
    EXPECT_EQ(PtlGet(md.handle, 0, 8, ptl_process_t{rank}, kPortal, 0, 0, nullptr),
              PTL_ARG_INVALID);
  }
  EXPECT_EQ(put(md, {.to = 2}), PTL_OK);
}

}  // namespace
}  // namespace lintel::testing
