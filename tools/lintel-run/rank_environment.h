#pragma once
// The environment of a rank.

#include <cstddef>
#include <string>
#include <vector>

namespace lintel::run {

// "NAME=value" of lintel-run's own environment, without variables that another launcher may have
// left (PMI_*, PMIX_*), and with PMI_FD, PMI_RANK and PMI_SIZE of this rank. LINTEL_JOB_ID becomes
// `job_id` and LINTEL_SECRET_FILE becomes `secret_file` unless they are already set.
std::vector<std::string> rank_environment(const char* const* own, std::size_t rank,
                                          std::size_t ranks, int pmi_fd, unsigned job_id,
                                          const std::string& secret_file);

}  // namespace lintel::run
