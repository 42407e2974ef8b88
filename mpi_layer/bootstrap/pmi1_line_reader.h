#pragma once
// Pmi1LineReader: cuts the bytes of a PMI-1 connection into lines, in whatever pieces they come.
//
// Holds at most one line beyond what was appended since next() last gave nothing. Does not read:
// its owner does, and appends.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "mpi_layer/bootstrap/pmi1_line.h"

namespace lintel::mpi {

class Pmi1LineReader {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }

  // The next line, without its newline; nothing when it has not all come, or too_long().
  std::optional<std::string> next() {
    const std::size_t end = bytes_.find('\n');
    if (end == std::string::npos || end > kMaxPmi1LineBytes) return std::nullopt;
    std::string line = bytes_.substr(0, end);
    bytes_.erase(0, end + 1);
    return line;
  }

  // What comes next has more bytes than a line may have. No more lines can be read then.
  bool too_long() const { return std::min(bytes_.find('\n'), bytes_.size()) > kMaxPmi1LineBytes; }

  // What has come of the next line.
  const std::string& rest() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace lintel::mpi
