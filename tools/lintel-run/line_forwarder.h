#pragma once
// LineForwarder: passes one stream of one rank to an Output.
//
// Lines stay whole and may have a prefix. A line of more than kMaxLineBytes is passed in pieces. A
// last line without a newline is passed as it is, with a prefix like any line.

#include <cstddef>
#include <string>
#include <string_view>

#include "output.h"

namespace lintel::run {

class LineForwarder {
 public:
  static constexpr std::size_t kMaxLineBytes = 1U << 16;

  // `prefix` begins each line; empty: none.
  LineForwarder(Output& output, std::string prefix)
      : output_(&output), prefix_(std::move(prefix)) {}

  Output& output() { return *output_; }
  void take(std::string_view bytes);
  // Call at the end of the stream.
  void end();

 private:
  void pass_on(std::string_view piece);

  Output* output_;
  std::string prefix_;
  std::string line_;           // received part of the next line
  bool is_continued_ = false;  // its beginning was passed on already
};

}  // namespace lintel::run
