#pragma once
// PageBuffer: memory of whole pages, all of them resident.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace lintel::bench {

class PageBuffer {
 public:
  // At least that many bytes.
  explicit PageBuffer(std::size_t bytes) : size_((bytes + kPage - 1) / kPage * kPage) {
    bytes_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, size_)));
    if (!bytes_) throw std::bad_alloc();
    // touches the pages, so that none is faulted in while the clock runs
    std::memset(bytes_.get(), 0x5A, size_);
  }

  std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kPage = 4096;
  struct FreeBuffer {
    void operator()(std::byte* buffer) const { std::free(buffer); }
  };

  std::size_t size_;
  std::unique_ptr<std::byte[], FreeBuffer> bytes_;
};

}  // namespace lintel::bench
