#pragma once
// The table for people: '#' lines that say what was measured and how, then one line for each size, as soon as it is known.

#include <cstdio>

#include "row.h"
#include "run_description.h"

namespace lintel::perf {

class Table {
 public:
  // Borrows `out`.
  Table(std::FILE* out, const RunDescription& run, bool percentiles) : out_(out), run_(run), percentiles_(percentiles) {}

  void header();
  void row(const Row& row);

 private:
  void column_titles(const Row& row);

  std::FILE* out_;
  const RunDescription& run_;
  bool percentiles_;
  bool titled_ = false;
};

}  // namespace lintel::perf
