#include "rank_environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace lintel::run {

std::vector<std::string> rank_environment(const char* const* own, std::size_t rank,
                                          std::size_t ranks, int pmi_fd, unsigned job_id,
                                          const std::string& secret_file) {
  std::vector<std::string> environment;
  for (; *own != nullptr; ++own) {
    const std::string_view variable = *own;
    if (!variable.starts_with("PMI_") && !variable.starts_with("PMIX_"))
      environment.emplace_back(variable);
  }
  environment.push_back(fmt::format("PMI_FD={}", pmi_fd));
  environment.push_back(fmt::format("PMI_RANK={}", rank));
  environment.push_back(fmt::format("PMI_SIZE={}", ranks));
  const auto add_unless_set = [&environment](std::string_view name, const std::string& value) {
    const std::string begin = fmt::format("{}=", name);
    const bool is_set =
        std::any_of(environment.begin(), environment.end(),
                    [&begin](const std::string& one) { return one.starts_with(begin); });
    if (!is_set) environment.push_back(begin + value);
  };
  add_unless_set("LINTEL_JOB_ID", std::to_string(job_id));
  add_unless_set("LINTEL_SECRET_FILE", secret_file);
  return environment;
}

}  // namespace lintel::run
