#pragma once
// Encodes a JobLayout as bytes, for the processes of a job that did not take part in the start-up.
//
// Pure functions of values; any thread.

#include <string>
#include <string_view>

#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/job_layout.h"

namespace lintel::mpi::impi {

std::string encode(const JobLayout& layout);

// Fails unless the bytes are the result of encode() for some layout.
Outcome<JobLayout> decode_layout(std::string_view bytes);

}  // namespace lintel::mpi::impi
