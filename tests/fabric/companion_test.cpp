// The thread that drives the engine drives its Companion too.

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "portals/engine/node/node_endpoint.h"

namespace lintel::portals {
namespace {

using namespace std::chrono_literals;

// Counts the writes to its event descriptor.
class Counting final : public Companion {
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
  void dump(std::string& out) const override { out += "companion\n"; }
  void add() const {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(fd_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

  std::atomic<std::uint64_t> polls{0};
  std::atomic<std::uint64_t> counted{0};

 private:
  int fd_;
};

class ACompanion : public ::testing::Test {
 protected:
  ACompanion() {
    std::string explanation;
    EXPECT_EQ(process.open_interface(kLayerKind, Pid(kAnyId), Limits(), explanation), Status::kOk)
        << explanation;
    attach(&companion);
  }
  ~ACompanion() override {
    attach(nullptr);
    process.close_all();
  }
  void attach(Companion* attached) {
    const MutexLock lock(process.lock());
    process.attach_companion(attached);
  }
  bool counts(std::uint64_t wanted) const {
    const TimePoint end = monotonic_now() + 10s;
    while (companion.counted != wanted && monotonic_now() < end) std::this_thread::yield();
    return companion.counted == wanted;
  }

  Config config;
  Process process{process_options(config), node_transport(config)};
  Counting companion;
};

TEST_F(ACompanion, IsDrivenByTheProgressThreadWhenNobodyCalls) {
  for (std::uint64_t i = 1; i <= 20; ++i) {
    companion.add();
    ASSERT_TRUE(counts(i));
  }
}

TEST_F(ACompanion, IsDrivenByACallerThatWaits) {
  struct Counted final : Condition {
    explicit Counted(Counting& of) : of_(of) {}
    bool holds() override { return of_.counted == 1; }
    Counting& of_;
  };
  Counted counted(companion);
  std::thread later([this] {
    std::this_thread::sleep_for(20ms);  // the caller usually sleeps by now
    companion.add();
  });
  bool held = false;
  {
    const MutexLock lock(process.lock());
    held = process.progress().wait_until(counted, process.now() + 10s);
  }
  later.join();
  EXPECT_TRUE(held);
}

TEST_F(ACompanion, CostsNothingWhileItIsIdle) {
  std::this_thread::sleep_for(50ms);
  const std::uint64_t before = companion.polls;
  std::this_thread::sleep_for(500ms);
  EXPECT_LE(companion.polls - before, 20U);
}

TEST_F(ACompanion, IsPartOfTheStateOfItsProcess) {
  EXPECT_NE(process.dump().find("companion\n"), std::string::npos);
}

TEST_F(ACompanion, IsLeftAloneWhenItIsTakenAway) {
  attach(nullptr);
  const std::uint64_t before = companion.polls;
  companion.add();
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(companion.polls, before);
}

}  // namespace
}  // namespace lintel::portals
