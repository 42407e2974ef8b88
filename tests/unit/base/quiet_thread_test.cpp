#include "base/quiet_thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <new>

#include "tests/failing_allocation.h"

namespace lintel {
namespace {

using testing::allocations_until_failure;
using testing::kNoFailure;

bool blocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

TEST(QuietThread, BlocksSignalsThatItsStarterTakes) {
  const bool before = blocked(SIGINT);
  bool in_thread = false;
  start_quiet_thread([&] { in_thread = blocked(SIGINT); }).join();
  EXPECT_TRUE(in_thread);
  EXPECT_EQ(blocked(SIGINT), before);
}

TEST(QuietThread, ItsStarterTakesSignalsAlsoIfThereIsNoMemoryForIt) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  const bool before = blocked(SIGINT);
  bool failed = false;
  allocations_until_failure = 0;
  try {
    start_quiet_thread([] {}).join();
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  allocations_until_failure = kNoFailure;
  EXPECT_TRUE(failed);
  EXPECT_EQ(blocked(SIGINT), before);
}

}  // namespace
}  // namespace lintel
