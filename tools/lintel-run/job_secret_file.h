#pragma once
// The secret of a job: 256 random bits in a file that only this process' user can open.

#include <string>

#include "base/file_descriptor.h"

namespace lintel::run {

// The file is in memory, and lives as long as lintel-run. It has a name in the /proc folder of
// lintel-run, so it stays readable in programs that close what they inherit, and nothing is left
// behind, however lintel-run ends. The secret itself is in no environment and on no disk.
class JobSecretFile {
 public:
  // Throws RunFailure if the system refuses.
  JobSecretFile();
  // For LINTEL_SECRET_FILE.
  const std::string& path() const { return path_; }

 private:
  FileDescriptor file_;
  std::string path_;
};

}  // namespace lintel::run
