#include "output.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace lintel::run {

void Output::write_some() {
  // A pipe that poll() reports writable has room for PIPE_BUF bytes. The descriptor stays blocking,
  // because others share it.
  const ssize_t written =
      ::write(fd_, waiting_.data(), std::min<std::size_t>(waiting_.size(), PIPE_BUF));
  if (written >= 0) {
    waiting_.erase(0, static_cast<std::size_t>(written));
  } else if (errno != EINTR && errno != EAGAIN) {
    is_closed_ = true;
    waiting_.clear();
  }
}

}  // namespace lintel::run
