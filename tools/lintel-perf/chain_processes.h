#pragma once
// The processes of a chain: forked from this one, which itself opens no interface, and ended with it.
//
// Owns them and the sockets to them. Those that still run at the end of this object are killed. Thread:
// one. Start them before anything of Portals is called.

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
  // Forks the process of the next rank, which runs `body`.
  void start(const std::function<void(unsigned rank, const ChainLink& link)>& body);

  std::size_t size() const { return processes_.size(); }

  void tell(std::size_t rank, const nlohmann::json& message) const {
    processes_[rank].link.send(message);
  }

  // The first message of this kind from `rank` that has not been taken; nothing after `limit`. Throws
  // ChainStopped if any of the processes ends meanwhile, Failure with its own words if one fails.
  std::optional<nlohmann::json> answer(std::size_t rank, const char* kind, Seconds limit);

  // Tells `message` to all from rank `first` on and takes the answers of this kind, each of which has to
  // come within `limit`; else ChainStopped.
  std::vector<nlohmann::json> ask_all(std::size_t first, const nlohmann::json& message,
                                      const char* kind, Seconds limit);

  // "rounds done of 100: rank 0: 37, ranks 1 to 3: no answer, rank 4: dead". Takes up to a second.
  std::string how_far(std::uint64_t rounds);

  // Lets all end by themselves, for a few seconds.
  void end();

 private:
  struct Process {
    ChainLink link;
    ChildProcess process;
    std::deque<nlohmann::json> inbox = {};
  };

  // Takes in what has come, or comes until `end`. Returns the rank of one that has died, if any.
  std::optional<std::size_t> take_in(Clock::time_point end);

  // Waits for the process and says how it ended.
  static std::string describe_end(ChildProcess& process);

  std::vector<Process> processes_;
};

}  // namespace lintel::perf
