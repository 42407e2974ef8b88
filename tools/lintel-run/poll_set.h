#pragma once
// PollSet: the descriptors that one poll(2) waits for, each with a handler.
//
// Borrows the descriptors. Thread: one at a time.

#include <poll.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"

namespace lintel::run {

// True if a read would not wait, also at the end of the stream.
inline bool is_readable(const FileDescriptor& descriptor) {
  pollfd ready{descriptor.get(), POLLIN, 0};
  return ::poll(&ready, 1, 0) > 0;
}

class PollSet {
 public:
  void clear() {
    polled_.clear();
    handlers_.clear();
  }
  void watch(int fd, short events, std::function<void()> handler) {
    polled_.push_back({fd, events, 0});
    handlers_.push_back(std::move(handler));
  }
  // Waits for at most `milliseconds` (-1: without limit) until one of them is ready. Calls the
  // handlers of those that are, in the order of watch(). They must not call this object.
  void wait(int milliseconds) {
    if (::poll(polled_.data(), polled_.size(), milliseconds) <= 0) return;
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      if (polled_[i].revents != 0) handlers_[i]();
    }
  }

 private:
  std::vector<pollfd> polled_;
  std::vector<std::function<void()>> handlers_;  // beside polled_
};

}  // namespace lintel::run
