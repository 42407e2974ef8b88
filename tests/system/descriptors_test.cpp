// Processes that run out of file descriptors, or whose program closes those of the library.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/sanitized.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kExposed = 0;  // board word: rank 1 may be reached
constexpr std::size_t kDone = 1;     // board word: rank 1 is not needed any more
constexpr std::size_t kLength = 1000;
constexpr const char* kRaces =
    "a program that closes descriptors of the library races with its threads";

// The sanitizer of undefined behaviour looks at an object's type through a pipe.
#define LINTEL_NEEDS_FEW_DESCRIPTORS() \
  if (kSanitized) GTEST_SKIP() << "sanitizers need descriptors of their own"

// A log file for each test.
class Descriptors : public ::testing::Test {
 protected:
  void SetUp() override {
    log_ = ::testing::TempDir() + "lintel_descriptors.XXXXXX";
    FileDescriptor made(::mkstemp(log_.data()));
    ASSERT_TRUE(made.is_open());
  }
  void TearDown() override { std::filesystem::remove(log_); }
  std::string log() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }

  std::string log_;
};

// Takes puts until nobody needs it any more.
void serve(Rank& rank) {
  const ptl_handle_ni_t ni = open_interface();
  std::vector<std::byte> memory(kLength);
  expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
  rank.board.publish(1, own_id(ni));
  rank.board.set(kExposed, 1);
  rank.board.await(kDone, 1);
  PtlFini();
}

// Takes every descriptor that the process may have.
std::vector<FileDescriptor> take_all_descriptors() {
  rlimit low{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &low), 0);
  low.rlim_cur = 64;
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<FileDescriptor> taken;
  do taken.emplace_back(::dup(STDERR_FILENO));
  while (taken.back().is_open());
  return taken;
}

// On direct: a provider of libfabric does not say why it could not connect.
TEST_F(Descriptors, APutThatFindsNoFreeDescriptorUntilTheTimeoutFailsAndTheLogNamesTheLimit) {
  LINTEL_NEEDS_FEW_DESCRIPTORS();
  ProcessGroup job(2, {{"LINTEL_PROVIDER", "direct"},
                       {"LINTEL_CONNECT_TIMEOUT", "300ms"},
                       {"LINTEL_LOG_FILE", log_}});
  job.start(1, serve);
  job.start(0, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface();
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(kLength);
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    rank.board.await(kExposed, 1);
    {
      const std::vector<FileDescriptor> taken = take_all_descriptors();
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
      const ptl_event_t event = next_event(queue);
      EXPECT_EQ(event.type, PTL_EVENT_SEND_END);
      EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD);
    }
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
    expect_sent_and_acked(queue);
    rank.board.set(kDone, 1);
    PtlFini();
  });
  job.join_all();
  EXPECT_THAT(log(), HasSubstr("this process has no free file descriptor for a connection; "
                               "expected: a higher limit of open files (ulimit -n)"));
  EXPECT_THAT(log(), Not(HasSubstr("nobody accepts")));
}

TEST_F(Descriptors, APutWaitsForADescriptorThatIsFreeWithinTheTimeout) {
  LINTEL_NEEDS_FEW_DESCRIPTORS();
  ProcessGroup job(2, {{"LINTEL_CONNECT_TIMEOUT", "60s"}, {"LINTEL_LOG_FILE", log_}});
  job.start(1, serve);
  job.start(0, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface();
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(kLength);
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    rank.board.await(kExposed, 1);
    std::vector<FileDescriptor> taken = take_all_descriptors();
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
    ptl_event_t event;
    for (int turn = 0; turn < 1000; ++turn) EXPECT_EQ(PtlEQGet(queue, &event), PTL_EQ_EMPTY);
    taken.clear();
    expect_sent_and_acked(queue);
    rank.board.set(kDone, 1);
    PtlFini();
  });
  job.join_all();
  EXPECT_EQ(log(), "");
}

