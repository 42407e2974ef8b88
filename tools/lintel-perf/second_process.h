#pragma once
// The other process of a pair on one machine: this program again, as a server that serves once.
//
// Owns the child: it is waited for, or killed, at the end, and the kernel kills it if this process dies. Start it before PtlInit.

#include <portals3.h>
#include <sys/types.h>

#include <chrono>

#include "options.h"

namespace lintel::perf {

class SecondProcess {
 public:
  explicit SecondProcess(const Options& options);
  ~SecondProcess();
  SecondProcess(const SecondProcess&) = delete;
  SecondProcess& operator=(const SecondProcess&) = delete;

  // Where it can be reached. Throws Failure(kUnusable) if it ends instead, or says nothing within the deadline.
  ptl_process_id_t address();

 private:
  // Reaps the child if it ends within `limit`.
  bool ended(std::chrono::milliseconds limit);

  [[noreturn]] void report_early_end();

  std::chrono::duration<double> deadline_;
  pid_t child_ = -1;
  int pipe_ = -1;
};

}  // namespace lintel::perf
