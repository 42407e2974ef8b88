#include "rank_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lintel::run {

std::vector<std::string> rank_environment(const char* const* own, std::size_t rank,
                                          std::size_t ranks, int pmi_fd, unsigned job_id) {
  std::vector<std::string> environment;
  for (; *own != nullptr; ++own) {
    const std::string_view variable = *own;
    if (!variable.starts_with("PMI_") && !variable.starts_with("PMIX_"))
      environment.emplace_back(variable);
  }
  environment.push_back(fmt::format("PMI_FD={}", pmi_fd));
  environment.push_back(fmt::format("PMI_RANK={}", rank));
  environment.push_back(fmt::format("PMI_SIZE={}", ranks));
  const bool has_job_id =
      std::any_of(environment.begin(), environment.end(),
                  [](const std::string& one) { return one.starts_with("LINTEL_JOB_ID="); });
  if (!has_job_id) environment.push_back(fmt::format("LINTEL_JOB_ID={}", job_id));
  return environment;
}

}  // namespace lintel::run
