#pragma once
// JobSecret: 128 random bits that all ranks of a job know. Nobody else knows them if the launcher
// keeps the data of its job secret.

#include <array>
#include <cstdint>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi {

struct JobSecret {
  std::array<std::uint8_t, 16> bytes{};

  // Combines two parts. The result is as random as the better of them.
  JobSecret& operator^=(const JobSecret& other) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ other.bytes[i]);
    return *this;
  }
  bool operator==(const JobSecret&) const = default;
};

// From the random number generator of the system.
Outcome<JobSecret> random_secret();

}  // namespace lintel::mpi
