#include "portals/engine/memory/memory_probe.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace lintel::portals {
namespace {

#ifndef MADV_POPULATE_READ  // of Linux 5.14; the headers may be older than the kernel
constexpr int MADV_POPULATE_READ = 22;
constexpr int MADV_POPULATE_WRITE = 23;
#endif

std::uintptr_t page_size() {
  static const auto kSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return kSize;
}

// The kernel reads 8 bytes there before it refuses this call, because its way of changing the
// signal mask does not exist.
bool can_read(std::uintptr_t page) {
  constexpr int kNoSuchWay = -1;
  constexpr std::size_t kMaskBytes = 8;
  return ::syscall(SYS_rt_sigprocmask, kNoSuchWay, page, nullptr, kMaskBytes) == 0 ||
         errno != EFAULT;
}

// The kernel atomically adds 0 to a word there, and wakes no thread.
bool can_write(std::uintptr_t page) {
  static std::uint32_t nobody_waits_here = 0;
  constexpr std::uint32_t kNobody = 0;
  return ::syscall(SYS_futex, &nobody_waits_here, FUTEX_WAKE_OP_PRIVATE, kNobody, kNobody, page,
                   FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
         errno != EFAULT;
}

bool page_is_accessible(std::uintptr_t page, ProbedAccess access) {
  return access == ProbedAccess::kRead ? can_read(page) : can_write(page);
}

bool can_populate() {
  static const bool kCan = [] {
    const long here = 0;
    return ::madvise(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&here) &
                                             ~(page_size() - 1)),
                     page_size(), MADV_POPULATE_READ) == 0;
  }();
  return kCan;
}

bool run_is_accessible(std::span<const std::byte> run, ProbedAccess access) {
  const std::uintptr_t mask = ~(page_size() - 1);
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(run.data()) & mask;
  const std::uintptr_t last =
      (reinterpret_cast<std::uintptr_t>(run.data()) + (run.size() - 1)) & mask;
  // Device memory cannot be populated, but can be accessed. So a range that fails is checked page
  // by page.
  if (last != first && can_populate() &&
      ::madvise(reinterpret_cast<void*>(first), last - first + page_size(),
                access == ProbedAccess::kRead ? MADV_POPULATE_READ : MADV_POPULATE_WRITE) == 0) {
    return true;
  }
  for (std::uintptr_t page = first;; page += page_size()) {
    if (!page_is_accessible(page, access)) return false;
    if (page == last) return true;
  }
}

}  // namespace

bool is_accessible(const MemoryRegion& region, std::uint64_t offset, std::uint64_t length,
                   ProbedAccess access) {
  bool accessible = true;
  region.for_each_run(offset, length, [&](std::span<std::byte> run) {
    accessible = accessible && run_is_accessible(run, access);
  });
  return accessible;
}

}  // namespace lintel::portals
