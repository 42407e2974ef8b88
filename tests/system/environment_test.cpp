// Settings from the environment: the promises of doc/configuration.md, observed from outside of the
// process.

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/system/job/counters_file.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"
#include "tests/temporary_folder.h"

namespace lintel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kPid = 0;    // board word, plus the rank: its process id
constexpr std::size_t kOver = 8;   // board word: the ranks may end
constexpr std::size_t kReady = 9;  // board word: the rank is in the state that the test wants

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// A folder for each test's files, and functions that read them.
class EnvironmentSettings : public ::testing::Test {
 protected:
  std::string in_folder(const std::string& name) const { return folder_.file(name); }
  std::string file_of(ProcessGroup& job, const std::string& name, std::size_t rank) const {
    return in_folder(name + std::to_string(job.board().get(kPid + rank)));
  }

  // Redirects the rank's standard error to the file, whose name gets its process id.
  static void redirect_errors(const std::string& path) {
    ASSERT_NE(std::freopen(path.c_str(), "a", stderr), nullptr);
  }

  // Waits until the file contains `what`. Returns the file's text, whatever it is by then.
  static std::string content_once_it_has(const std::string& path, const std::string& what) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (content(path).find(what) == std::string::npos &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return content(path);
  }

 private:
  TemporaryFolder folder_;
};

// ---- LINTEL_COUNTERS_FILE

TEST_F(EnvironmentSettings, TheCountersFileHasEachProcessNumbersOnceItEnds) {
  ProcessGroup job(2, {{"LINTEL_COUNTERS_FILE", in_folder("counters.%p")}});
  const std::string prefix = in_folder("counters.");
  job.start_all([prefix](Rank& rank) {
    rank.board.set(kPid + rank.number, static_cast<std::uint64_t>(::getpid()));
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory(1000);
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    rank.barrier();
    if (rank.number == 0) {
      const ptl_process_id_t peer = rank.board.id(1);
      const ptl_handle_md_t md = bind(ni, describe(memory, queue));
      for (int i = 0; i < 5; ++i) {
        LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, peer, kPortal, 0, 1, 0, 0));
        expect_sent_and_acked(queue);
      }
      for (int i = 0; i < 3; ++i) {
        LINTEL_MUST(PtlGetRegion(md, 0, 100, peer, kPortal, 0, 1, 0));
        expect_event(queue, PTL_EVENT_REPLY_END);
      }
      for (int i = 0; i < 2; ++i) {
        LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, peer, kPortal, 0, 4711, 0, 0));  // matches nothing
        expect_event(queue, PTL_EVENT_SEND_END);
      }
      // everything before it has been handled too
      LINTEL_MUST(PtlGetRegion(md, 0, 100, peer, kPortal, 0, 1, 0));
      expect_event(queue, PTL_EVENT_REPLY_END);
    }
    rank.barrier();
    EXPECT_FALSE(exists(prefix + std::to_string(::getpid()))) << "before the end";
    if (rank.number == 1)
      rank.board.await(kOver, 1);  // the end of the other process counts in peer_failures
    PtlFini();
    EXPECT_TRUE(exists(prefix + std::to_string(::getpid())));
    if (rank.number == 0) rank.board.set(kOver, 1);
  });
  job.join_all();
  std::map<std::string, std::uint64_t> initiator = counters_in(file_of(job, "counters.", 0));
  std::map<std::string, std::uint64_t> target = counters_in(file_of(job, "counters.", 1));
  EXPECT_EQ(initiator["puts_sent"], 7U);
  EXPECT_EQ(target["puts_received"], 7U);
  EXPECT_EQ(target["acks_sent"], 5U);
  EXPECT_EQ(initiator["acks_received"], 5U);
  EXPECT_EQ(initiator["gets_sent"], 4U);
  EXPECT_EQ(target["gets_received"], 4U);
  EXPECT_EQ(target["replies_sent"], 4U);
  EXPECT_EQ(initiator["replies_received"], 4U);
  EXPECT_EQ(target["drops_no_match"], 2U);
  EXPECT_EQ(initiator["bytes_sent"], 7U * 1000U);
  EXPECT_EQ(target["bytes_sent"], 4U * 100U);
  EXPECT_EQ(initiator["puts_received"], 0U);
  EXPECT_EQ(target["puts_sent"], 0U);
  EXPECT_EQ(initiator["peer_failures"], 0U);
}

