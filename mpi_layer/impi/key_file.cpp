#include "mpi_layer/impi/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/file_descriptor.h"
#include "mpi_layer/impi/authentication.h"

namespace lintel::mpi::impi {
namespace {

Outcome<std::uint64_t> read_key(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return Problem{"key file " + path + " is not usable; expected a regular file"};
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%03o", static_cast<unsigned>(status.st_mode & 0777));
    return Problem{"key file " + path + " has mode " + mode +
                   "; expected 600, so that nobody but its owner has the key"};
  }
  std::array<char, 64> bytes;  // a key has at most 20 digits
  const ssize_t got = ::read(fd, bytes.data(), bytes.size());
  if (got < 0) return Problem{"key file " + path + " cannot be read: " + std::strerror(errno)};
  return parse_key({bytes.data(), static_cast<std::size_t>(got)},
                   "what key file " + path + " holds");
}

}  // namespace

Outcome<std::uint64_t> read_key_file(const std::string& path) {
  // O_NONBLOCK, because the open of a FIFO without a writer would block
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open())
    return Problem{"key file " + path + " cannot be opened: " + std::strerror(errno)};
  return read_key(file.get(), path);
}

}  // namespace lintel::mpi::impi
