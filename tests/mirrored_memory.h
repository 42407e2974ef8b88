#pragma once
// Long address ranges over little memory, for lengths beyond 4 GiB on any machine.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/file_descriptor.h"

namespace lintel::testing {

// `length` bytes of addresses, which all map the same `kWindow` bytes repeatedly. Initially zero.
class MirroredMemory {
 public:
  static constexpr std::uint64_t kWindow = 64 << 20;

  // data() is null if it failed.
  explicit MirroredMemory(std::uint64_t length) : reserved_(length + kHugePage) {
    const FileDescriptor file = window();
    void* const all =
        ::mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return;
    all_ = static_cast<std::byte*>(all);
    std::byte* const start =
        all_ + (kHugePage - reinterpret_cast<std::uintptr_t>(all_) % kHugePage) % kHugePage;
    for (std::uint64_t at = 0; at < length; at += kWindow) {
      const std::uint64_t part = std::min(kWindow, length - at);
      if (::mmap(start + at, part, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(), 0) ==
          MAP_FAILED)
        return;
    }
    data_ = start;
  }
  MirroredMemory(const MirroredMemory&) = delete;
  MirroredMemory& operator=(const MirroredMemory&) = delete;
  ~MirroredMemory() {
    if (all_ != nullptr) ::munmap(all_, reserved_);
  }
  std::byte* data() const { return data_; }

 private:
  static constexpr std::uint64_t kHugePage = 2 << 20;

  // Uses huge pages where permitted: mapping a million pages of 4 KiB takes minutes in a virtual
  // machine.
  static FileDescriptor window() {
    const FileDescriptor context(::fsopen("tmpfs", FSOPEN_CLOEXEC));
    FileDescriptor file;
    if (context.is_open() &&
        ::fsconfig(context.get(), FSCONFIG_SET_STRING, "huge", "always", 0) == 0 &&
        ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0) {
      const FileDescriptor folder(::fsmount(context.get(), FSMOUNT_CLOEXEC, 0));
      if (folder.is_open())
        file = FileDescriptor(::openat(folder.get(), "window", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    }
    if (!file.is_open()) file = FileDescriptor(::memfd_create("window", MFD_CLOEXEC));
    if (file.is_open() && ::ftruncate(file.get(), kWindow) != 0) return {};
    return file;
  }

  std::uint64_t reserved_;
  std::byte* all_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace lintel::testing
