// Two hosts run a job, and a third one attacks both all the time.

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/sanitized.h"
#include "tests/system/job/counters_file.h"
#include "tests/system/job/launchers_secret.h"
#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"
#include "tests/system/job/separate_hosts.h"
#include "tests/temporary_folder.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kRanks = 2;
constexpr std::size_t kThird = 2;  // a rank of the test, not of the job: it has the third host

constexpr std::size_t kEnough = 4;     // board word: the job may end
constexpr std::size_t kLastTurn = 5;   // board word: it does
constexpr std::size_t kStep = 6;       // board word, plus the rank
constexpr std::size_t kTurns = 8;      // board word, plus the rank: so many have ended
constexpr std::size_t kQuietKiB = 10;  // board word, plus the rank: most memory before any attack
constexpr std::size_t kPeakKiB = 12;   // board word, plus the rank: most memory

// What strangers without a session may make a process keep (doc/security.md) is far below the
// smallest limit for what its peers may: some buffers of 68 KiB, and records.
constexpr const char* kMemoryLimit = "16MiB";
constexpr std::uint64_t kMostTakenKiB = 16 << 10;

constexpr ptl_pid_t kFirstPid = 700;  // of rank 0; attackers know it before a rank listens

// What attackers have done, by its name.
using Figures = std::map<std::string, std::uint64_t>;

// A program of tests/soak on another host.
class Attackers {
 public:
  // `host` begins the command. The program's answers go to the file `answers`.
  Attackers(const std::string& host, const std::string& arguments, std::string answers)
      : answers_(std::move(answers)) {
    std::signal(SIGPIPE, SIG_IGN);  // its end is seen by what it has not answered
    const std::string command = host + LINTEL_PYTHON " -B " LINTEL_SOAK "/" + arguments;
    input_ = ::popen((command + " > " + answers_).c_str(), "w");
  }
  Attackers(const Attackers&) = delete;
  Attackers& operator=(const Attackers&) = delete;
  ~Attackers() { end(); }

  void tell(const std::string& line) {
    std::fprintf(input_, "%s\n", line.c_str());
    std::fflush(input_);
  }
  // Empty if it does not answer.
  Figures report() {
    tell("report");
    ++asked_;
    const auto limit = std::chrono::steady_clock::now() + kTimeout;
    while (std::chrono::steady_clock::now() < limit) {
      if (const Figures figures = answer(asked_); !figures.empty()) return figures;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
  }
  // 0: it has seen nothing wrong.
  int end() {
    const int code = input_ == nullptr ? 0 : ::pclose(input_);
    input_ = nullptr;
    return code;
  }

 private:
  // Empty if it has not come whole.
  Figures answer(std::size_t number) const {
    std::ifstream file(answers_);
    std::string line;
    for (std::size_t i = 0; i < number; ++i) {
      if (!std::getline(file, line) || file.eof()) return {};
    }
    Figures figures;
    std::istringstream words(line);
    std::uint64_t count = 0;
    for (std::string name; std::getline(words >> std::ws, name, '=') && words >> count;)
      figures[name] = count;
    return figures;
  }

  std::string answers_;
  std::FILE* input_ = nullptr;
  std::size_t asked_ = 0;
};

// A rank of the job: turns of puts and gets with the other rank, each with a new interface and so
// with a first contact of its own.
class Worker {
 public:
  explicit Worker(Rank& rank) : rank_(rank), board_(rank.board) {}

  void work() {
    for (std::uint64_t turn = 1; !is_last_; ++turn) {
      if (rank_.number == 0) board_.set(kLastTurn, board_.get(kEnough));
      meet();
      is_last_ = board_.get(kLastTurn) == 1;
      take_turn(turn);
      if (turn == 1) board_.set(kQuietKiB + rank_.number, peak_kib());
      board_.set(kTurns + rank_.number, turn);
    }
    board_.set(kPeakKiB + rank_.number, peak_kib());
    PtlFini();
  }

