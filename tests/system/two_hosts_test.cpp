// Two network namespaces joined by a pair of virtual Ethernet devices stand for two hosts.

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/system/job/lost_connections.h"
#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"
#include "tests/system/job/separate_hosts.h"

namespace lintel::testing {
namespace {

class TwoHostsOnDirect : public SeparateHosts {
 protected:
  std::vector<std::string> cable(const ProcessGroup& job) override {
    return {"ip link add host0 netns " + std::to_string(job.os_pid(0)) +
            " type veth peer name host1 netns " + std::to_string(job.os_pid(1))};
  }
  std::string device(std::size_t rank) const override { return "host" + std::to_string(rank); }

  // The packets of the rank go to an address that no device has: TCP notices nothing, as it would
  // of a device that is down.
  void divert(const ProcessGroup& job, std::size_t rank) const {
    EXPECT_TRUE(run(inside(job, rank) + "ip neighbour replace" + neighbour(rank) +
                    " lladdr 02:00:00:00:00:01 nud permanent"));
  }
  void undivert(const ProcessGroup& job, std::size_t rank) const {
    EXPECT_TRUE(run(inside(job, rank) + "ip neighbour del" + neighbour(rank)));
  }

 private:
  std::string neighbour(std::size_t rank) const {
    return " " + address(1 - rank) + " dev " + device(rank);
  }
};
class TwoHosts : public TwoHostsOnDirect, public ::testing::WithParamInterface<const char*> {};
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

// TCP itself sends again 6 s after the cut and then only after 12 s. The operation does not wait so
// long.
TEST_F(TwoHostsOnDirect, ACableThatIsMendedInTimeLosesNothing) {
  ProcessGroup job(2, {{"LINTEL_PROVIDER", "direct"}, {"LINTEL_PEER_TIMEOUT", "12s"}});
  constexpr std::size_t kConnected = 4;
  constexpr std::size_t kCut = 5;
  start(job, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(4096);
    expose(ni, 1, describe(memory, queue, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    rank.barrier();
    if (rank.number == 0) {
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
      expect_sent_and_acked(queue);
      rank.board.set(kConnected, 1);
      rank.board.await(kCut, 1);
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 1));
      expect_sent_and_acked(queue);
    } else {
      for (const std::uint64_t number : {0U, 1U})
        EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).hdr_data, number);
    }
    rank.barrier();
    PtlFini();
  });
  if (cannot_start()) return;
  job.board().await(kConnected, 1);
  for (const std::size_t rank : {0U, 1U}) divert(job, rank);
  job.board().set(kCut, 1);
  ::sleep(8);
  for (const std::size_t rank : {0U, 1U}) undivert(job, rank);
  job.join_all();
}

// One put, to its end. True: it was acknowledged.
bool succeeds(ptl_handle_md_t md, ptl_handle_eq_t queue, ptl_process_id_t to,
              std::uint64_t number) {
  LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, to, kPortal, 0, 1, 0, number));
  bool is_sent = false, is_acknowledged = false;
  while (!is_sent || !is_acknowledged) {
    const ptl_event_t event = next_event(queue);
    if (event.ni_fail_type != PTL_NI_OK) {
      EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD);
      // No ACK follows a failed SEND_END.
      if (event.type == PTL_EVENT_ACK && !is_sent) next_event(queue);
      return false;
    }
    (event.type == PTL_EVENT_ACK ? is_acknowledged : is_sent) = true;
  }
  return true;
}

