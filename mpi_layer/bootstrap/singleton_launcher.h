#pragma once
// SingletonLauncher: for a process that no launcher started. Its world has one process.

#include "mpi_layer/bootstrap/abort_process.h"
#include "mpi_layer/bootstrap/launcher.h"

namespace lintel::mpi {

class SingletonLauncher final : public Launcher {
 public:
  std::string_view name() const override { return "none"; }
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 1; }
  Outcome<std::vector<std::string>> exchange(std::string_view, std::string_view own) override {
    return std::vector<std::string>{std::string(own)};
  }
  Outcome<> barrier() override { return {}; }
  [[noreturn]] void abort(int exit_code, std::string_view text, AbortCause) override {
    report_abort(0, exit_code, text);
    end_aborted(exit_code);
  }
  Outcome<> finalize() override { return {}; }
};

}  // namespace lintel::mpi
