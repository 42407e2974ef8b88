#pragma once
// Pmi1LineReader: splits the bytes of a PMI-1 connection into lines. The bytes may arrive in any
// pieces.
//
// Holds at most one line, and what was appended since next() last returned nothing. Does not read
// from the connection: its owner does.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "mpi_layer/bootstrap/pmi1_line.h"

namespace lintel::mpi {

class Pmi1LineReader {
 public:
  void append(std::string_view bytes) { bytes_ += bytes; }

  // The next line, without its newline; nothing if it has not all arrived, or if too_long().
  std::optional<std::string> next() {
    const std::size_t end = bytes_.find('\n');
    if (end == std::string::npos || end > kMaxPmi1LineBytes) return std::nullopt;
    std::string line = bytes_.substr(0, end);
    bytes_.erase(0, end + 1);
    return line;
  }

  // The next line is longer than lines may be. No more lines can be read then.
  bool too_long() const { return std::min(bytes_.find('\n'), bytes_.size()) > kMaxPmi1LineBytes; }

  // The part of the next line that has arrived.
  const std::string& rest() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace lintel::mpi