// The system destroys the connections of two processes that live. `direct` puts others in their
// place. libfabric's providers do not: the peer is lost, which each operation under way is told,
// and the next one begins a new session.
TEST_P(TwoHosts, DestroyedConnectionsAreResumedOrReported) {
  constexpr std::size_t kBusy = 4;
  constexpr std::size_t kEnough = 5;
  constexpr std::size_t kFailed = 6;     // board word: so many puts
  constexpr std::size_t kSucceeded = 7;  // board word: so many puts
  if (const std::string obstacle = LostConnections::destroying_obstacle(); !obstacle.empty())
    GTEST_SKIP() << obstacle;
  const bool resumes = std::string(GetParam()) == "direct";
  const LostConnections connections;
  Environment environment = connections.counting();
  environment["LINTEL_PROVIDER"] = GetParam();
  // Where only one end has lost it, a put fails by the timeout.
  environment["LINTEL_PEER_TIMEOUT"] = resumes ? "5s" : "2s";
  ProcessGroup job(2, environment);
  start(job, [resumes](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(4096);
    expose(ni, 1, describe(memory, queue, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    rank.barrier();
    Board& board = rank.board;
    if (rank.number == 0) {
      std::uint64_t number = 0, failed = 0;
      bool has_succeeded = false;
      while (board.get(kEnough) == 0 || !has_succeeded) {
        has_succeeded = succeeds(md, queue, board.id(1), ++number);
        if (!has_succeeded) board.set(kFailed, ++failed);
        board.set(kBusy, number);
      }
      EXPECT_TRUE(!resumes || failed == 0);
      board.set(kSucceeded, number - failed);
      board.set(kOver, 1);
    } else {
      std::uint64_t arrived = 0, last = 0;
      ptl_event_t event;
      int which = 0;
      // Once more after the end, for what has arrived until then.
      for (bool is_over = false; !is_over;) {
        is_over = board.get(kOver) == 1;
        while (PtlEQPoll(&queue, 1, 10, &event, &which) == PTL_OK) {
          EXPECT_EQ(event.type, PTL_EVENT_PUT_END);
          EXPECT_GT(event.hdr_data, last) << "repeated, or out of order";
          last = event.hdr_data;
          ++arrived;
        }
      }
      EXPECT_GE(arrived, board.get(kSucceeded));
    }
    rank.barrier();
    PtlFini();
  });
  if (cannot_start()) return;
  job.board().await(kBusy, 1);
  const int most = resumes ? 20 : 200;
  for (int times = 0; times < most && job.board().get(kFailed) < 3; ++times) {
    const std::uint64_t before = job.board().get(kBusy);
    EXPECT_TRUE(run(inside(job, 0) + "ss -tK > /dev/null"));
    job.board().await(kBusy, before + 2);
  }
  job.board().set(kEnough, 1);
  job.join_all();
  if (resumes) {
    EXPECT_GT(connections.resumed(), 0U) << "the test saw what it is about";
  } else {
    EXPECT_GE(job.board().get(kFailed), 3U) << "the test saw what it is about";
  }
}

// Whether the first thread of the process does, before the time of a test is over.
bool falls_asleep(pid_t process) {
  const auto limit = std::chrono::steady_clock::now() + Board::kTimeout;
  while (std::chrono::steady_clock::now() < limit) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(") ");
    if (name_end != std::string::npos && text[name_end + 2] == 'S') return true;
    ::usleep(1000);
  }
  return false;
}

// The program of the receiver sleeps in PtlEQWait. The system destroys the sender's socket alone:
// no reset reaches the receiver, for which the connection goes on until another one comes.
TEST_F(TwoHostsOnDirect, ASleepingReceiverTakesTheNewConnectionIn) {
  constexpr std::size_t kSleeps = 4;
  constexpr std::size_t kDestroyed = 5;
  if (const std::string obstacle = LostConnections::destroying_obstacle(); !obstacle.empty())
    GTEST_SKIP() << obstacle;
  const LostConnections connections;
  ProcessGroup job(2, connections.counting());
  start(job, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(4096);
    std::vector<std::byte> source = patterned(memory.size(), 7);
    expose(ni, 1, describe(memory, queue, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(source, queue));
    rank.barrier();
    if (rank.number == 0) {
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
      expect_sent_and_acked(queue);
      rank.board.await(kDestroyed, 1);
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 1));
      expect_sent_and_acked(queue);
    } else {
      EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).hdr_data, 0U);
      fill(memory, 8);
      rank.board.set(kSleeps, 1);
      ptl_event_t event;
      LINTEL_MUST(PtlEQWait(queue, &event));
      EXPECT_EQ(event.type, PTL_EVENT_PUT_END);
      EXPECT_EQ(event.hdr_data, 1U);
      EXPECT_TRUE(holds_pattern(memory, 7));
    }
    rank.barrier();
    PtlFini();
  });
  if (cannot_start()) return;
  job.board().await(kSleeps, 1);
  const auto is_connected = [&](std::size_t rank) {
    return run(inside(job, rank) + "ss -Htn state established | grep -q .");
  };
  EXPECT_TRUE(falls_asleep(job.os_pid(1)));
  EXPECT_TRUE(is_connected(0) && is_connected(1));
  divert(job, 0);
  EXPECT_TRUE(run(inside(job, 0) + "ss -tK > /dev/null"));
  EXPECT_FALSE(is_connected(0));
  EXPECT_TRUE(is_connected(1)) << "the receiver has noticed it";
  undivert(job, 0);
  job.board().set(kDestroyed, 1);
  job.join_all();
  EXPECT_GT(connections.resumed(), 0U) << "the test saw what it is about";
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
