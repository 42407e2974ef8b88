#include "chain_processes.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace lintel::perf {
namespace {

using nlohmann::json;

constexpr Seconds kTimeToEnd{5};
constexpr Seconds kTimeToReport{1};

// The first message of this kind, which leaves the inbox.
std::optional<json> take(std::deque<json>& inbox, const std::string& kind) {
  const auto found = std::find_if(inbox.begin(), inbox.end(),
                                  [&](const json& message) { return message.at("kind") == kind; });
  if (found == inbox.end()) return std::nullopt;
  json message = std::move(*found);
  inbox.erase(found);
  return message;
}

}  // namespace

void ChainProcesses::start(const std::function<void(unsigned, const ChainLink&)>& body) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail("socketpair failed: {}", std::strerror(errno));
  }
  ChainLink own(ends[0]);
  const ChainLink others(ends[1]);
  ChildProcess process([&] {
    ::close(ends[0]);
    for (const Process& earlier : processes_) ::close(earlier.link.descriptor());
    body(static_cast<unsigned>(size()), others);
    return 0;
  });
  processes_.push_back({std::move(own), std::move(process)});
}

std::string ChainProcesses::describe_end(ChildProcess& process) {
  const pid_t id = process.id();
  const int status = process.kill();  // it has closed its socket, which only its end does
  return WIFSIGNALED(status)
             ? fmt::format("process {} died of signal {}", id, WTERMSIG(status))
             : fmt::format("process {} ended with exit code {}", id, WEXITSTATUS(status));
}

std::optional<std::size_t> ChainProcesses::take_in(Clock::time_point end) {
  std::vector<pollfd> waits;
  for (const Process& process : processes_) {
    waits.push_back({process.process.id() > 0 ? process.link.descriptor() : -1, POLLIN, 0});
  }
  const auto left = std::min<std::int64_t>(left_until(end).count(), 1'000'000);
  if (::poll(waits.data(), waits.size(), static_cast<int>(left)) <= 0) return std::nullopt;
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

std::optional<json> ChainProcesses::answer(std::size_t rank, const char* kind, Seconds limit) {
  const auto end = after(limit);
  for (bool last_look = false;; last_look = Clock::now() >= end) {
    if (auto message = take(processes_[rank].inbox, kind)) return message;
    if (last_look) return std::nullopt;
    const auto dead = take_in(end);
    for (std::size_t any = 0; any < size(); ++any) {
      if (const auto failed = take(processes_[any].inbox, "failed")) {
        throw Failure(failed->at("code").get<ExitCode>(),
                      fmt::format("rank {}: {}", any, failed->at("error").get<std::string>()));
      }
    }
    if (dead) {
      const std::string how = describe_end(processes_[*dead].process);
      throw ChainStopped(fmt::format("rank {}: {}", *dead, how));
    }
  }
}

std::vector<json> ChainProcesses::ask_all(std::size_t first, const json& message, const char* kind,
                                          Seconds limit) {
  for (std::size_t rank = first; rank < size(); ++rank) tell(rank, message);
  std::vector<json> answers;
  for (std::size_t rank = first; rank < size(); ++rank) {
    auto one = answer(rank, kind, limit);
    if (!one) {
      throw ChainStopped(fmt::format("rank {} gave no answer to '{}' for {:g} s; expected '{}'",
                                     rank, message.at("do").get<std::string>(), limit.count(),
                                     kind));
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
    if (processes_[rank].process.id() < 0) {
      states[rank] = "dead";
      continue;
    }
    tell(rank, {{"do", "report"}});
    ++awaited;
  }
  const auto end = after(kTimeToReport);
  while (awaited > 0 && Clock::now() < end) {
    if (const auto dead = take_in(end)) {
      states[*dead] = describe_end(processes_[*dead].process);
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
    const std::string who = next - rank == 1 ? fmt::format("rank {}", rank)
                                             : fmt::format("ranks {} to {}", rank, next - 1);
    list += fmt::format("{}{}: {}", rank == 0 ? "" : ", ", who, states[rank]);
  }
  return fmt::format("rounds done of {}: {}", rounds, list);
}

void ChainProcesses::end() {
  for (std::size_t rank = 0; rank < size(); ++rank) tell(rank, {{"do", "end"}});
  const auto end = after(kTimeToEnd);
  for (Process& process : processes_) process.process.ends_within(left_until(end));
}

}  // namespace lintel::perf
