#pragma once
// Pmi1Launcher: mpiexec.hydra, srun --mpi=pmi2 or lintel-run, spoken to over PMI-1's wire: one line
// asks, one line answers.
//
// Owns the descriptor, which is not passed on to programs that this process starts. Each answer is
// validated; the first that is not as expected, and the end of the connection, make every later
// call fail with the same sentence.

#include <memory>

#include "base/file_descriptor.h"
#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/pmi1_line.h"
#include "mpi_layer/bootstrap/pmi1_line_reader.h"

namespace lintel::mpi {

class Pmi1Launcher final : public Launcher {
 public:
  // Greets the launcher on `fd`, which it takes over, a stream of which the other end belongs to
  // the launcher.
  static Outcome<std::unique_ptr<Launcher>> open(int fd, std::uint32_t rank, std::uint32_t size);

  std::string_view name() const override { return "PMI-1"; }
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  Outcome<std::vector<std::string>> exchange(std::string_view name, std::string_view own) override;
  Outcome<> barrier() override;
  [[noreturn]] void abort(int exit_code, std::string_view text, AbortCause cause) override;
  Outcome<> finalize() override;

 private:
  Pmi1Launcher(int fd, std::uint32_t rank, std::uint32_t size)
      : socket_(fd), rank_(rank), size_(size) {}

  Outcome<> greet();
  // Sends `request` and waits for its answer, which must be a line of the command `expected`, and
  // without a failure in its rc.
  Outcome<Pmi1Line> ask(const Pmi1Line& request, std::string_view expected);
  Outcome<> send(const std::string& line);
  Outcome<std::string> receive();
  // Remembers the sentence for later calls.
  Problem broken(std::string sentence);

  FileDescriptor socket_;
  std::uint32_t rank_;
  std::uint32_t size_;
  std::size_t max_value_bytes_ = 0;
  std::string key_value_space_;
  Pmi1LineReader reader_;
  std::string failure_;  // empty: none so far
};

}  // namespace lintel::mpi
