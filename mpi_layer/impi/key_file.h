#pragma once
// Where a key of IMPI stands that is on no command line and in no environment.

#include <cstdint>
#include <string>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi::impi {

// The key in the file at `path`: a decimal number and nothing else. Fails also for a file that
// anybody but its owner may read or write.
Outcome<std::uint64_t> read_key_file(const std::string& path);

}  // namespace lintel::mpi::impi
