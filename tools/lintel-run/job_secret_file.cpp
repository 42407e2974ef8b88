#include "job_secret_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "failure.h"

namespace lintel::run {
namespace {

[[noreturn]] void no_secret(const char* call) {
  throw RunFailure(kExitFailed, fmt::format("{} failed: {}; expected room for the job's secret",
                                            call, std::strerror(errno)));
}

}  // namespace

JobSecretFile::JobSecretFile()
    : file_(::memfd_create("lintel-secret", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  std::array<unsigned char, 32> secret;
  constexpr auto kBytes = static_cast<ssize_t>(secret.size());
  if (!file_.is_open()) no_secret("memfd_create");
  if (::fchmod(file_.get(), S_IRUSR | S_IWUSR) != 0) no_secret("fchmod");
  if (::getrandom(secret.data(), secret.size(), 0) != kBytes) no_secret("getrandom");
  if (::write(file_.get(), secret.data(), secret.size()) != kBytes) no_secret("write");
  constexpr int kForever = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  if (::fcntl(file_.get(), F_ADD_SEALS, kForever) != 0) no_secret("fcntl");
  path_ = fmt::format("/proc/{}/fd/{}", ::getpid(), file_.get());
}

}  // namespace lintel::run
