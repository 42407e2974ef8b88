#pragma once
// RankProcess: one rank's process from fork to its end, and lintel-run's ends of its connections.
//
// It leads a process group of its own, dies with lintel-run, and starts with the signal
// dispositions that lintel-run was started with. Owns the descriptors. Does not wait for the end:
// its LaunchedJob does, and records it.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "cores.h"
#include "line_forwarder.h"
#include "signals.h"

namespace lintel::run {

// What each rank is started with.
struct RankStart {
  std::size_t rank = 0;
  std::size_t ranks = 1;
  unsigned job_id = 0;
  std::string secret_file;
  const std::vector<std::string>* program = nullptr;
  const Signals* signals = nullptr;
  const Cores* cores = nullptr;  // null: the rank is not bound
};

class RankProcess {
 public:
  // Throws RunFailure when the system refuses, or when the program cannot be run, with the exit
  // code that a shell uses.
  RankProcess(const RankStart& start, LineForwarder output, LineForwarder errors);
  RankProcess(RankProcess&&) = default;

  pid_t pid = -1;           // -1: it has ended
  bool has_failed = false;  // set by LaunchedJob
  FileDescriptor input;     // rank 0 only
  FileDescriptor output;
  FileDescriptor errors;
  FileDescriptor pmi;  // until LaunchedJob takes it
  LineForwarder output_lines;
  LineForwarder error_lines;
};

}  // namespace lintel::run
