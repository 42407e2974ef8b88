#include "mpi_layer/bootstrap/job_secret.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace lintel::mpi {

Outcome<JobSecret> random_secret() {
  JobSecret secret;
  // For up to 256 bytes, getrandom(2) returns all of them, without interruption by signals, once
  // the generator is initialised.
  if (::getrandom(secret.bytes.data(), secret.bytes.size(), 0) !=
      static_cast<ssize_t>(secret.bytes.size())) {
    return Problem{std::string("the system gives no random numbers: getrandom: ") +
                   std::strerror(errno)};
  }
  return secret;
}

}  // namespace lintel::mpi
