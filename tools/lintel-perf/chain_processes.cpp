#include "chain_processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace lintel::perf {
namespace {

constexpr auto kTimeToEnd = std::chrono::seconds(5);
constexpr auto kTimeToReport = std::chrono::seconds(1);

// The first message of this kind, which leaves the inbox.
std::optional<nlohmann::json> take(std::deque<nlohmann::json>& inbox, const std::string& kind) {
  const auto found = std::find_if(inbox.begin(), inbox.end(), [&](const auto& message) { return message.at("kind") == kind; });
  if (found == inbox.end()) return std::nullopt;
  nlohmann::json message = std::move(*found);
  inbox.erase(found);
  return message;
}

}  // namespace

ChainProcesses::~ChainProcesses() {
  for (const Process& process : processes_) {
    if (process.id > 0) ::kill(process.id, SIGKILL);
  }
  for (const Process& process : processes_) {
    if (process.id > 0) ::waitpid(process.id, nullptr, 0);
  }
}

void ChainProcesses::start(const Body& body) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Failure(ExitCode::kFailed, fmt::format("socketpair failed: {}", std::strerror(errno)));
  }
  ChainLink own(ends[0]);
  ChainLink others(ends[1]);
  const pid_t parent = ::getpid();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Failure(ExitCode::kFailed, fmt::format("fork failed: {}", std::strerror(errno)));
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);  // the parent died before the line above
    ::close(ends[0]);
    for (const Process& earlier : processes_) ::close(earlier.link.descriptor());
    ::dup2(STDERR_FILENO, STDOUT_FILENO);  // stdout belongs to the table or to the JSON document
    body(static_cast<unsigned>(processes_.size()), ends[1]);
    std::_Exit(0);
  }
  processes_.push_back({std::move(own), child});
}

std::string ChainProcesses::describe_end(Process& process) {
  int status = 0;
  const pid_t id = std::exchange(process.id, -1);
  ::kill(id, SIGKILL);  // it has closed its socket, which only its end does
  ::waitpid(id, &status, 0);
  return WIFSIGNALED(status) ? fmt::format("process {} died of signal {}", id, WTERMSIG(status))
                             : fmt::format("process {} ended with exit code {}", id, WEXITSTATUS(status));
}

std::optional<std::size_t> ChainProcesses::take_in(Clock::time_point end) {
  std::vector<pollfd> waits;
  for (const Process& process : processes_) waits.push_back({process.id > 0 ? process.link.descriptor() : -1, POLLIN, 0});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  if (::poll(waits.data(), waits.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000))) <= 0) return std::nullopt;
  std::optional<std::size_t> dead;
  for (std::size_t rank = 0; rank < waits.size(); ++rank) {
    if (waits[rank].revents == 0) continue;
    if (auto message = processes_[rank].link.receive()) {
      processes_[rank].inbox.push_back(std::move(*message));
    } else if (!dead) {
      dead = rank;
    }
  }
  return dead;
}

std::optional<nlohmann::json> ChainProcesses::answer(std::size_t rank, const char* kind, Limit limit) {
  const auto end = Clock::now() + std::chrono::ceil<Clock::duration>(limit);
  for (bool last_look = false;; last_look = Clock::now() >= end) {
    if (auto message = take(processes_[rank].inbox, kind)) return message;
    if (last_look) return std::nullopt;
    const auto dead = take_in(end);
    for (std::size_t any = 0; any < size(); ++any) {
      if (const auto failed = take(processes_[any].inbox, "failed")) {
        throw Failure(failed->at("code").get<ExitCode>(), fmt::format("rank {}: {}", any, failed->at("error").get<std::string>()));
      }
    }
    if (dead) throw ChainStopped(fmt::format("rank {}: {}", *dead, describe_end(processes_[*dead])));
  }
}

std::vector<nlohmann::json> ChainProcesses::ask_all(std::size_t first, const nlohmann::json& message, const char* kind, Limit limit) {
  for (std::size_t rank = first; rank < size(); ++rank) tell(rank, message);
  std::vector<nlohmann::json> answers;
  for (std::size_t rank = first; rank < size(); ++rank) {
    auto one = answer(rank, kind, limit);
    if (!one) {
      throw ChainStopped(fmt::format("rank {} gave no answer to '{}' for {:g} s; expected '{}'", rank, message.at("do").get<std::string>(),
                                     limit.count(), kind));
    }
    answers.push_back(std::move(*one));
  }
  return answers;
}

std::string ChainProcesses::how_far(std::uint64_t rounds) {
  std::vector<std::string> states(size(), "no answer");
  std::size_t awaited = 0;
  for (std::size_t rank = 0; rank < size(); ++rank) {
    while (take(processes_[rank].inbox, "state")) continue;
    if (processes_[rank].id < 0) {
      states[rank] = "dead";
      continue;
    }
    tell(rank, {{"do", "report"}});
    ++awaited;
  }
  const auto end = Clock::now() + kTimeToReport;
  while (awaited > 0 && Clock::now() < end) {
    if (const auto dead = take_in(end)) {
      states[*dead] = describe_end(processes_[*dead]);
      --awaited;
    }
    for (std::size_t rank = 0; rank < size(); ++rank) {
      if (const auto state = take(processes_[rank].inbox, "state")) {
        states[rank] = std::to_string(state->at("rounds").get<std::uint64_t>());
        --awaited;
      }
    }
  }
  std::string list;
  for (std::size_t rank = 0, next = 0; rank < size(); rank = next) {
    while (next < size() && states[next] == states[rank]) ++next;
    const std::string who = next - rank == 1 ? fmt::format("rank {}", rank) : fmt::format("ranks {} to {}", rank, next - 1);
    list += fmt::format("{}{}: {}", rank == 0 ? "" : ", ", who, states[rank]);
  }
  return fmt::format("rounds done of {}: {}", rounds, list);
}

void ChainProcesses::end() {
  for (std::size_t rank = 0; rank < size(); ++rank) tell(rank, {{"do", "end"}});
  const auto limit = Clock::now() + kTimeToEnd;
  for (Process& process : processes_) {
    while (process.id > 0 && Clock::now() < limit) {
      if (::waitpid(process.id, nullptr, WNOHANG) != 0) {
        process.id = -1;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
  }
}

}  // namespace lintel::perf
