#pragma once
// What the library stores in MPI_Status besides the three public numbers: the number of received
// bytes and whether the operation was cancelled.
//
// internal[0] is 1 for cancelled, [1] and [2] are the low and high half of the number of bytes, [3]
// is 1 if these are bytes of external32, the rest is 0.

#include <cstdint>

#include "mpi.h"

namespace lintel::mpi {

inline std::int64_t received_bytes(const MPI_Status& status) {
  const auto low = static_cast<std::uint32_t>(status.MPI_internal[1]);
  const auto high = static_cast<std::uint32_t>(status.MPI_internal[2]);
  return static_cast<std::int64_t>((std::uint64_t{high} << 32) | low);
}
inline void set_received_bytes(MPI_Status& status, std::int64_t bytes) {
  status.MPI_internal[1] = static_cast<int>(static_cast<std::uint64_t>(bytes) & 0xffffffffU);
  status.MPI_internal[2] = static_cast<int>(static_cast<std::uint64_t>(bytes) >> 32);
  status.MPI_internal[3] = 0;
}

// True if the status counts bytes of external32. It is then the status of a probe, whose message
// will be converted when it is received.
inline bool counts_external32(const MPI_Status& status) { return status.MPI_internal[3] != 0; }
inline void set_external32_bytes(MPI_Status& status, std::int64_t bytes) {
  set_received_bytes(status, bytes);
  status.MPI_internal[3] = 1;
}

inline bool is_cancelled(const MPI_Status& status) { return status.MPI_internal[0] != 0; }
inline void set_cancelled(MPI_Status& status, bool cancelled) {
  status.MPI_internal[0] = cancelled ? 1 : 0;
}

// The status of an operation with nobody, and of an inactive request (clause 3.7.3).
inline MPI_Status empty_status() {
  return {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, {0, 0, 0, 0, 0}};
}

}  // namespace lintel::mpi
