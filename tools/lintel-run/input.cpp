#include "input.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace lintel::run {

bool Input::wants_to_read(const FileDescriptor& rank) const {
  if (!rank.is_open() || !waiting_.empty()) return false;
  return ::isatty(from_) == 0 || ::tcgetpgrp(from_) == ::getpgrp();
}

void Input::read(FileDescriptor& rank) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::read(from_, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return rank.close();
  waiting_.assign(bytes.data(), static_cast<std::size_t>(got));
  write(rank);
}

void Input::write(FileDescriptor& rank) {
  const ssize_t written = ::write(rank.get(), waiting_.data(), waiting_.size());
  if (written >= 0) {
    waiting_.erase(0, static_cast<std::size_t>(written));
  } else if (errno != EINTR && errno != EAGAIN) {
    waiting_.clear();
    rank.close();
  }
}

}  // namespace lintel::run
