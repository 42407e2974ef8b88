#pragma once
// Pmi1Launcher: mpiexec.hydra, srun --mpi=pmi2 or lintel-run, by the protocol PMI-1: each request
// is one line, and so is each answer.
//
// Owns the descriptor, which programs that this process starts do not inherit. Each answer is
// validated. After the first unexpected answer, or the end of the connection, every later call
// fails with the same sentence.

#include <memory>

#include "base/file_descriptor.h"
#include "mpi_layer/bootstrap/launcher.h"
#include "mpi_layer/bootstrap/pmi1_line.h"
#include "mpi_layer/bootstrap/pmi1_line_reader.h"

namespace lintel::mpi {

class Pmi1Launcher final : public Launcher {
 public:
  // Initialises the protocol on `fd`, a stream whose other end belongs to the launcher. Takes `fd`
  // over.
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
  // Sends `request` and waits for its answer, which must have the command `expected`, and no
  // failure in its rc.
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
