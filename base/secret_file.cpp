#include "base/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "base/file_descriptor.h"

namespace lintel {

namespace {

constexpr mode_t kRightsOfOthers = S_IRWXG | S_IRWXO;

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
  return text;
}

// Reads until the end, at most one byte more than a secret may have.
ssize_t read_all(int fd, std::span<std::byte> to) {
  std::size_t filled = 0;
  while (filled < to.size()) {
    const ssize_t got = ::read(fd, to.data() + filled, to.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return got;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(filled);
}

}  // namespace

SecretReading read_secret_file(const std::string& path) {
  const auto refused = [&path](const std::string& what) {
    return SecretReading{{}, "'" + path + "' " + what};
  };
  const auto failed = [&refused] {
    return refused(std::string("cannot be read: ") + std::strerror(errno) +
                   "; expected a file with the secret of the job");
  };
  // A pipe without a writer must not stop the process.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) return failed();
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return failed();
  if (!S_ISREG(status.st_mode)) return refused("is no regular file; expected one");
  if (status.st_uid != ::geteuid()) {
    return refused("belongs to user " + std::to_string(status.st_uid) +
                   "; expected the user of this process, " + std::to_string(::geteuid()));
  }
  if ((status.st_mode & kRightsOfOthers) != 0)
    return refused("has mode " + octal(status.st_mode) + "; expected 0600 or 0400");
  std::vector<std::byte> bytes(kMostSecretBytes + 1);
  const ssize_t got = read_all(file.get(), bytes);
  if (got < 0) return failed();
  bytes.resize(static_cast<std::size_t>(got));
  if (bytes.size() < kLeastSecretBytes || bytes.size() > kMostSecretBytes) {
    const std::string count =
        bytes.size() > kMostSecretBytes ? "too many" : std::to_string(bytes.size());
    return refused("has " + count + " bytes; expected " + std::to_string(kLeastSecretBytes) +
                   " to " + std::to_string(kMostSecretBytes));
  }
  return {std::move(bytes), ""};
}

}  // namespace lintel
