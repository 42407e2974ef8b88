#pragma once
// Input: passes lintel-run's standard input to rank 0.
//
// Reads only when rank 0 has taken what came before. From a terminal it reads only in the
// foreground, where reading does not stop the process. Borrows the descriptor that it reads from.

#include <string>

#include "base/file_descriptor.h"

namespace lintel::run {

class Input {
 public:
  explicit Input(int from) : from_(from) {}

  int from() const { return from_; }
  // Whether it should read for `rank`, the standard input of rank 0.
  bool wants_to_read(const FileDescriptor& rank) const;
  bool wants_to_write() const { return !waiting_.empty(); }

  // Call after poll() found something. Closes `rank` at the end of the input, or when the rank has
  // closed its end.
  void read(FileDescriptor& rank);
  void write(FileDescriptor& rank);

 private:
  int from_;
  std::string waiting_;
};

}  // namespace lintel::run
