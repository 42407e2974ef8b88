#pragma once
// Input: lintel-run's standard input on its way to rank 0.
//
// Reads only when rank 0 has taken what came before, and, from a terminal, only in the foreground,
// where reading does not stop the process. Borrows the descriptor that it reads from.

#include <string>

#include "base/file_descriptor.h"

namespace lintel::run {

class Input {
 public:
  explicit Input(int from) : from_(from) {}

  int from() const { return from_; }
  // There may be something to read for `rank`, its standard input.
  bool wants_to_read(const FileDescriptor& rank) const;
  bool wants_to_write() const { return !waiting_.empty(); }

  // After poll() found something. The end of the input, and of the rank's interest in it, close
  // `rank`.
  void read(FileDescriptor& rank);
  void write(FileDescriptor& rank);

 private:
  int from_;
  std::string waiting_;
};

}  // namespace lintel::run
