#pragma once
// Launcher: the program that started the processes of a job, as one of them uses it: its rank, the
// size of the job, and an exchange of a few bytes between all ranks.
//
// A resource: made by open_launcher(), with one owner, used by one thread at a time. exchange() and
// barrier() are collective: every rank calls them in the same order, and they block until all have.
// After a failure only abort() may be called.
// Does not: know what the bytes mean; world.h does.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi {

// The most bytes of one rank in one exchange. As hexadecimal digits and with its key they fit into
// the 1024 bytes of a PMI-1 line.
inline constexpr std::size_t kMaxBlobBytes = 384;

// Why a rank aborts: of its own accord, or because it has lost another process. In the second case
// the launcher looks for the end of that process, which is the real cause.
enum class AbortCause { kOwn, kLostProcess };

class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  // "PMIx", "PMI-1" or "none".
  virtual std::string_view name() const = 0;
  // rank() < size().
  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;

  // Gives `own`, any bytes, to all ranks, and returns the bytes of each rank, by rank. Collective.
  // `name` distinguishes the exchanges of a job: letters, digits and "-", at most 32. REQUIRES: own
  // has 1 to kMaxBlobBytes bytes.
  virtual Outcome<std::vector<std::string>> exchange(std::string_view name,
                                                     std::string_view own) = 0;

  // Collective.
  virtual Outcome<> barrier() = 0;

  // Writes `text` to standard error, has the launcher end the whole job, and ends this process with
  // `exit_code`, without destructors.
  [[noreturn]] virtual void abort(int exit_code, std::string_view text, AbortCause cause) = 0;

  // Says that this rank does not need the launcher any more. The process may continue. Only the
  // destructor may follow. Most launchers treat a process that ends without this call as failed,
  // and end its job.
  virtual Outcome<> finalize() = 0;
};

}  // namespace lintel::mpi
