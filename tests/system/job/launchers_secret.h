#pragma once
// LaunchersSecret: the secret of a job as lintel-run gives it to its processes, a file in memory.
// Owns the file, which others open while this process lives and has this object.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/file_descriptor.h"

namespace lintel::testing {

class LaunchersSecret {
 public:
  LaunchersSecret() {
    std::array<unsigned char, 32> secret{};
    EXPECT_EQ(::getrandom(secret.data(), secret.size(), 0), ssize_t(secret.size()));
    EXPECT_EQ(::fchmod(file_.get(), S_IRUSR | S_IWUSR), 0);
    EXPECT_EQ(::write(file_.get(), secret.data(), secret.size()), ssize_t(secret.size()));
  }
  // For LINTEL_SECRET_FILE.
  std::string path() const {
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_.get());
  }

 private:
  FileDescriptor file_{::memfd_create("secret", MFD_CLOEXEC)};
};

}  // namespace lintel::testing
