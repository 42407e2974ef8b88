#include "pmi1_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "failure.h"

namespace lintel::run {
namespace {

using mpi::Pmi1Line;

// The length that MPICH's hydra allows.
constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kMaxKeyBytes = 64;
constexpr std::size_t kMaxValueBytes = 1024;
// Limit per rank. MPICH puts about a kilobyte.
constexpr std::size_t kMaxStoredBytes = 1U << 20;

std::string refused(const char* answer, const char* why) {
  return Pmi1Line(answer).add("rc", "-1").add("msg", why).text();
}

}  // namespace

Pmi1Server::Pmi1Server(std::string job_name, std::size_t ranks)
    : job_name_(std::move(job_name)), ranks_(ranks) {
  // MPICH's programs read here which ranks share a node: from node 0 on, 1 node, with that many
  // ranks each.
  values_["PMI_process_mapping"] = fmt::format("(vector,(0,1,{}))", ranks);
}

std::optional<Pmi1Server::End> Pmi1Server::take(std::size_t number, std::string_view text,
                                                std::vector<PmiAnswer>& answers) {
  Rank& rank = ranks_[number];
  std::string problem;
  const auto line = mpi::parse_pmi1_line(text, problem);
  if (!line)
    return End{number, kExitFailed,
               fmt::format("sent \"{}\" over PMI-1: {}", mpi::quoted_pmi1(text), problem)};
  const std::string& command = line->command();
  const auto answer = [&](std::string said) { answers.push_back({number, std::move(said)}); };
  if (command == "init") {
    const std::string* version = line->find("pmi_version");
    rank.initialized = version != nullptr && *version == "1";
    answer(Pmi1Line("response_to_init")
               .add("pmi_version", "1")
               .add("pmi_subversion", "1")
               .add("rc", rank.initialized ? "0" : "-1")
               .text());
    return std::nullopt;
  }
  if (command == "abort") {
    const int exit_code = static_cast<int>(line->number("exitcode", 255).value_or(kExitFailed));
    const std::string* message = line->find("message");
    if (message == nullptr) message = line->find("error_msg");
    const std::string* because = line->find("because");
    return End{number, exit_code == 0 ? kExitFailed : exit_code,
               fmt::format("aborted the job with exit code {}{}", exit_code,
                           message == nullptr ? "" : ": " + *message),
               because != nullptr && *because == "lost-process"};
  }
  if (!rank.initialized || rank.finalized || rank.in_barrier) {
    const char* when = !rank.initialized ? "before cmd=init"
                       : rank.finalized  ? "after cmd=finalize"
                                         : "before the answer to cmd=barrier_in";
    return End{number, kExitFailed, fmt::format("sent cmd={} {} over PMI-1", command, when)};
  }
  if (command == "get_maxes") {
    answer(Pmi1Line("maxes")
               .add("kvsname_max", kMaxNameBytes)
               .add("keylen_max", kMaxKeyBytes)
               .add("vallen_max", kMaxValueBytes)
               .text());
  } else if (command == "get_appnum") {
    answer(Pmi1Line("appnum").add("appnum", "0").text());
  } else if (command == "get_universe_size") {
    answer(Pmi1Line("universe_size").add("size", ranks_.size()).text());
  } else if (command == "get_my_kvsname") {
    answer(Pmi1Line("my_kvsname").add("kvsname", job_name_).text());
  } else if (command == "put") {
    answer(answer_to_put(rank, *line));
  } else if (command == "get") {
    answer(answer_to_get(*line));
  } else if (command == "barrier_in") {
    enter_barrier(number, answers);
  } else if (command == "finalize") {
    rank.finalized = true;
    answer(Pmi1Line("finalize_ack").text());
  } else {
    return End{
        number, kExitFailed,
        fmt::format("sent cmd={} over PMI-1, which lintel-run does not provide; expected init, "
                    "get_maxes, get_appnum, "
                    "get_universe_size, get_my_kvsname, put, get, barrier_in, finalize or abort",
                    command)};
  }
  return std::nullopt;
}

bool Pmi1Server::names_space(const Pmi1Line& line) const {
  const std::string* name = line.find("kvsname");
  return name != nullptr && *name == job_name_;
}

std::string Pmi1Server::answer_to_put(Rank& rank, const Pmi1Line& line) {
  constexpr const char* kAnswer = "put_result";
  const std::string* key = line.find("key");
  const std::string* value = line.find("value");
  if (!names_space(line)) return refused(kAnswer, "no such kvsname");
  if (key == nullptr || key->empty() || key->size() > kMaxKeyBytes)
    return refused(kAnswer, "key is missing or longer than keylen_max");
  if (value == nullptr || value->size() > kMaxValueBytes)
    return refused(kAnswer, "value is missing or longer than vallen_max");
  if (values_.contains(*key)) return refused(kAnswer, "the key is taken");
  if (rank.stored_bytes + key->size() + value->size() > kMaxStoredBytes)
    return refused(kAnswer, "no space left for this rank");
  rank.stored_bytes += key->size() + value->size();
  values_.emplace(*key, *value);
  return Pmi1Line(kAnswer).add("rc", "0").add("msg", "success").text();
}

std::string Pmi1Server::answer_to_get(const Pmi1Line& line) const {
  constexpr const char* kAnswer = "get_result";
  const std::string* key = line.find("key");
  if (!names_space(line)) return refused(kAnswer, "no such kvsname");
  if (key == nullptr) return refused(kAnswer, "key is missing");
  const auto found = values_.find(*key);
  if (found == values_.end()) return refused(kAnswer, "no such key");
  return Pmi1Line(kAnswer).add("rc", "0").add("value", found->second).text();
}

void Pmi1Server::enter_barrier(std::size_t rank, std::vector<PmiAnswer>& answers) {
  ranks_[rank].in_barrier = true;
  if (!std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& one) { return one.in_barrier; }))
    return;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    ranks_[i].in_barrier = false;
    answers.push_back({i, Pmi1Line("barrier_out").text()});
  }
}

std::optional<Pmi1Server::End> Pmi1Server::hanging() const {
  const auto waits = std::find_if(ranks_.begin(), ranks_.end(),
                                  [](const Rank& rank) { return rank.in_barrier && !rank.gone; });
  const auto missing = std::find_if(ranks_.begin(), ranks_.end(),
                                    [](const Rank& rank) { return rank.gone || rank.finalized; });
  if (waits == ranks_.end() || missing == ranks_.end()) return std::nullopt;
  const char* how = missing->finalized     ? "has finalized PMI"
                    : missing->initialized ? "left PMI without finalizing it"
                                           : "ended without PMI";
  return End{static_cast<std::size_t>(missing - ranks_.begin()), kExitFailed,
             fmt::format("{} while rank {} waits at a barrier", how, waits - ranks_.begin())};
}

}  // namespace lintel::run
