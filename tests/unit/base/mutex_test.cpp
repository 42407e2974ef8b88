#include "base/mutex.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <thread>
#include <vector>

namespace lintel {
namespace {

// Asks from another thread.
bool is_free(Mutex& mutex) {
  bool taken = false;
  std::thread([&] {
    if (!mutex.try_lock()) return;
    taken = true;
    mutex.unlock();
  }).join();
  return taken;
}

TEST(Mutex, IsTakenByOneAtATime) {
  Mutex mutex;
  mutex.lock();
  EXPECT_FALSE(is_free(mutex));
  mutex.unlock();
  EXPECT_TRUE(is_free(mutex));
  EXPECT_TRUE(is_free(mutex));
}

TEST(Mutex, OrdersWhatItsHoldersDo) {
  constexpr int kThreads = 4;
  constexpr std::uint64_t kEach = 50'000;
  Mutex mutex;
  std::uint64_t count = 0;  // not atomic: the mutex protects it
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t k = 0; k < kEach; ++k) {
        const MutexLock lock(mutex);
        ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * kEach);
}

TEST(Mutex, ItsHolderSeesThatItIsWantedAndWhoWaitsGetsIt) {
  Mutex mutex;
  mutex.lock();
  EXPECT_FALSE(mutex.wanted());
  bool had_it = false;
  std::thread other([&] {
    const MutexLock lock(mutex);
    had_it = true;
  });
  while (!mutex.wanted()) std::this_thread::yield();
  EXPECT_FALSE(had_it);
  mutex.unlock();
  other.join();
  EXPECT_TRUE(had_it);
  EXPECT_FALSE(mutex.wanted());
}

// Several threads sleep, and each unlock() wakes one: none is forgotten.
TEST(Mutex, AllWhoWaitGetItInTurn) {
  constexpr int kWaiters = 8;
  Mutex mutex;
  int turns = 0;
  mutex.lock();
  std::vector<std::thread> waiters;
  for (int i = 0; i < kWaiters; ++i) {
    waiters.emplace_back([&] {
      const MutexLock lock(mutex);
      ++turns;
    });
  }
  while (!mutex.wanted()) std::this_thread::yield();
  mutex.unlock();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(turns, kWaiters);
}

TEST(Mutex, WorksWithAConditionVariable) {
  Mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  std::thread other([&] {
    const MutexLock lock(mutex);
    ready = true;
    changed.notify_one();
  });
  mutex.lock();
  while (!ready) changed.wait(mutex);
  mutex.unlock();
  other.join();
  EXPECT_TRUE(ready);
}

}  // namespace
}  // namespace lintel
