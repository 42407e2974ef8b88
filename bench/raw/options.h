#pragma once
// The command line of lintel-raw-fabric as a plain value.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lintel::bench {

enum class Mode : std::uint8_t {
  kPingPong,
  kRate,
  kSendBandwidth,
  kWriteBandwidth,
  kReadBandwidth
};

std::string_view name_of(Mode mode);

inline constexpr const char* kLoopback = "127.0.0.1";

struct RawOptions {
  std::vector<Mode> modes;
  std::string provider;              // empty: the first of net, tcp that this machine offers
  std::vector<std::size_t> sizes;    // bytes; empty: the usual sizes of each mode
  std::uint64_t iterations = 0;      // messages of one repeat; 0: chosen by size
  std::uint64_t warm_up = 200;       // messages before the clock starts, in each repeat
  std::uint32_t window = 64;         // operations under way at a time, all modes but pingpong
  std::uint32_t repeats = 5;         // their median is reported
  std::pair<int, int> cpus{-1, -1};  // initiator, target; -1: not pinned
  // Initiator's and target's IPv4 addresses. Other than loopback: the provider must have them.
  std::pair<std::string, std::string> addresses{kLoopback, kLoopback};
  std::string target_namespace;  // path of the target's network namespace; empty: that of the
                                 // initiator
  std::string json_path;         // empty: none, "-": standard output, and the table goes to
                                 // standard error
};

// The sizes to measure in `mode`.
std::vector<std::size_t> sizes_of(const RawOptions& options, Mode mode);
// The largest of all sizes of all modes: the size of the buffers.
std::size_t largest_size(const RawOptions& options);
// Messages of one repeat at `size`.
std::uint64_t iterations_of(const RawOptions& options, Mode mode, std::size_t size);

// Either options, or an exit code when there is nothing left to do: 0 after --help, 2 after a bad
// option, which was reported on standard error.
struct Parsed {
  std::optional<RawOptions> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv);

}  // namespace lintel::bench
