#pragma once
// Launcher: what started the processes of a job, as one of them sees it: who am I, how many are we,
// and a place to leave a few bytes for the others.
//
// A resource: made by open_launcher(), owned by one owner, used by one thread at a time. exchange()
// and barrier() are collective: every rank calls them in the same order, and they block until all
// have. After a failure the launcher is of no further use, except for abort(). Does not: know what
// the bytes mean; world.h does.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi {

// What one rank may leave in one exchange. As hexadecimal digits it fits, with its key, into the
// 1024 bytes of a PMI-1 line.
inline constexpr std::size_t kMaxBlobBytes = 384;

// Why a rank aborts: of its own accord, or because another process is lost to it. The launcher then
// looks for that one's end, which says more.
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

  // Leaves `own`, any bytes, for all and returns what each rank has left, by rank. Collective.
  // `name` tells one exchange of the job from another: letters, digits and "-", at most 32.
  // REQUIRES: own has 1 to kMaxBlobBytes bytes.
  virtual Outcome<std::vector<std::string>> exchange(std::string_view name,
                                                     std::string_view own) = 0;

  // Collective.
  virtual Outcome<> barrier() = 0;

  // Writes `text` to standard error, has the whole job ended, and ends this process with
  // `exit_code`, without destructors.
  [[noreturn]] virtual void abort(int exit_code, std::string_view text, AbortCause cause) = 0;

  // This rank needs the launcher no longer; it may still run on. Nothing but the destructor may
  // follow. A process that ends without it has failed in the eyes of most launchers, and its job is
  // ended.
  virtual Outcome<> finalize() = 0;
};

}  // namespace lintel::mpi
