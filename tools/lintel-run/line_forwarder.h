#pragma once
// LineForwarder: one stream of one rank on its way to an Output: lines stay whole, and may bear a
// prefix.
//
// A line of more than kMaxLineBytes goes on in pieces. What a rank leaves without a newline at its
// end goes on as it is, with a prefix as a line.

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
  // The stream has ended.
  void end();

 private:
  void pass_on(std::string_view piece);

  Output* output_;
  std::string prefix_;
  std::string line_;           // what has come of the next line
  bool is_continued_ = false;  // its beginning has gone already
};

}  // namespace lintel::run
