// Two network namespaces joined by a pair of virtual Ethernet devices stand for two hosts. They
// belong to the ranks and disappear with them.

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

// board word, plus the rank: it is in its own namespace (kIsApart), or its error
constexpr std::size_t kApart = 0;
constexpr std::size_t kWired = 2;  // board word: the virtual cable is connected
constexpr std::size_t kOver = 3;   // board word: the namespaces are no longer needed

constexpr std::uint64_t kIsApart = 100'000;

bool run(const std::string& command) { return std::system(command.c_str()) == 0; }

// Returns "" if the command succeeds, else its output.
std::string complaint_of(const std::string& command) {
  std::FILE* output = ::popen((command + " 2>&1").c_str(), "r");
  if (output == nullptr) return command + ": " + std::strerror(errno);
  std::string said;
  char piece[256];
  while (std::fgets(piece, sizeof piece, output) != nullptr) said += piece;
  if (::pclose(output) == 0) return {};
  return command + ": " + (said.empty() ? "failed" : said);
}

// Whether the message is about a missing permission. Any other error fails the test.
bool not_permitted(const std::string& complaint) {
  return complaint.find(std::strerror(EPERM)) != std::string::npos;
}

std::string address(std::size_t rank) { return "10.77.0." + std::to_string(rank + 1); }

class TwoHosts : public ::testing::TestWithParam<const char*> {
 protected:
  // Starts two ranks, each on a host of its own, and runs `body` there once they can reach each
  // other.
  void start(ProcessGroup& job, const ProcessGroup::Body& body) {
    for (const char* tool : {"ip", "nsenter"}) {
      if (!run(std::string("command -v ") + tool + " > /dev/null"))
        GTEST_SKIP() << "the program '" << tool << "' is not installed";
    }
    for (std::size_t rank = 0; rank < 2; ++rank) {
      job.set("LINTEL_INTERFACE", address(rank));
      job.start(rank, [body](Rank& self) {
        const bool apart = ::unshare(CLONE_NEWNET) == 0;
        self.board.set(kApart + self.number, apart ? kIsApart : static_cast<std::uint64_t>(errno));
        if (!apart) return;
        self.board.await(kWired, 1);
        body(self);
      });
    }
    for (std::size_t rank = 0; rank < 2; ++rank) {
      job.board().await(kApart + rank, 1);
      const std::uint64_t result = job.board().get(kApart + rank);
      if (result != kIsApart) give_up(job);
      if (result == EPERM)
        GTEST_SKIP() << "network namespaces are not permitted here: unshare says EPERM";
      ASSERT_EQ(result, kIsApart) << "unshare: " << std::strerror(static_cast<int>(result));
    }
    const std::string complaint = plug_in(job);
    if (!complaint.empty()) give_up(job);
    if (not_permitted(complaint))
      GTEST_SKIP() << "joining network namespaces is not permitted here: " << complaint;
    ASSERT_EQ(complaint, "");
    job.board().set(kWired, 1);
  }
  // Whether there is nothing to run: skipped, or already failed.
  static bool cannot_start() { return IsSkipped() || HasFatalFailure(); }

  static std::string inside(const ProcessGroup& job, std::size_t rank) {
    return "nsenter -n -t " + std::to_string(job.os_pid(rank)) + " ";
  }

 private:
  static void give_up(ProcessGroup& job) {
    job.disregard(0);
    job.disregard(1);
  }
  // Returns "" or what went wrong.
  static std::string plug_in(const ProcessGroup& job) {
    const std::string pids[] = {std::to_string(job.os_pid(0)), std::to_string(job.os_pid(1))};
    std::vector<std::string> commands{"ip link add host0 netns " + pids[0] +
                                      " type veth peer name host1 netns " + pids[1]};
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const std::string device = "host" + std::to_string(rank);
      commands.push_back(inside(job, rank) + "ip link set lo up");
      commands.push_back(inside(job, rank) + "ip address add " + address(rank) + "/24 dev " +
                         device);
      commands.push_back(inside(job, rank) + "ip link set " + device + " up");
    }
    for (const std::string& command : commands) {
      if (const std::string complaint = complaint_of(command); !complaint.empty()) return complaint;
    }
    return {};
  }
};
INSTANTIATE_TEST_SUITE_P(, TwoHosts, ::testing::Values("direct", "net", "tcp;ofi_rxm"),
                         provider_name);

