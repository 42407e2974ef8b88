// The functions of p3rt/p3rt.h, clause by clause, in a process on a simulated network. Launchers:
// tests/mpi_layer/p3rt/run.sh.

#include "p3rt/p3rt.h"

#include <cstdlib>

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

constexpr unsigned kAsk = ~0U;

// Process 1 of the simulated job, which acts as rank 1 of 3.
class Runtime : public ProtocolTest {
 protected:
  Runtime() {
    for (const char* name : {"PTL_MY_RID", "PTL_NIDMAP", "PTL_PIDMAP", "PMI_FD", "PMIX_NAMESPACE"})
      ::unsetenv(name);
    job->as(1);
    reopen();
  }
  // Removes what one test has set for an interface that was not opened.
  void TearDown() override {
    reopen();
    ProtocolTest::TearDown();
  }
  void reopen() {
    static_cast<void>(PtlNIFini(job->ni()));
    ptl_handle_ni_t again = PTL_INVALID_HANDLE;
    if (open(again) != PTL_OK) open(again);
  }
  static int open(ptl_handle_ni_t& ni) {
    return PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni);
  }
  ptl_handle_ni_t ni() const { return job->ni(); }
  void environment(const char* my_rid, const char* nidmap, const char* pidmap) {
    ::setenv("PTL_MY_RID", my_rid, 1);
    ::setenv("PTL_NIDMAP", nidmap, 1);
    ::setenv("PTL_PIDMAP", pidmap, 1);
  }
  // Rank 1 is this process.
  ptl_nid_t nids[3] = {7, SimulatedJob::name(1).nid.value, 9};
  ptl_pid_t pids[3] = {70, SimulatedJob::name(1).pid.value, 90};
  ptl_nid_t wrong_nids[3] = {7, 8, 9};
  ptl_pid_t wrong_pids[3] = {70, 80, 90};
  unsigned rank = 100, size = 100;
  ptl_process_id_t id{};
};

TEST_F(Runtime, RankAndMapsThatAreSetForAnOpenInterfaceAreGotBack) {
  ASSERT_EQ(PtlSetRank(ni(), 1, 3), PTL_OK);
  ASSERT_EQ(PtlSetNIDMap(ni(), nids, 3), PTL_OK);
  ASSERT_EQ(PtlSetPIDMap(ni(), pids, 3), PTL_OK);
  ASSERT_EQ(PtlGetRank(ni(), &rank, &size), PTL_OK);
  EXPECT_EQ(rank, 1U);
  EXPECT_EQ(size, 3U);
  ASSERT_EQ(PtlGetRankId(ni(), 2, &id), PTL_OK);
  EXPECT_EQ(id.nid, 9U);
  EXPECT_EQ(id.pid, 90U);
  ptl_nid_t got_nids[3] = {};
  ptl_pid_t got_pids[3] = {};
  ASSERT_EQ(PtlGetNIDMap(ni(), got_nids, 3), PTL_OK);
  ASSERT_EQ(PtlGetPIDMap(ni(), got_pids, 3), PTL_OK);
  EXPECT_TRUE(std::equal(nids, nids + 3, got_nids) && std::equal(pids, pids + 3, got_pids));
}

TEST_F(Runtime, WhatIsSetBeforeIsOfTheInterfaceThatIsOpenedNext) {
  ASSERT_EQ(PtlNIFini(ni()), PTL_OK);
  ASSERT_EQ(PtlSetRank(PTL_INVALID_HANDLE, 1, 3), PTL_OK);
  ASSERT_EQ(PtlSetNIDMap(PTL_INVALID_HANDLE, nids, 3), PTL_OK);
  ASSERT_EQ(PtlSetPIDMap(PTL_INVALID_HANDLE, pids, 3), PTL_OK);
  ptl_handle_ni_t opened = PTL_INVALID_HANDLE;
  ASSERT_EQ(open(opened), PTL_OK);
  ASSERT_EQ(PtlGetRankId(opened, 0, &id), PTL_OK);
  EXPECT_EQ(id.nid, 7U);
  ASSERT_EQ(PtlNIFini(opened), PTL_OK);
  ASSERT_EQ(open(opened), PTL_OK);
  ASSERT_EQ(PtlGetRank(opened, &rank, &size), PTL_OK);
  EXPECT_EQ(size, 1U) << "it was of the one interface, and is no more";
}

TEST_F(Runtime, NidOfTheOwnRankIsTheInterfaces) {
  ASSERT_EQ(PtlSetRank(ni(), 1, 3), PTL_OK);
  EXPECT_EQ(PtlSetNIDMap(ni(), wrong_nids, 3), PTL_FAIL);
  EXPECT_EQ(PtlSetNIDMap(ni(), nids, 3), PTL_OK) << "what fails changes nothing";
  ASSERT_EQ(PtlNIFini(ni()), PTL_OK);
  ASSERT_EQ(PtlSetRank(PTL_INVALID_HANDLE, 1, 3), PTL_OK);
  ASSERT_EQ(PtlSetNIDMap(PTL_INVALID_HANDLE, wrong_nids, 3), PTL_OK);
  ptl_handle_ni_t opened = PTL_INVALID_HANDLE;
  EXPECT_EQ(open(opened), PTL_FAIL);
  EXPECT_EQ(opened, PTL_INVALID_HANDLE);
  EXPECT_EQ(PtlGetRank(ni(), &rank, &size), PTL_NI_INVALID) << "it is shut again";
}

