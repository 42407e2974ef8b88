#pragma once
// The text of each predefined error class, for MPI_Error_string.

namespace lintel::mpi {

// Null for a number that is no predefined class. Valid until the end of the process.
const char* error_sentence(int error_class);

}  // namespace lintel::mpi
