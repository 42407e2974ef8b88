#include "live_capture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

extern char** environ;

namespace lintel::test {
namespace {

constexpr int kStartDeadlineMs = 10'000;

// With its default of 2 MiB the kernel drops packets during a large transfer.
constexpr const char* kBufferMebibytes = "64";

// dumpcap names its file once the interface is open and the filter set.
constexpr const char* kStarted = "File: ";

}  // namespace

LiveCapture::LiveCapture(const std::string& path, const LoopbackPorts& ports) : path_(path) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    words_ = std::strerror(errno);
    return;
  }
  errors_ = ends[0];
  const std::string filter = "host " + ports.host + " and (tcp port " +
                             std::to_string(ports.initiator) + " or tcp port " +
                             std::to_string(ports.target) + ")";
  std::array<const char*, 11> arguments = {"dumpcap", "-q",         "-B",   kBufferMebibytes,
                                           "-i",      "lo",         "-f",   filter.c_str(),
                                           "-w",      path.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const int failed = posix_spawnp(&child_, "dumpcap", &actions, nullptr,
                                  const_cast<char* const*>(arguments.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    child_ = -1;
    words_ = std::string("dumpcap: ") + std::strerror(failed);
    return;
  }
  pollfd readable = {errors_, POLLIN, 0};
  std::array<char, 512> buffer{};
  while (!running_ && poll(&readable, 1, kStartDeadlineMs) > 0) {
    const ssize_t got = read(errors_, buffer.data(), buffer.size());
    if (got <= 0) break;
    words_.append(buffer.data(), static_cast<std::size_t>(got));
    running_ = words_.find(kStarted) != std::string::npos;
  }
}

LiveCapture::~LiveCapture() {
  stop();
  if (errors_ >= 0) close(errors_);
}

bool LiveCapture::wait_for(std::span<const std::byte> bytes,
                           std::chrono::milliseconds deadline) const {
  const std::string wanted(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (std::chrono::steady_clock::now() < end) {
    std::ifstream file(path_, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (content.find(wanted) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

void LiveCapture::stop() {
  if (child_ < 0) return;
  kill(child_, SIGINT);
  waitpid(child_, nullptr, 0);
  child_ = -1;
}

}  // namespace lintel::test