// One put of the process to itself.
void put_to_oneself(Rank& rank) {
  const ptl_handle_ni_t ni = open_interface(rank);
  std::vector<std::byte> memory(100);
  const ptl_handle_eq_t queue = make_queue(ni);
  expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
  LINTEL_MUST(
      PtlPut(bind(ni, describe(memory, queue)), PTL_ACK_REQ, own_id(ni), kPortal, 0, 1, 0, 0));
  expect_sent_and_acked(queue);
}

TEST_F(EnvironmentSettings, TheCountersFileIsWrittenAlsoIfTheProcessEndsWithoutPtlFini) {
  ProcessGroup job(1, {{"LINTEL_COUNTERS_FILE", in_folder("counters.%p")}});
  job.start(0, [](Rank& rank) {
    rank.board.set(kPid, static_cast<std::uint64_t>(::getpid()));
    put_to_oneself(rank);
  });
  job.join_all();
  std::map<std::string, std::uint64_t> counters = counters_in(file_of(job, "counters.", 0));
  EXPECT_EQ(counters["puts_sent"], 1U);
  EXPECT_EQ(counters["acks_received"], 1U);
}

TEST_F(EnvironmentSettings, TheCountersFileHasWhatWasDoneBetweenEveryPtlInitAndPtlFini) {
  ProcessGroup job(1, {{"LINTEL_COUNTERS_FILE", in_folder("counters.%p")}});
  job.start(0, [](Rank& rank) {
    rank.board.set(kPid, static_cast<std::uint64_t>(::getpid()));
    for (int round = 0; round < 3; ++round) {
      put_to_oneself(rank);
      PtlFini();
    }
    put_to_oneself(rank);
  });
  job.join_all();
  std::map<std::string, std::uint64_t> counters = counters_in(file_of(job, "counters.", 0));
  EXPECT_EQ(counters["puts_sent"], 4U);
  EXPECT_EQ(counters["puts_received"], 4U);
}

// ---- LINTEL_DUMP_SIGNAL

class DumpSignal : public EnvironmentSettings, public ::testing::WithParamInterface<const char*> {
 protected:
  // A process with one entry and one queue sleeps in PtlEQWait or computes, gets the signal, and
  // then continues.
  void dump(ProcessGroup& job, bool waits, const std::string& errors) {
    job.start(0, [waits, errors](Rank& rank) {
      if (!errors.empty()) redirect_errors(errors);
      rank.board.set(kPid, static_cast<std::uint64_t>(::getpid()));
      const ptl_handle_ni_t ni = open_interface(rank);
      std::vector<std::byte> memory(4321);
      const ptl_handle_eq_t queue = make_queue(ni);
      expose(ni, 0xfeedfacecafebeef, describe(memory, queue, kOpen));
      const ptl_handle_md_t md = bind(ni, describe(memory, PTL_EQ_NONE));
      rank.board.set(kReady, 1);
      const auto put = [&] {
        LINTEL_MUST(
            PtlPut(md, PTL_NO_ACK_REQ, rank.board.id(0), kPortal, 0, 0xfeedfacecafebeef, 0, 77));
      };
      std::thread other([&] {
        rank.board.await(kOver, 1);
        if (waits) put();
      });
      if (waits) {
        ptl_event_t event;
        LINTEL_MUST(PtlEQWait(queue, &event));
        EXPECT_EQ(event.hdr_data, 77U);
      } else {
        other.join();
        put();
        EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).hdr_data, 77U);
      }
      if (other.joinable()) other.join();
      PtlFini();
    });
    job.board().await(kReady, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it falls asleep
    job.signal(0, std::string(GetParam()) == "USR1" ? SIGUSR1 : SIGUSR2);
  }
  static void expect_state(const std::string& text) {
    EXPECT_THAT(text, HasSubstr("state of this process, as asked for by signal"));
    EXPECT_THAT(text, HasSubstr("portal 4: enabled, 1 entries"));
    EXPECT_THAT(text, HasSubstr("bits feedfacecafebeef ignore 0000000000000000"));
    EXPECT_THAT(text, HasSubstr("length 4321"));
    EXPECT_THAT(text, HasSubstr("puts_sent 0"));
  }
  // The last line of a dump: when it is there, the dump is complete.
  static constexpr const char* kLastLine = "longest_progress_gap_ns";
};
INSTANTIATE_TEST_SUITE_P(, DumpSignal, ::testing::Values("USR1", "USR2"),
                         [](const auto& one) { return std::string(one.param); });

