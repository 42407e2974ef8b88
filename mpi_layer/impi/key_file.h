#pragma once
// Reads a key of IMPI from a file, which keeps it out of command lines and environments.

#include <cstdint>
#include <string>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi::impi {

// The key in the file at `path`: a decimal number and nothing else. Fails also if anybody but the
// owner may read or write the file.
Outcome<std::uint64_t> read_key_file(const std::string& path);

}  // namespace lintel::mpi::impi
