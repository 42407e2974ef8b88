#pragma once
// The processes of a chain: forked from this one, which itself opens no interface, and ended with
// it.
//
// Owns them and the sockets to them. Those that still run at the end of this object are killed.
// Thread:
// one. Start them before anything of Portals is called.

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "chain_link.h"
#include "child_process.h"

namespace lintel::perf {

// A process died, or one has been silent for too long.
class ChainStopped : public Failure {
 public:
  explicit ChainStopped(const std::string& sentence) : Failure(ExitCode::kFailed, sentence) {}
};

class ChainProcesses {
 public:
  using json = nlohmann::json;

  // Forks the process of the next rank, which runs `body`.
  void start(const std::function<void(unsigned rank, const ChainLink& link)>& body) {
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

  std::size_t size() const { return processes_.size(); }

  void tell(std::size_t rank, const json& message) const { processes_[rank].link.send(message); }

  // The first message of this kind from `rank` that has not been taken; nothing after `limit`.
  // Throws
  // ChainStopped if any of the processes ends meanwhile, Failure with its own words if one fails.
  std::optional<json> answer(std::size_t rank, const char* kind, Seconds limit) {
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

  // Tells `message` to all from rank `first` on and takes the answers of this kind, each of which
  // has to come within `limit`; else ChainStopped.
  std::vector<json> ask_all(std::size_t first, const json& message, const char* kind,
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

  // "rounds done of 100: rank 0: 37, ranks 1 to 3: no answer, rank 4: dead". Takes up to a second.
  std::string how_far(std::uint64_t rounds) {
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

  // Lets all end by themselves, for a few seconds.
  void end() {
    for (std::size_t rank = 0; rank < size(); ++rank) tell(rank, {{"do", "end"}});
    const auto end = after(kTimeToEnd);
    for (Process& process : processes_) process.process.ends_within(left_until(end));
  }

 private:
  static constexpr Seconds kTimeToEnd{5};
  static constexpr Seconds kTimeToReport{1};
  struct Process {
    ChainLink link;
    ChildProcess process;
    std::deque<json> inbox = {};
  };

  // The first message of this kind, which leaves the inbox.
  static std::optional<json> take(std::deque<json>& inbox, const std::string& kind) {
    const auto found = std::find_if(inbox.begin(), inbox.end(), [&](const json& message) {
      return message.at("kind") == kind;
    });
    if (found == inbox.end()) return std::nullopt;
    json message = std::move(*found);
    inbox.erase(found);
    return message;
  }

  // Takes in what has come, or comes until `end`. Returns the rank of one that has died, if any.
  std::optional<std::size_t> take_in(Clock::time_point end) {
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

  // Waits for the process and says how it ended.
  static std::string describe_end(ChildProcess& process) {
    const pid_t id = process.id();
    const int status = process.kill();  // it has closed its socket, which only its end does
    return WIFSIGNALED(status)
               ? fmt::format("process {} died of signal {}", id, WTERMSIG(status))
               : fmt::format("process {} ended with exit code {}", id, WEXITSTATUS(status));
  }

  std::vector<Process> processes_;
};

}  // namespace lintel::perf
