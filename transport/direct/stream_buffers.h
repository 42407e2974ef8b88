#pragma once
// StreamBuffers: buffers of one size that the streams of a transport share. The one that was used
// last is used next, because it is in the cache. Few are kept while no stream has them.
//
// A member of DirectTables, or of one of its parts; guarded by its owner's lock.
// Does not: bound how many are in use.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lintel::transport {

class StreamBuffers {
 public:
  // Keeps at most `most_free` that are not in use.
  explicit StreamBuffers(std::size_t bytes, std::size_t most_free = 8)
      : bytes_(bytes), most_free_(most_free) {
    free_.reserve(most_free);
  }
  std::size_t bytes() const { return bytes_; }  // of each
  std::unique_ptr<std::byte[]> take();          // null: no memory
  // REQUIRES: take() has returned it.
  void give_back(std::unique_ptr<std::byte[]> buffer) {
    --in_use_;
    if (free_.size() < most_free_) free_.push_back(std::move(buffer));
  }
  std::size_t in_use() const { return in_use_; }
  std::size_t free() const { return free_.size(); }

 private:
  std::size_t bytes_;
  std::size_t most_free_;
  std::size_t in_use_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> free_;  // the latest last
};

}  // namespace lintel::transport
