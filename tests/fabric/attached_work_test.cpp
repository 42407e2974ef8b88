// The thread that drives the engine drives its AttachedWork too.

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "portals/engine/node/node_transport.h"

namespace lintel::portals {
namespace {

using namespace std::chrono_literals;

// Counts the writes to its event descriptor.
class Counting final : public AttachedWork {
 public:
  Counting() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~Counting() override { ::close(fd_); }
  int fd() const override { return fd_; }
  std::size_t poll() override {
    ++polls;
    std::uint64_t count = 0;
    if (::read(fd_, &count, sizeof count) != sizeof count) return 0;
    counted += count;
    return 1;
  }
  void dump(std::string& out) const override { out += "work\n"; }
  void add() const {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(fd_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

  std::atomic<std::uint64_t> polls{0};
  std::atomic<std::uint64_t> counted{0};

 private:
  int fd_;
};

class AttachedWorkTest : public ::testing::Test {
 protected:
  AttachedWorkTest() {
    std::string explanation;
    EXPECT_EQ(process.open_interface(kLayerKind, Pid(kAnyId), InterfaceLimits(), explanation),
              Status::kOk)
        << explanation;
    attach(&work);
  }
  ~AttachedWorkTest() override {
    attach(nullptr);
    process.close_all();
  }
  void attach(AttachedWork* attached) {
    const MutexLock lock(process.lock());
    process.attach_work(attached);
  }
  bool counts(std::uint64_t wanted) const {
    const TimePoint end = monotonic_now() + 10s;
    while (work.counted != wanted && monotonic_now() < end) std::this_thread::yield();
    return work.counted == wanted;
  }

  Config config;
  Process process{process_options(config), node_transport(config)};
  Counting work;
};

TEST_F(AttachedWorkTest, IsDrivenByTheProgressThreadWhenNobodyCalls) {
  for (std::uint64_t i = 1; i <= 20; ++i) {
    work.add();
    ASSERT_TRUE(counts(i));
  }
}

TEST_F(AttachedWorkTest, IsDrivenByACallerThatWaits) {
  struct Counted final : Condition {
    explicit Counted(Counting& of) : of_(of) {}
    bool holds() override { return of_.counted == 1; }
    Counting& of_;
  };
  Counted counted(work);
  std::thread later([this] {
    std::this_thread::sleep_for(20ms);  // the caller usually sleeps by now
    work.add();
  });
  bool held = false;
  {
    const MutexLock lock(process.lock());
    held = process.progress().wait_until(counted, process.now() + 10s);
  }
  later.join();
  EXPECT_TRUE(held);
}

TEST_F(AttachedWorkTest, CostsNothingWhileItIsIdle) {
  std::this_thread::sleep_for(50ms);
  const std::uint64_t before = work.polls;
  std::this_thread::sleep_for(500ms);
  EXPECT_LE(work.polls - before, 20U);
}

TEST_F(AttachedWorkTest, IsPartOfTheStateOfItsProcess) {
  EXPECT_NE(process.dump().find("work\n"), std::string::npos);
}

TEST_F(AttachedWorkTest, IsLeftAloneWhenItIsTakenAway) {
  attach(nullptr);
  const std::uint64_t before = work.polls;
  work.add();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(work.polls, before);
}

}  // namespace
}  // namespace lintel::portals
