#pragma once
// JobLayout: what is computed from the labels of all clients, with the same result in each client:
// hosts, processes and common bounds.
//
// A value. Ranks count from 0: clients in the order of their ranks, within a client its hosts,
// within a host its processes.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mpi_layer/bootstrap/outcome.h"
#include "mpi_layer/impi/host_id.h"
#include "mpi_layer/impi/label_set.h"

namespace lintel::mpi::impi {

struct Version {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  auto operator<=>(const Version&) const = default;
};

struct JobHost {
  HostId address;  // in the form that its client has sent
  std::uint16_t port = 0;
  std::uint32_t client = 0;
  std::uint32_t first_proc = 0;  // world rank
  std::uint32_t procs = 0;
};

struct JobProc {
  ProcId id;  // in the form that its client has sent
  std::uint32_t host = 0;
};

struct JobLayout {
  std::vector<std::vector<Version>> versions;  // of each client, ascending; each includes 0.0
  std::vector<JobHost> hosts;                  // by host rank
  std::vector<JobProc> procs;                  // by world rank
  std::uint32_t data_length = 0;               // the least of all
  std::int32_t tag_upper_bound = 0;            // the least of all
  std::int32_t crossover_size = 0;             // the same for all
  std::int32_t max_linear = 0;                 // the same for all
  std::uint32_t ackmark = 0;                   // the least of all hosts
  std::uint32_t hiwater = 0;                   // the least of all hosts

  // The host rank of the first host of `client`.
  std::uint32_t first_host(std::uint32_t client) const;
  // The highest version that both clients support.
  Version common_version(std::uint32_t one, std::uint32_t other) const;
};

// Names a host in sentences: "client 1 (host 2 at 10.0.0.1:4711)".
std::string text_of_host(const JobLayout& layout, std::uint32_t host);

// Fails if a client has not sent every label, contradicts itself or another client, or exceeds the
// limits of IMPI. The bytes come from foreign programs, so all of them are validated.
Outcome<JobLayout> lay_out(const std::map<Label, LabelSet>& sets, std::uint32_t clients);

}  // namespace lintel::mpi::impi
