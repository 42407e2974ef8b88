#include "mpi_layer/bootstrap/open_launcher.h"

#include <fcntl.h>

#include "base/log.h"
#include "base/quantity.h"
#include "mpi_layer/bootstrap/pmi1_launcher.h"
#include "mpi_layer/bootstrap/pmix_launcher.h"
#include "mpi_layer/bootstrap/singleton_launcher.h"

namespace lintel::mpi {
namespace {

// The greatest rank, size or descriptor that is accepted. No launcher uses greater ones.
constexpr std::uint32_t kMaxNumber = 1U << 24;

Outcome<std::uint32_t> number_of(const char* name, const std::optional<std::string>& text) {
  if (!text)
    return Problem{std::string("PMI_FD is set and ") + name +
                   " is not; expected PMI_FD, PMI_RANK and PMI_SIZE from one launcher"};
  const auto number = parse_integer(*text);
  if (!number || *number > kMaxNumber) {
    return Problem{std::string(name) + "=" + *text +
                   " is not accepted: expected a number from 0 to " + std::to_string(kMaxNumber)};
  }
  return static_cast<std::uint32_t>(*number);
}

Outcome<std::unique_ptr<Launcher>> open_pmi1(const LaunchVariables& variables) {
  Outcome<std::uint32_t> fd = number_of("PMI_FD", variables.pmi_fd);
  if (!fd) return fd.failure();
  Outcome<std::uint32_t> rank = number_of("PMI_RANK", variables.pmi_rank);
  if (!rank) return rank.failure();
  Outcome<std::uint32_t> size = number_of("PMI_SIZE", variables.pmi_size);
  if (!size) return size.failure();
  if (*rank >= *size) {
    return Problem{"PMI_RANK=" + std::to_string(*rank) + " is not below PMI_SIZE=" +
                   std::to_string(*size) + "; expected both from one launcher"};
  }
  if (::fcntl(static_cast<int>(*fd), F_GETFD) < 0) {
    return Problem{"PMI_FD=" + *variables.pmi_fd +
                   " is no open descriptor; expected this process to be started by the launcher "
                   "itself, with what it inherits kept open"};
  }
  return Pmi1Launcher::open(static_cast<int>(*fd), *rank, *size);
}

}  // namespace

Outcome<std::unique_ptr<Launcher>> open_launcher(const LaunchVariables& variables) {
  if (variables.pmix_namespace && variables.pmix_rank)
    return open_pmix_launcher(variables.ompi_size.has_value());
  if (variables.pmi_fd) return open_pmi1(variables);
  if (variables.pmi_port) {
    return Problem{"PMI_PORT=" + *variables.pmi_port +
                   " is set and PMI_FD is not: Lintel speaks PMI-1 over an inherited descriptor; "
                   "expected mpiexec.hydra without -pmi-port"};
  }
  if (variables.slurm_size && *variables.slurm_size != "1") {
    LINTEL_LOG(kWarn,
               "srun has started %s processes without --mpi=pmix or --mpi=pmi2, so this one is a "
               "world of one",
               variables.slurm_size->c_str());
  }
  return std::unique_ptr<Launcher>(std::make_unique<SingletonLauncher>());
}

}  // namespace lintel::mpi