TEST_F(Runtime, PidOfTheOwnRankIsTheInterfaces) {
  ASSERT_EQ(PtlSetRank(ni(), 1, 3), PTL_OK);
  EXPECT_EQ(PtlSetPIDMap(ni(), wrong_pids, 3), PTL_PID_INVALID);
  EXPECT_EQ(PtlSetPIDMap(ni(), pids, 3), PTL_OK);
  ASSERT_EQ(PtlNIFini(ni()), PTL_OK);
  ASSERT_EQ(PtlSetRank(PTL_INVALID_HANDLE, 1, 3), PTL_OK);
  ASSERT_EQ(PtlSetPIDMap(PTL_INVALID_HANDLE, wrong_pids, 3), PTL_OK);
  ptl_handle_ni_t opened = PTL_INVALID_HANDLE;
  EXPECT_EQ(open(opened), PTL_PID_INVALID);
  EXPECT_EQ(open(opened), PTL_OK) << "the next attempt begins anew";
}

TEST_F(Runtime, AMapHasAnEntryForEachRankAndIsSetOnce) {
  EXPECT_EQ(PtlSetNIDMap(PTL_INVALID_HANDLE, nids, 3), PTL_NO_INIT);
  EXPECT_EQ(PtlSetPIDMap(PTL_INVALID_HANDLE, pids, 3), PTL_NO_INIT);
  ASSERT_EQ(PtlSetRank(ni(), 1, 3), PTL_OK);
  EXPECT_EQ(PtlSetNIDMap(ni(), nids, 2), PTL_FAIL);
  EXPECT_EQ(PtlSetPIDMap(ni(), pids, 4), PTL_PID_INVALID);
  ASSERT_EQ(PtlSetNIDMap(ni(), nids, 3), PTL_OK);
  ASSERT_EQ(PtlSetPIDMap(ni(), pids, 3), PTL_OK);
  EXPECT_EQ(PtlSetNIDMap(ni(), nids, 3), PTL_FAIL);
  EXPECT_EQ(PtlSetPIDMap(ni(), pids, 3), PTL_PID_INVALID);
  EXPECT_EQ(PtlSetRank(ni(), 0, 3), PTL_FAIL);
}

TEST_F(Runtime, RankIsBelowTheSize) {
  EXPECT_EQ(PtlSetRank(ni(), 3, 3), PTL_FAIL);
  EXPECT_EQ(PtlSetRank(ni(), kAsk, 3), PTL_FAIL);
  EXPECT_EQ(PtlSetRank(ni(), 0, 0), PTL_FAIL);
  EXPECT_EQ(PtlSetRank(ni(), 0, (1U << 24) + 1), PTL_FAIL);
  EXPECT_EQ(PtlSetRank(ni(), 1, 3), PTL_OK);
  EXPECT_EQ(PtlSetRank(ni(), 0, 2), PTL_OK) << "no map is set yet";
}

TEST_F(Runtime, WhatIsNotKnownIsNotInitialised) {
  ASSERT_EQ(PtlSetRank(ni(), 1, 3), PTL_OK);
  ptl_nid_t map[3] = {};
  EXPECT_EQ(PtlGetNIDMap(ni(), map, 3), PTL_NO_INIT);
  EXPECT_EQ(PtlGetPIDMap(ni(), map, 3), PTL_NO_INIT);
  EXPECT_EQ(PtlGetRankId(ni(), 0, &id), PTL_NO_INIT);
  ASSERT_EQ(PtlSetNIDMap(ni(), nids, 3), PTL_OK);
  EXPECT_EQ(PtlGetRankId(ni(), 0, &id), PTL_NO_INIT);
  ASSERT_EQ(PtlSetPIDMap(ni(), pids, 3), PTL_OK);
  EXPECT_EQ(PtlGetRankId(ni(), 3, &id), PTL_NO_INIT);
  EXPECT_EQ(PtlGetNIDMap(ni(), map, 2), PTL_FAIL);
  EXPECT_EQ(PtlGetPIDMap(ni(), map, 4), PTL_FAIL);
}

