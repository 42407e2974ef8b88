#pragma once
// JobSecret: 128 random bits that all ranks of a job know, and, as far as the launcher keeps its
// job's data to itself, nobody else.

#include <array>
#include <cstdint>

#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi {

struct JobSecret {
  std::array<std::uint8_t, 16> bytes{};

  // Parts are combined so that the whole is as random as the best of them.
  JobSecret& operator^=(const JobSecret& other) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ other.bytes[i]);
    return *this;
  }
  bool operator==(const JobSecret&) const = default;
};

// From the system's generator.
Outcome<JobSecret> random_secret();

}  // namespace lintel::mpi