 private:
  static std::uint64_t peak_kib() {
    rusage usage{};
    EXPECT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
    return static_cast<std::uint64_t>(usage.ru_maxrss);
  }
  // A barrier of the job alone.
  void meet() {
    board_.set(kStep + rank_.number, ++steps_);
    board_.await(kStep + rank_.other(), steps_);
  }
  void take_turn(std::uint64_t turn) {
    const ptl_pid_t pid = kFirstPid + static_cast<ptl_pid_t>(rank_.number);
    const ptl_handle_ni_t ni = open_interface(rank_, pid);
    constexpr std::size_t kMost = std::size_t{1} << 20;
    std::vector<std::byte> memory(kMost), source(kMost), fetched(kMost);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    const ptl_handle_eq_t queue = make_queue(ni);
    const ptl_handle_md_t put_md = bind(ni, describe(source, queue));
    const ptl_handle_md_t get_md = bind(ni, describe(fetched, queue));
    meet();
    const ptl_process_id_t peer = board_.id(rank_.other());
    for (std::size_t round = 0; round < 20; ++round) {
      for (const std::size_t length :
           {std::size_t{8}, std::size_t{5000}, std::size_t{90'000}, kMost}) {
        const std::uint64_t seed = turn * 100 + round * 2 + rank_.number;
        fill(std::span(source).first(length), seed);
        LINTEL_MUST(PtlPutRegion(put_md, 0, length, PTL_ACK_REQ, peer, kPortal, 0, 1, 0, 0));
        EXPECT_EQ(expect_sent_and_acked(queue).mlength, length);
        LINTEL_MUST(PtlGetRegion(get_md, 0, length, peer, kPortal, 0, 1, 0));
        EXPECT_EQ(expect_event(queue, PTL_EVENT_REPLY_END).mlength, length);
        EXPECT_TRUE(holds_pattern(std::span(fetched).first(length), seed));
      }
    }
    meet();
    LINTEL_MUST(PtlNIFini(ni));
  }

  Rank& rank_;
  Board& board_;
  std::uint64_t steps_ = 0;
  bool is_last_ = false;
};

class ThirdHost : public SeparateHosts, public ::testing::WithParamInterface<const char*> {
 protected:
  // Each two of them are joined, so that nothing of the job passes the third one.
  std::vector<std::string> cable(const ProcessGroup& job) override {
    const auto joined = [&](const std::string& first, std::size_t at, const std::string& second,
                            std::size_t other) {
      return "ip link add " + first + " netns " + std::to_string(job.os_pid(at)) +
             " type veth peer name " + second + " netns " + std::to_string(job.os_pid(other));
    };
    return {joined("host0", 0, "host1", 1), joined("third0", kThird, "foreign", 0),
            joined("third1", kThird, "foreign", 1)};
  }
  std::string device(std::size_t rank) const override {
    return rank == kThird ? "third0" : "host" + std::to_string(rank);
  }
  // The third host reaches both, and calls from each address of a network of its own.
  void route_to_third(const ProcessGroup& job) const {
    for (std::size_t rank = 0; rank < kRanks; ++rank) {
      EXPECT_TRUE(run(inside(job, rank) + "ip link set foreign up"));
      EXPECT_TRUE(run(inside(job, rank) + "ip route add " + address(kThird) + " dev foreign"));
      EXPECT_TRUE(
          run(inside(job, rank) + "ip route add " + kForeigners + "/16 via " + address(kThird)));
    }
    EXPECT_TRUE(run(inside(job, kThird) + "ip link set third1 up"));
    EXPECT_TRUE(run(inside(job, kThird) + "ip route add " + address(1) + " dev third1"));
    EXPECT_TRUE(run(inside(job, kThird) + "ip route add local " + kForeigners + "/16 dev lo"));
  }
  std::string in_folder(const std::string& name) const { return folder_.file(name); }
  static std::string name_of(std::size_t rank) {
    return address(rank) + ":" + std::to_string(kFirstPid + rank);
  }

  static constexpr const char* kForeigners = "10.78.0.0";

 private:
  TemporaryFolder folder_;
};
// The name of the network says that it runs on no other one.
INSTANTIATE_TEST_SUITE_P(, ThirdHost, ::testing::Values("direct"), provider_name);

// Whether it has made each attack; the figure `but` is none of them.
bool has_made_all(const Figures& figures, const std::string& but) {
  for (const auto& [name, count] : figures) {
    if (count == 0 && name != but) return false;
  }
  return !figures.empty();
}

std::string text_of(const Figures& figures) {
  std::string text;
  for (const auto& [name, count] : figures) text += " " + name + "=" + std::to_string(count);
  return text;
}

TEST_P(ThirdHost, AThirdHostThatAttacksBothHostsOfAJobIsRefusedAndChangesNothing) {
  const LaunchersSecret secret;
  ProcessGroup job(kRanks + 1, {{"LINTEL_PROVIDER", GetParam()},
                                {"LINTEL_SECRET_FILE", secret.path()},
                                {"LINTEL_MEMORY_LIMIT", kMemoryLimit},
                                {"LINTEL_PEER_TIMEOUT", "25s"},
                                {"LINTEL_CONNECT_TIMEOUT", "25s"},
                                {"LINTEL_LOG_FILE", in_folder("log")},
                                {"LINTEL_COUNTERS_FILE", in_folder("%p")}});
  job.disregard(kThird);
  start(job, [](Rank& rank) {
    while (rank.number == kThird) ::pause();
    Worker(rank).work();
  });
  if (cannot_start()) return;
  const std::string counters[kRanks] = {in_folder(std::to_string(job.os_pid(0))),
                                        in_folder(std::to_string(job.os_pid(1)))};
  Board& board = job.board();
  for (std::size_t rank = 0; rank < kRanks; ++rank) board.await(kTurns + rank, 1);
  route_to_third(job);

  const std::string host = inside(job, kThird) + "env LINTEL_PROVIDER=" + GetParam() +
                           " LINTEL_INTERFACE=" + address(kThird) + " ";
  const std::string from = std::string(" ") + kForeigners;
  Attackers raw(host, "strangers.py 1 direct" + from, in_folder("raw"));
  Attackers sessions(host, "session_strangers.py 2 direct " LINTEL_SOAK_PROGRAMS + from,
                     in_folder("sessions"));
  raw.tell("claims " + name_of(0) + " " + name_of(1));
  raw.tell("targets " + name_of(0) + " " + name_of(1));
  sessions.tell("targets 3:" + name_of(0) + " 3:" + name_of(1));
  const std::uint64_t turns = board.get(kTurns);
  Figures of_raw, of_sessions;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do {
    of_raw = raw.report();
    of_sessions = sessions.report();
  } while (!of_raw.empty() && !of_sessions.empty() && std::chrono::steady_clock::now() < limit &&
           !(has_made_all(of_raw, "") && has_made_all(of_sessions, "opened")));
  // A whole turn with all of them.
  board.await(kTurns, turns + 2);
  board.set(kEnough, 1);
  job.join_all();
  of_raw = raw.report();
  of_sessions = sessions.report();
  EXPECT_EQ(raw.end(), 0);
  EXPECT_EQ(sessions.end(), 0);

  std::printf("%d turns;%s;%s\n", static_cast<int>(board.get(kTurns)), text_of(of_raw).c_str(),
              text_of(of_sessions).c_str());
  EXPECT_TRUE(has_made_all(of_raw, ""));
  EXPECT_TRUE(has_made_all(of_sessions, "opened"));
  EXPECT_EQ(of_sessions["opened"], 0U) << "no stranger gets a session with a rank";
  for (std::size_t rank = 0; rank < kRanks; ++rank) {
    Figures seen = counters_in(counters[rank]);
    std::printf("rank %zu: refused %d, malformed %d, KiB without attacks %d, with %d\n", rank,
                static_cast<int>(seen["contacts_refused"]),
                static_cast<int>(seen["frames_malformed"]),
                static_cast<int>(board.get(kQuietKiB + rank)),
                static_cast<int>(board.get(kPeakKiB + rank)));
    EXPECT_GT(seen["contacts_refused"], 0U);
    for (const char* drops : {"drops_no_interface", "drops_bad_portal_index", "drops_no_match"})
      EXPECT_EQ(seen[drops], 0U) << drops << ": requests of strangers";
    if (!kSanitized) {
      EXPECT_LT(board.get(kPeakKiB + rank), board.get(kQuietKiB + rank) + kMostTakenKiB);
    }
  }
}

}  // namespace
}  // namespace lintel::testing