// ---- Descriptors of the library that the program closes

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// Standard error is a file from here on, because a log file's own descriptor would be closed too.
void redirect_errors(const std::string& file) {
  const FileDescriptor opened(::open(file.c_str(), O_WRONLY | O_APPEND));
  EXPECT_EQ(::dup2(opened.get(), STDERR_FILENO), STDERR_FILENO);
}

// Closes the descriptors above those of standard streams whose file has `name` in its name.
void close_descriptors(const std::string& name = "") {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string file = std::filesystem::read_symlink(entry, gone).string();
    const int fd = std::stoi(entry.path().filename().string());
    if (fd > STDERR_FILENO && file.find(name) != std::string::npos) found.push_back(fd);
  }
  for (const int fd : found) ::close(fd);
}

std::chrono::nanoseconds processor_time() {
  timespec used{};
  EXPECT_EQ(::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), 0);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// Calls nothing for half a second, of which no thread may use a fifth.
void expect_no_thread_spins() {
  const auto before = processor_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(processor_time() - before, std::chrono::milliseconds(100));
}

// Puts into the memory of rank 1, with which it is connected.
class Puts {
 public:
  explicit Puts(Rank& rank) : memory_(kLength) {
    const ptl_handle_ni_t ni = open_interface();
    queue = make_queue(ni);
    md_ = bind(ni, describe(memory_, queue));
    rank.board.await(kExposed, 1);
    target_ = rank.board.id(1);
    put();
    expect_sent_and_acked(queue);
  }
  void put() { LINTEL_MUST(PtlPut(md_, PTL_ACK_REQ, target_, kPortal, 0, 1, 0, 0)); }

  ptl_handle_eq_t queue;

 private:
  std::vector<std::byte> memory_;
  ptl_handle_md_t md_;
  ptl_process_id_t target_;
};

TEST_F(Descriptors, OperationsEndAndNoThreadSpinsWhenTheProgramHasClosedAllOfThem) {
  if (kThreadSanitized) GTEST_SKIP() << kRaces;
  ProcessGroup job(2, {{"LINTEL_CONNECT_TIMEOUT", "300ms"}});
  job.start(1, serve);
  job.start(0, [this](Rank& rank) {
    Puts puts(rank);
    redirect_errors(log_);
    close_descriptors();
    expect_no_thread_spins();
    for (int put = 0; put < 2; ++put) {
      puts.put();
      ptl_event_t event = next_event(puts.queue);
      if (event.ni_fail_type == PTL_NI_OK) event = next_event(puts.queue);
      EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD);
    }
    expect_no_thread_spins();
    rank.board.set(kDone, 1);
    PtlFini();
  });
  job.join_all();
  const std::string text = log();
  EXPECT_EQ(count_of(", on which the network is awaited, was closed, and not by Lintel", text), 1U)
      << text;
  EXPECT_EQ(count_of(", in which threads of Lintel sleep, was closed, and not by Lintel", text), 1U)
      << text;
}

TEST_F(Descriptors, OneThatOnlyWakesThreadsIsReplacedAndNothingFails) {
  if (kThreadSanitized) GTEST_SKIP() << kRaces;
  ProcessGroup job(2);
  job.start(1, serve);
  job.start(0, [this](Rank& rank) {
    // Connected before: a socket could get the number of the closed one.
    Puts puts(rank);
    redirect_errors(log_);
    close_descriptors("eventfd");
    ptl_handle_eq_t queues[] = {puts.queue};
    // The sleep that has begun before may last.
    while (std::filesystem::file_size(log_) == 0) {
      puts.put();
      expect_sent_and_acked(puts.queue);
      ptl_event_t event;
      int which = 0;
      EXPECT_EQ(PtlEQPoll(queues, 1, 1, &event, &which), PTL_EQ_EMPTY);
    }
    expect_no_thread_spins();
    rank.board.set(kDone, 1);
    PtlFini();
  });
  job.join_all();
  EXPECT_EQ(count_of("was closed, and not by Lintel", log()), 1U) << log();
}

}  // namespace
}  // namespace lintel::testing