TEST_P(DumpSignal, APassiveProcessWritesItsStateToTheLogAndGoesOn) {
  ProcessGroup job(1,
                   {{"LINTEL_DUMP_SIGNAL", GetParam()}, {"LINTEL_LOG_FILE", in_folder("log.%p")}});
  dump(job, false, "");
  expect_state(content_once_it_has(file_of(job, "log.", 0), kLastLine));
  job.board().set(kOver, 1);
  job.join_all();
}

TEST_P(DumpSignal, AProcessAsleepInEQWaitWritesItsStateToStandardErrorAndSleepsOn) {
  const std::string errors = in_folder("stderr");
  ProcessGroup job(1, {{"LINTEL_DUMP_SIGNAL", GetParam()}});
  dump(job, true, errors);
  expect_state(content_once_it_has(errors, kLastLine));
  job.board().set(kOver, 1);
  job.join_all();
}

TEST_P(DumpSignal, TheCountersFileIsWrittenToo) {
  ProcessGroup job(1, {{"LINTEL_DUMP_SIGNAL", GetParam()},
                       {"LINTEL_LOG_FILE", in_folder("log.%p")},
                       {"LINTEL_COUNTERS_FILE", in_folder("counters.%p")}});
  dump(job, false, "");
  EXPECT_THAT(content_once_it_has(file_of(job, "counters.", 0), "puts_sent"),
              HasSubstr("\nputs_sent 0\n"));
  job.board().set(kOver, 1);
  job.join_all();
  EXPECT_EQ(counters_in(file_of(job, "counters.", 0))["puts_sent"], 1U) << "at the end";
}

TEST_F(EnvironmentSettings, WithoutADumpSignalTheSignalsKeepTheirEffect) {
  ProcessGroup job(1);
  job.start(0, [](Rank& rank) {
    open_interface(rank);
    struct sigaction action {};
    EXPECT_EQ(::sigaction(SIGUSR1, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_DFL);
    EXPECT_EQ(::sigaction(SIGUSR2, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_DFL);
    PtlFini();
  });
  job.join_all();
}

// ---- LINTEL_JOB_ID

TEST_F(EnvironmentSettings, AnAccessEntryForOneJobAdmitsItsProcessesAndRefusesThoseOfAnother) {
  constexpr ptl_ac_index_t kCookie = 1;
  ProcessGroup job(3);
  const auto body = [](Rank& rank) {
    const ptl_jid_t jobs[] = {7, 7, 8};
    const ptl_handle_ni_t ni = open_interface(rank);
    ptl_jid_t own = 0;
    LINTEL_MUST(PtlGetJid(ni, &own));
    EXPECT_EQ(own, jobs[rank.number]);
    std::vector<std::byte> memory(64);
    const ptl_handle_eq_t queue = make_queue(ni);
    if (rank.number == 0) {
      LINTEL_MUST(PtlACEntry(ni, kCookie, kAnyone, PTL_UID_ANY, 7, PTL_PT_INDEX_ANY));
      expose(ni, 1, describe(memory, queue, kOpen));
    }
    rank.barrier();
    if (rank.number > 0) {
      const ptl_handle_md_t md = bind(ni, describe(memory, queue));
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(0), kPortal, kCookie, 1, 0, rank.number));
      if (rank.number == 1) {
        expect_sent_and_acked(queue);
      } else {
        expect_event(queue, PTL_EVENT_SEND_END);
        // A request that another entry admits comes after the refused one.
        LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(0), kPortal, 0, 1, 0, 100));
        EXPECT_EQ(expect_sent_and_acked(queue).mlength, memory.size());
      }
    }
    rank.barrier();
    if (rank.number == 0) {
      std::map<ptl_hdr_data_t, ptl_jid_t> came;
      for (const ptl_event_t& event : next_events(queue, 2)) came[event.hdr_data] = event.jid;
      EXPECT_EQ(came, (std::map<ptl_hdr_data_t, ptl_jid_t>{{1, 7}, {100, 8}}));
      ptl_event_t event;
      EXPECT_EQ(PtlEQGet(queue, &event), PTL_EQ_EMPTY);
      ptl_sr_value_t refused = 0;
      LINTEL_MUST(PtlNIStatus(ni, PTL_SR_DROP_ACCESS, &refused));
      EXPECT_EQ(refused, 1U);
    }
    rank.barrier();
    PtlFini();
  };
  const char* const jobs[] = {"7", "7", "8"};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    job.set("LINTEL_JOB_ID", jobs[rank]);
    job.start(rank, body);
  }
  job.join_all();
}

