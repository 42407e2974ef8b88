#include "tests/system/job/separate_hosts.h"

#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lintel::testing {
namespace {

constexpr std::size_t kWired = 2;  // board word: the hosts are joined
// board word, plus the rank: it is in its own namespace (kIsApart), or its error
constexpr std::size_t kApart = Board::kWords - 4;

constexpr std::uint64_t kIsApart = 100'000;

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

void give_up(ProcessGroup& job) {
  for (std::size_t rank = 0; rank < job.size(); ++rank) job.disregard(rank);
}

}  // namespace

bool run(const std::string& command) { return std::system(command.c_str()) == 0; }

void SeparateHosts::start(ProcessGroup& job, const ProcessGroup::Body& body) {
  for (const char* tool : {"ip", "nsenter"}) {
    if (!run(std::string("command -v ") + tool + " > /dev/null"))
      GTEST_SKIP() << "the program '" << tool << "' is not installed";
  }
  for (std::size_t rank = 0; rank < job.size(); ++rank) {
    job.set("LINTEL_INTERFACE", address(rank));
    job.start(rank, [body](Rank& self) {
      const bool apart = ::unshare(CLONE_NEWNET) == 0;
      self.board.set(kApart + self.number, apart ? kIsApart : static_cast<std::uint64_t>(errno));
      if (!apart) return;
      self.board.await(kWired, 1);
      body(self);
    });
  }
  for (std::size_t rank = 0; rank < job.size(); ++rank) {
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

// Returns "" or what went wrong.
std::string SeparateHosts::plug_in(const ProcessGroup& job) {
  std::vector<std::string> commands = cable(job);
  for (std::size_t rank = 0; rank < job.size(); ++rank) {
    const std::string name = device(rank);
    commands.push_back(inside(job, rank) + "ip link set lo up");
    commands.push_back(inside(job, rank) + "ip address add " + address(rank) + "/24 dev " + name);
    commands.push_back(inside(job, rank) + "ip link set " + name + " up");
  }
  for (const std::string& command : commands) {
    if (const std::string complaint = complaint_of(command); !complaint.empty()) return complaint;
  }
  return {};
}

}  // namespace lintel::testing
