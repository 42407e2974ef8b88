#pragma once
// Lost connections at any byte: a program with cutting_sockets.cpp has send() and sendmsg() of its
// own, which lose the connection after a byte that is named beforehand.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lintel::transport {

// Which ends of the connection are reset. What the kernel has for the receiver is lost if the
// receiver's end is.
enum class CutEnd : std::uint8_t { kSender, kReceiver, kBoth };

// The connection on which the last byte is sent before the next cut is lost then.
struct NextCuts {
  std::vector<std::size_t> distances;  // bytes between them, the next one last
  std::size_t made = 0;
  std::size_t sent = 0;  // bytes that the kernel has accepted, of all connections
  std::size_t held = 0;  // those of them that the kernel had when it lost them, for either end
  CutEnd end = CutEnd::kSender;
};
extern NextCuts cuts;

// For all connections of this process: the kernel holds at most twice so many bytes at each end. By
// itself it lets that grow, the more the later the receiver reads.
void limit_kernel_buffers(int bytes);

// For one to eight cuts, each less than `below` bytes behind the one before it.
inline std::vector<std::size_t> random_distances(unsigned seed, std::size_t below) {
  std::mt19937 random(seed);
  std::vector<std::size_t> distances(1 + random() % 8);
  for (std::size_t& distance : distances) distance = random() % below;
  return distances;
}

inline auto all_cut_ends() {
  return testing::Values(CutEnd::kSender, CutEnd::kReceiver, CutEnd::kBoth);
}
inline std::string cut_test_name(const testing::TestParamInfo<CutEnd>& info) {
  constexpr const char* kNames[] = {"sender", "receiver", "both"};
  return kNames[static_cast<std::size_t>(info.param)];
}

}  // namespace lintel::transport