TEST_F(EnvironmentSettings, WithoutAJobIdAProcessBelongsToNone) {
  ProcessGroup job(1);
  job.start(0, [](Rank& rank) {
    ptl_jid_t own = 1;
    LINTEL_MUST(PtlGetJid(open_interface(rank), &own));
    EXPECT_EQ(own, PTL_JID_NONE);
    PtlFini();
  });
  job.join_all();
}

// ---- LINTEL_LOG_FILE, LINTEL_LOG

TEST_F(EnvironmentSettings, LogLinesAreAppendedToTheFileAndNotWrittenToStandardError) {
  const std::string log = in_folder("log");
  std::ofstream(log) << "what was there\n";
  ProcessGroup job(2, {{"LINTEL_LOG_FILE", log}, {"LINTEL_NO_SUCH_SETTING", "1"}});
  const std::string errors = in_folder("stderr");
  job.start_all([errors](Rank& rank) {
    redirect_errors(errors);
    rank.board.set(kPid + rank.number, static_cast<std::uint64_t>(::getpid()));
    open_interface(rank);
    PtlFini();
  });
  job.join_all();
  const std::string text = content(log);
  EXPECT_EQ(text.find("what was there\n"), 0U) << text;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_THAT(text,
                HasSubstr("lintel[" + std::to_string(job.board().get(kPid + rank)) + "] warn: "));
  }
  EXPECT_THAT(text, HasSubstr("LINTEL_NO_SUCH_SETTING"));
  EXPECT_THAT(content(errors), Not(HasSubstr("lintel[")));
}

TEST_F(EnvironmentSettings, EachProcessHasALogFileOfItsOwnIfItsNameSaysSo) {
  ProcessGroup job(2, {{"LINTEL_LOG_FILE", in_folder("log.%p")}, {"LINTEL_NO_SUCH_SETTING", "1"}});
  job.start_all([](Rank& rank) {
    rank.board.set(kPid + rank.number, static_cast<std::uint64_t>(::getpid()));
    open_interface(rank);
    PtlFini();
  });
  job.join_all();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const std::string text = content(file_of(job, "log.", rank));
    EXPECT_THAT(text, HasSubstr("lintel[" + std::to_string(job.board().get(kPid + rank)) + "]"));
    EXPECT_THAT(text,
                Not(HasSubstr("lintel[" + std::to_string(job.board().get(kPid + 1 - rank)) + "]")));
  }
}

TEST_F(EnvironmentSettings, NothingIsWrittenWhereNothingIsWrong) {
  const std::string errors = in_folder("stderr");
  ProcessGroup job(1);
  job.start(0, [errors](Rank& rank) {
    redirect_errors(errors);
    open_interface(rank);
    PtlFini();
  });
  job.join_all();
  EXPECT_THAT(content(errors), IsEmpty());
}

TEST_F(EnvironmentSettings, AValueThatIsNotAcceptedStopsTheStartWithASentence) {
  const std::string errors = in_folder("stderr");
  ProcessGroup job(1, {{"LINTEL_MAX_OPERATIONS", "15"}});
  job.start(0, [errors](Rank&) {
    redirect_errors(errors);
    int interfaces = 0;
    EXPECT_EQ(PtlInit(&interfaces), PTL_FAIL);
  });
  job.join_all();
  const std::string text = content(errors);
  EXPECT_THAT(text, HasSubstr("LINTEL_MAX_OPERATIONS"));
  EXPECT_THAT(text, HasSubstr("15"));
  EXPECT_THAT(text, HasSubstr("from 16 to 16777216"));
}

