#pragma once
// What a run tells: the table for people, as soon as each line is known, and at the end the files
// for programs, one JSON document or comma separated values. All name their units.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "options.h"
#include "results.h"

namespace lintel::perf {

inline constexpr const char* kToolName = "lintel-perf";
// From the build.
const char* tool_version();

struct ProcessDescription {
  std::string host;
  std::string address;  // "127.0.0.1 pid 17"
  int cpu = -1;         // -1: not pinned
};

class Report {
 public:
  // Borrows the options. Throws PerfFailure(kUnusable) if a file cannot be written; else leaves it
  // empty.
  explicit Report(const PerfOptions& options);

  // Who takes part: two processes, or the ranks of a chain.
  ProcessDescription initiator;
  ProcessDescription target;
  std::vector<ProcessDescription> ranks;

  // Runs `work` and writes the files afterwards: if it throws a PerfFailure, with its sentence, and
  // with the sizes that were done.
  void write_after(const std::function<void()>& work);

  // Measures at each size. Writes the table, and what is being measured to stderr: on a terminal in
  // one line that is overwritten, else in one line for each size.
  void measure_each(const std::vector<std::uint64_t>& sizes,
                    const std::function<TableRow(std::uint64_t)>& measure);

 private:
  void write_header(std::FILE* out) const;
  std::string line_of(const TableRow& row, bool titles) const;
  std::string json(const std::string& error) const;
  std::string csv() const;
  void write_files(const std::string& error) const;

  const PerfOptions& options_;
  std::vector<TableRow> rows_;
};

}  // namespace lintel::perf
