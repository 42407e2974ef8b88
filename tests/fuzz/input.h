#pragma once
// Input: the bytes that libFuzzer made, read from beginning to end. After the end it gives zeros
// and shorter pieces.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace lintel::testing {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = (value << 8) | byte();
    return value;
  }
  std::vector<std::byte> bytes(std::size_t length) {
    length = std::min(length, rest_.size());
    std::vector<std::byte> out(length);
    if (length > 0) std::memcpy(out.data(), rest_.data(), length);
    rest_ = rest_.subspan(length);
    return out;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace lintel::testing