TEST_F(Runtime, EnvironmentTellsTheWholeGroup) {
  const std::string nid = std::to_string(nids[1]);
  environment("1", ("7:" + nid + ":9").c_str(), "70:1:90");
  ASSERT_EQ(PtlSetRank(ni(), kAsk, kAsk), PTL_OK);
  ASSERT_EQ(PtlGetRankId(ni(), 2, &id), PTL_OK);
  EXPECT_EQ(id.pid, 90U);
  EXPECT_EQ(PtlSetRank(ni(), kAsk, kAsk), PTL_OK) << "once more does nothing";
  EXPECT_EQ(PtlSetNIDMap(ni(), nids, 3), PTL_FAIL);
}

TEST_F(Runtime, EnvironmentIsAskedByTheFirstGetToo) {
  const std::string nid = std::to_string(nids[1]);
  environment("1", ("7:" + nid).c_str(), "70:1");
  ASSERT_EQ(PtlGetRank(ni(), &rank, &size), PTL_OK);
  EXPECT_EQ(rank, 1U);
  EXPECT_EQ(size, 2U);
}

TEST_F(Runtime, EnvironmentThatIsWrongFailsAndChangesNothing) {
  environment("1", "7:8", "70:80");
  EXPECT_EQ(PtlSetRank(ni(), kAsk, kAsk), PTL_FAIL) << "the nid is not the interface's";
  environment("1", "7", "70");
  EXPECT_EQ(PtlGetRank(ni(), &rank, &size), PTL_FAIL);
  EXPECT_EQ(rank, 100U);
  ::unsetenv("PTL_NIDMAP");
  EXPECT_EQ(PtlSetRank(PTL_INVALID_HANDLE, kAsk, kAsk), PTL_FAIL);
  EXPECT_EQ(PtlSetRank(ni(), 1, 3), PTL_OK);
}

TEST_F(Runtime, NobodyStartedAProcessIsAGroupOfOne) {
  ASSERT_EQ(PtlGetRank(ni(), &rank, &size), PTL_OK);
  EXPECT_EQ(rank, 0U);
  EXPECT_EQ(size, 1U);
  ASSERT_EQ(PtlGetRankId(ni(), 0, &id), PTL_OK);
  EXPECT_EQ(id.nid, nids[1]);
  EXPECT_EQ(id.pid, pids[1]);
}

TEST_F(Runtime, HandlesAndPointersAreLookedAt) {
  ptl_nid_t map[3] = {};
  const ptl_handle_ni_t wrong = queue(0);
  EXPECT_EQ(PtlSetRank(wrong, 0, 1), PTL_NI_INVALID);
  EXPECT_EQ(PtlSetNIDMap(wrong, nids, 3), PTL_NI_INVALID);
  EXPECT_EQ(PtlSetPIDMap(wrong, pids, 3), PTL_NI_INVALID);
  for (const ptl_handle_ni_t handle : {wrong, PTL_INVALID_HANDLE}) {
    EXPECT_EQ(PtlGetRank(handle, &rank, &size), PTL_NI_INVALID);
    EXPECT_EQ(PtlGetRankId(handle, 0, &id), PTL_NI_INVALID);
    EXPECT_EQ(PtlGetNIDMap(handle, map, 1), PTL_NI_INVALID);
    EXPECT_EQ(PtlGetPIDMap(handle, map, 1), PTL_NI_INVALID);
  }
  EXPECT_EQ(PtlSetNIDMap(ni(), nullptr, 3), PTL_SEGV);
  EXPECT_EQ(PtlSetPIDMap(ni(), nullptr, 3), PTL_SEGV);
  EXPECT_EQ(PtlGetRank(ni(), nullptr, &size), PTL_SEGV);
  EXPECT_EQ(PtlGetRank(ni(), &rank, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlGetRankId(ni(), 0, nullptr), PTL_SEGV);
  EXPECT_EQ(PtlGetNIDMap(ni(), nullptr, 1), PTL_SEGV);
  EXPECT_EQ(PtlGetPIDMap(ni(), nullptr, 1), PTL_SEGV);
}

TEST(RuntimeBeforePtlInit, EveryFunctionSaysSo) {
  unsigned number = 0;
  ptl_nid_t map[1] = {};
  ptl_process_id_t id{};
  EXPECT_EQ(PtlSetRank(PTL_INVALID_HANDLE, kAsk, kAsk), PTL_NO_INIT);
  EXPECT_EQ(PtlSetNIDMap(PTL_INVALID_HANDLE, map, 1), PTL_NO_INIT);
  EXPECT_EQ(PtlSetPIDMap(PTL_INVALID_HANDLE, map, 1), PTL_NO_INIT);
  EXPECT_EQ(PtlGetRank(PTL_INVALID_HANDLE, &number, &number), PTL_NO_INIT);
  EXPECT_EQ(PtlGetRankId(PTL_INVALID_HANDLE, 0, &id), PTL_NO_INIT);
  EXPECT_EQ(PtlGetNIDMap(PTL_INVALID_HANDLE, map, 1), PTL_NO_INIT);
  EXPECT_EQ(PtlGetPIDMap(PTL_INVALID_HANDLE, map, 1), PTL_NO_INIT);
}

}  // namespace
}  // namespace lintel::testing
