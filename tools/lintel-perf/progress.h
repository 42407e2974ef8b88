#pragma once
// Tells on stderr what is being measured: on a terminal in one line that is overwritten, else in one line for each step.

#include <cstdint>
#include <cstdio>

namespace lintel::perf {

class Progress {
 public:
  // `quiet`: says nothing. `steps`: how many sizes there are.
  Progress(bool quiet, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void size(std::size_t step, std::uint64_t size_bytes);
  // Clears the line, so that the table can be written.
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  std::size_t steps_;
};

}  // namespace lintel::perf
