#pragma once
// The command line of lintel-run.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lintel::run {

inline constexpr std::size_t kMaxRanks = 4096;

enum class Binding { kNone, kCore };

struct RunOptions {
  std::size_t ranks = 0;
  bool tag_output = false;
  Binding binding = Binding::kNone;
  std::optional<std::chrono::milliseconds> timeout;
  std::string impi;  // RANK@HOST:PORT: the IMPI client that the job is, and its server; empty: none
  std::vector<std::string> program;  // with its arguments; not empty
};

// Returns nothing when the command line only asked for help or the version, which is printed.
// Throws RunFailure for errors.
std::optional<RunOptions> parse_options(int argc, const char* const* argv);

}  // namespace lintel::run