TEST_P(TwoHosts, PutAndGetBetweenHostsArriveByteForByte) {
  ProcessGroup job(2, {{"LINTEL_PROVIDER", GetParam()}});
  start(job, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    EXPECT_EQ(own_id(ni).nid, 0x0a4d0001U + rank.number);
    unsigned long distance = 0;
    LINTEL_MUST(PtlNIDist(ni, rank.board.id(rank.other()), &distance));
    EXPECT_EQ(distance, 2U);
    const ptl_handle_eq_t queue = make_queue(ni);
    constexpr std::size_t kLength = std::size_t{3} << 20;
    std::vector<std::byte> landing(kLength);
    std::vector<std::byte> offered = patterned(kLength, 20 + rank.number);
    const ptl_handle_eq_t arrivals = make_queue(ni);
    expose(ni, 1, describe(landing, arrivals, kOpen));
    expose(ni, 2, describe(offered, PTL_EQ_NONE, kOpen));
    rank.barrier();
    std::vector<std::byte> source = patterned(kLength, 30 + rank.number);
    std::vector<std::byte> fetched(kLength);
    const ptl_handle_md_t put_md = bind(ni, describe(source, queue));
    const ptl_handle_md_t get_md = bind(ni, describe(fetched, queue));
    const ptl_process_id_t peer = rank.board.id(rank.other());
    for (const std::size_t length : {std::size_t{8}, std::size_t{1024}, kLength}) {
      LINTEL_MUST(PtlPutRegion(put_md, 0, length, PTL_ACK_REQ, peer, kPortal, 0, 1, 0, 0));
      EXPECT_EQ(expect_sent_and_acked(queue).mlength, length);
      LINTEL_MUST(PtlGetRegion(get_md, 0, length, peer, kPortal, 0, 2, 0));
      EXPECT_EQ(expect_event(queue, PTL_EVENT_REPLY_END).mlength, length);
      EXPECT_TRUE(holds_pattern(std::span<std::byte>(fetched).first(length), 20 + rank.other()));
      EXPECT_EQ(expect_event(arrivals, PTL_EVENT_PUT_END).initiator.nid, peer.nid);
    }
    EXPECT_TRUE(holds_pattern(landing, 30 + rank.other()));
    rank.barrier();
    PtlFini();
  });
  if (cannot_start()) return;
  job.join_all();
}

// The cable is cut: no reset, no refusal, nothing arrives any more.
TEST_P(TwoHosts, ACutCableFailsOperationsByThePeerTimeout) {
  ProcessGroup job(2, {{"LINTEL_PROVIDER", GetParam()}, {"LINTEL_PEER_TIMEOUT", "2s"}});
  constexpr std::size_t kConnected = 4;
  constexpr std::size_t kCut = 5;
  start(job, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(4096);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    rank.barrier();
    if (rank.number == 1) {
      rank.board.await(kOver, 1);
      PtlFini();  // before the memory goes
      return;
    }
    const ptl_process_id_t peer = rank.board.id(1);
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, peer, kPortal, 0, 1, 0, 0));
    expect_sent_and_acked(queue);
    rank.board.set(kConnected, 1);
    rank.board.await(kCut, 1);
    LINTEL_MUST(PtlGet(md, peer, kPortal, 0, 1, 0));
    const ptl_event_t event = next_event(queue, std::chrono::milliseconds(3500));
    EXPECT_EQ(event.type, PTL_EVENT_REPLY_END);
    EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD);
    rank.board.set(kOver, 1);
    PtlFini();
  });
  if (cannot_start()) return;
  job.board().await(kConnected, 1);
  EXPECT_TRUE(run(inside(job, 0) + "ip link set host0 down"));
  job.board().set(kCut, 1);
  job.join_all();
}

#ifdef LINTEL_PERF
TEST_P(TwoHosts, LintelPerfMeasuresBetweenHosts) {
  ProcessGroup job(2, {{"LINTEL_PROVIDER", GetParam()}});
  start(job, [](Rank& rank) { rank.board.await(kOver, 1); });
  if (cannot_start()) return;
  ASSERT_EQ(::setenv("LINTEL_PROVIDER", GetParam(), 1), 0);
  const std::string server =
      inside(job, 0) + "timeout 50 " LINTEL_PERF " --server --once --bind " + address(0);
  const std::string client =
      inside(job, 1) +
      "timeout 40 " LINTEL_PERF " put-lat --sizes 8,64K --iterations 200 --client " + address(0);
  std::FILE* serving = ::popen((server + " > /dev/null").c_str(), "w");
  ASSERT_NE(serving, nullptr);
  ::sleep(1);
  EXPECT_TRUE(run(client)) << client;
  EXPECT_EQ(::pclose(serving), 0);
  job.board().set(kOver, 1);
  job.join_all();
}
#endif

}  // namespace
}  // namespace lintel::testing
