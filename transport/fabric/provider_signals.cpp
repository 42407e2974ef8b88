#include "transport/fabric/provider_signals.h"

#include <dlfcn.h>
#include <sys/syscall.h>

#include <cstring>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LINTEL_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LINTEL_SANITIZED
#endif

namespace lintel::transport {
namespace {

bool is_of_infinipath(const struct sigaction& disposition) {
  void* handler = nullptr;  // the address of either kind of handler
  static_assert(sizeof handler == sizeof disposition.sa_handler);
  std::memcpy(&handler, &disposition.sa_handler, sizeof handler);
  Dl_info found;
  if (::dladdr(handler, &found) == 0 || found.dli_fname == nullptr) return false;
  const char* slash = std::strrchr(found.dli_fname, '/');
  return std::strncmp(slash != nullptr ? slash + 1 : found.dli_fname, "libinfinipath.so", 16) == 0;
}

}  // namespace

SignalDispositions::SignalDispositions() : then_{} {
  for (int number = 1; number < static_cast<int>(then_.size()); ++number) {
    ::sigaction(number, nullptr, &then_[static_cast<std::size_t>(number)]);
  }
}

void SignalDispositions::give_back() const {
  for (int number = 1; number < static_cast<int>(then_.size()); ++number) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || !is_of_infinipath(now)) continue;
    ::sigaction(number, &then_[static_cast<std::size_t>(number)], nullptr);
  }
}

// libinfinipath exists for x86-64 only. A sanitizer has handlers of its own, and its functions
// cannot run this early.
#if defined(__x86_64__) && !defined(LINTEL_SANITIZED)
namespace {

struct KernelDisposition {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

// The kernel's flag SA_RESTORER, which libc hides.
constexpr unsigned long kRestorer = 0x04000000;
KernelDisposition at_load[std::tuple_size_v<SignalDispositions::All>];

void noted() {}

}  // namespace

// The dynamic linker resolves an indirect function while it relocates, and it relocates everything
// before it calls the first constructor. No function of another library may be called yet, so this
// is a bare system call.
extern "C" {
[[gnu::visibility("hidden"), gnu::no_profile_instrument_function]] void (*lintel_note_signals())() {
  for (unsigned long number = 1; number < std::size(at_load); ++number) {
    long result = SYS_rt_sigaction;
    register unsigned long mask_bytes asm("r10") = sizeof at_load[0].mask;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(number), "S"(0UL), "d"(&at_load[number]), "r"(mask_bytes)
                 : "rcx", "r11", "memory");
  }
  return noted;
}
[[gnu::ifunc("lintel_note_signals"), gnu::visibility("hidden")]] void lintel_signals_noted();
}

namespace {

[[gnu::constructor]] void give_back_after_load() {
  lintel_signals_noted();
  SignalDispositions::All then{};
  for (std::size_t number = 1; number < then.size(); ++number) {
    const KernelDisposition& noted = at_load[number];
    then[number].sa_handler = noted.handler;
    then[number].sa_flags = static_cast<int>(noted.flags & ~kRestorer);
    std::memcpy(&then[number].sa_mask, &noted.mask, sizeof noted.mask);
  }
  SignalDispositions(then).give_back();
}

}  // namespace
#endif

}  // namespace lintel::transport
