#pragma once
// A capture file written directly: TCP segments between 10.0.0.1 and 10.0.0.2, in order, without
// gaps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace lintel::test {

enum class Direction : std::uint8_t { kToTarget, kToInitiator };

class CaptureFile {
 public:
  static constexpr std::uint16_t kInitiatorPort = 47801;
  static constexpr std::uint16_t kTargetPort = 47802;

  explicit CaptureFile(const std::string& path);

  // One TCP segment with these bytes, at most 65,000.
  void add(std::span<const std::byte> bytes, Direction direction = Direction::kToTarget);

  // Writes everything out. Nothing may be added afterwards.
  void close() { file_.close(); }

 private:
  std::ofstream file_;
  std::uint32_t packets_ = 0;
  std::array<std::uint32_t, 2> sequence_ = {1, 1};  // by Direction
};

}  // namespace lintel::test