// ---- A peer that has ended

TEST_F(EnvironmentSettings, PutsToAProcessThatHasExitedAreToldInOneSentenceOnce) {
  const std::string errors = in_folder("stderr");
  ProcessGroup job(2, {{"LINTEL_CONNECT_TIMEOUT", "300ms"}});
  job.start_all([errors](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory(64);
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    rank.barrier();
    if (rank.number == 1) {
      PtlFini();
      rank.board.set(kOver, 1);
      return;
    }
    redirect_errors(errors);
    const ptl_process_id_t peer = rank.board.id(1);
    rank.board.await(kOver, 1);
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    for (int i = 0; i < 3; ++i) {
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, peer, kPortal, 0, 1, 0, 0));
      const ptl_event_t event = next_event(queue);
      EXPECT_EQ(event.type, PTL_EVENT_SEND_END);
      EXPECT_NE(event.ni_fail_type, PTL_NI_OK);
    }
    PtlFini();
  });
  job.join_all();
  const std::string text = content(errors);
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  const std::string reason = "the peer could not be reached within the connect deadline";
  const std::size_t found = text.find(reason);
  ASSERT_NE(found, std::string::npos) << text;
  EXPECT_EQ(text.find(reason, found + 1), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("] warn: peer "));
  EXPECT_THAT(text, HasSubstr(" pid "));
}

// ---- LINTEL_MAX_OPERATIONS

// When kill() returns, the signal is still under way. Waits until every thread has stopped.
void stop(pid_t process) {
  ASSERT_EQ(::kill(process, SIGSTOP), 0);
  const auto goes_on = [](const std::filesystem::directory_entry& thread) {
    const std::string state = content((thread.path() / "stat").string());
    return state.compare(state.rfind(')') + 2, 1, "T") != 0;
  };
  const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
  while (std::ranges::any_of(std::filesystem::directory_iterator(threads), goes_on))
    std::this_thread::yield();
}

TEST_F(EnvironmentSettings, OneMoreThanTheMostOperationsWaitsUntilOneHasEnded) {
  ProcessGroup job(2, {{"LINTEL_MAX_OPERATIONS", "16"}});
  job.start_all([](Rank& rank) {
    rank.board.set(kPid + rank.number, static_cast<std::uint64_t>(::getpid()));
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory = patterned(64, rank.number);
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    rank.barrier();
    if (rank.number == 0) {
      const ptl_process_id_t peer = rank.board.id(1);
      std::vector<std::byte> fetched(64);
      const ptl_handle_md_t md = bind(ni, describe(fetched, queue));
      LINTEL_MUST(PtlGet(md, peer, kPortal, 0, 1, 0));  // the connection is there
      expect_event(queue, PTL_EVENT_REPLY_END);
      const auto peers_process = static_cast<pid_t>(rank.board.get(kPid + 1));
      stop(peers_process);  // it answers nothing
      for (int i = 0; i < 16; ++i) EXPECT_EQ(PtlGet(md, peer, kPortal, 0, 1, 0), PTL_OK) << i;
      std::atomic<bool> goes_on = false;
      std::thread waker([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        goes_on = true;
        EXPECT_EQ(::kill(peers_process, SIGCONT), 0);
      });
      EXPECT_EQ(PtlGet(md, peer, kPortal, 0, 1, 0), PTL_OK);
      EXPECT_TRUE(goes_on) << "it has not waited";
      waker.join();
      EXPECT_EQ(PtlPut(md, PTL_ACK_REQ, peer, kPortal, 0, 1, 0, 0), PTL_OK);
      next_events(queue, 19);  // of 17 gets, and SEND_END and ACK of the put
      ptl_event_t event;
      EXPECT_EQ(PtlEQGet(queue, &event), PTL_EQ_EMPTY);
      EXPECT_TRUE(holds_pattern(fetched, 1));
    }
    rank.barrier();
    PtlFini();
  });
  job.join_all();
}

}  // namespace
}  // namespace lintel::testing
