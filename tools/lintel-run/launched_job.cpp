#include "launched_job.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <utility>

#include "failure.h"

namespace lintel::run {
namespace {

using namespace std::chrono_literals;

constexpr auto kGrace = 2s;
// A process's connections end before its end can be waited for. Its exit code, which says more, may
// come this much after it has left the others waiting.
constexpr auto kHangTimeout = 300ms;
// The same, when another has already reported its loss: the system may finish it slowly.
constexpr auto kEndTimeout = 2s;
constexpr auto kDrainTimeout = 1s;
constexpr auto kSweep = 10ms;

std::string sentence_of(const Pmi1Server::End& end) {
  return fmt::format("rank {} {}", end.rank, end.reason);
}

// Of this process: it is the subreaper of what the ranks have started.
void kill_descendants() {
  std::ifstream children(fmt::format("/proc/self/task/{}/children", ::getpid()));
  for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
}

void read_stream(FileDescriptor& stream, LineForwarder& lines) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::read(stream.get(), bytes.data(), bytes.size());
  if (got > 0) return lines.take({bytes.data(), static_cast<std::size_t>(got)});
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  lines.end();
  stream.close();
}

void drain(FileDescriptor& stream, LineForwarder& lines) {
  while (stream.is_open() && !lines.output().is_full() && is_readable(stream))
    read_stream(stream, lines);
}

}  // namespace

LaunchedJob::LaunchedJob(const RunOptions& options, unsigned job_id)
    : options_(options),
      job_id_(job_id),
      output_(STDOUT_FILENO),
      errors_(STDERR_FILENO),
      input_(STDIN_FILENO),
      pmi_(fmt::format("lintel-run-{}", job_id), options.ranks) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphaned children of ranks become our children
}

LaunchedJob::~LaunchedJob() {
  for (const RankProcess& rank : ranks_) {
    if (rank.pid > 0) ::kill(-rank.pid, SIGKILL);
  }
  do kill_descendants();
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR);
}

int LaunchedJob::run() {
  start_ranks();
  if (options_.timeout) deadlines_.timeout = Clock::now() + *options_.timeout;
  while (running_ > 0 || !is_drained()) {
    polled_.clear();
    watch_all();
    polled_.wait(poll_timeout());
    keep_deadlines();
  }
  return exit_code_.value_or(0);
}

void LaunchedJob::start_ranks() {
  std::optional<Cores> cores;
  if (options_.binding == Binding::kCore) cores.emplace();
  RankStart start;
  start.ranks = options_.ranks;
  start.job_id = job_id_;
  start.secret_file = secret_.path();
  start.program = &options_.program;
  start.signals = &signals_;
  start.cores = cores ? &*cores : nullptr;
  ranks_.reserve(options_.ranks);
  for (start.rank = 0; start.rank < options_.ranks; ++start.rank) {
    const std::string prefix = options_.tag_output ? fmt::format("[{}] ", start.rank) : "";
    ranks_.emplace_back(start, LineForwarder(output_, prefix), LineForwarder(errors_, prefix));
    pmi_.add(std::move(ranks_.back().pmi));
    guardian_.watch(ranks_.back().pid);
    ++running_;
  }
}

void LaunchedJob::watch_all() {
  polled_.watch(signals_.fd(), POLLIN, [this] { on_signals(); });
  for (Output* stream : {&output_, &errors_}) {
    if (!stream->is_empty())
      polled_.watch(stream->fd(), POLLOUT, [stream] { stream->write_some(); });
  }
  FileDescriptor& first_input = ranks_.front().input;
  if (input_.wants_to_read(first_input))
    polled_.watch(input_.from(), POLLIN, [this, &first_input] { input_.read(first_input); });
  if (input_.wants_to_write())
    polled_.watch(first_input.get(), POLLOUT, [this, &first_input] { input_.write(first_input); });
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    RankProcess& rank = ranks_[i];
    const auto watch_stream = [this](FileDescriptor& stream, LineForwarder& lines) {
      if (lines.output().is_closed())
        stream.close();  // the rank sees a closed pipe, as it would with a pipe of its own
      if (stream.is_open() && !lines.output().is_full())
        polled_.watch(stream.get(), POLLIN, [&stream, &lines] { read_stream(stream, lines); });
    };
    watch_stream(rank.output, rank.output_lines);
    watch_stream(rank.errors, rank.error_lines);
    if (!pmi_.is_open(i)) continue;
    if (pmi_.has_answers(i)) {
      polled_.watch(pmi_.fd(i), POLLOUT, [this, i] { pmi_.send_answers(i); });
    } else {
      polled_.watch(pmi_.fd(i), POLLIN, [this, i] { read_pmi(i); });
    }
  }
}

int LaunchedJob::poll_timeout() const {
  JobDeadlines::Deadline next = deadlines_.next();
  if (running_ == 0 && !next) next = Clock::now() + kSweep;
  if (!next) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  // descendants become our children one by one
  if (running_ == 0) left = std::min<std::chrono::milliseconds>(left, kSweep);
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
}

void LaunchedJob::keep_deadlines() {
  const auto now = Clock::now();
  if (failure_ && (JobDeadlines::take(deadlines_.failure, now) || !may_follow_another(*failure_)))
    end(failure_->exit_code, sentence_of(*failure_));
  if (running_ == 0) {
    deadlines_.timeout.reset();
    deadlines_.kill.reset();
    deadlines_.hanging.reset();
    kill_descendants();
    reap();
    if (!deadlines_.drained) deadlines_.drained = now + kDrainTimeout;
    return;
  }
  const auto hang = exit_code_ ? std::nullopt : pmi_.hanging();
  if (!hang) {
    deadlines_.hanging.reset();
  } else if (!deadlines_.hanging) {
    deadlines_.hanging = now + kHangTimeout;
  } else if (JobDeadlines::take(deadlines_.hanging, now)) {
    end(hang->exit_code, sentence_of(*hang));
  }
  if (JobDeadlines::take(deadlines_.timeout, now)) {
    end(kExitTimeout, fmt::format("the job has run for {:g} s (--timeout)",
                                  std::chrono::duration<double>(*options_.timeout).count()));
  }
  if (JobDeadlines::take(deadlines_.kill, now)) {
    signal_ranks(SIGKILL);
    kill_descendants();
  }
}

void LaunchedJob::on_signals() {
  while (const auto number = signals_.next()) {
    if (*number == SIGCHLD) {
      reap();
      continue;
    }
    signal_ranks(*number);
    if (*number == SIGTSTP) ::raise(SIGSTOP);  // the shell sees the whole job stopped
    if (*number != SIGINT && *number != SIGTERM) continue;
    if (exit_code_) deadlines_.kill = Clock::now();
    if (++interruptions_ == 2)
      end(128 + *number, fmt::format("{} came for the second time", signal_text(*number)));
  }
}

void LaunchedJob::reap() {
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0;
       pid = ::waitpid(-1, &status, WNOHANG)) {
    const auto rank = std::find_if(ranks_.begin(), ranks_.end(),
                                   [pid](const RankProcess& one) { return one.pid == pid; });
    if (rank != ranks_.end()) on_end_of(static_cast<std::size_t>(rank - ranks_.begin()), status);
  }
}

void LaunchedJob::on_end_of(std::size_t number, int status) {
  RankProcess& rank = ranks_[number];
  guardian_.forget(rank.pid);
  rank.pid = -1;
  --running_;
  drain(rank.output, rank.output_lines);  // its last output comes before our message
  drain(rank.errors, rank.error_lines);
  while (!pmi_.has_answers(number) && pmi_.is_readable(number))
    read_pmi(number);  // such as an abort
  pmi_.on_process_end(number);
  if (WIFSIGNALED(status)) {
    end(128 + WTERMSIG(status),
        fmt::format("rank {} was ended by {}", number, signal_text(WTERMSIG(status))));
  } else if (WEXITSTATUS(status) != 0) {
    fail(
        {number, WEXITSTATUS(status), fmt::format("ended with exit code {}", WEXITSTATUS(status))});
  }
}

void LaunchedJob::fail(const Pmi1Server::End& failure) {
  const bool has_failed = std::exchange(ranks_[failure.rank].has_failed, true);
  if (!may_follow_another(failure)) {
    if (!has_failed) end(failure.exit_code, sentence_of(failure));
  } else if (!failure_ && !exit_code_) {
    failure_ = failure;
    deadlines_.failure = Clock::now() + kEndTimeout;
  }
}

bool LaunchedJob::may_follow_another(const Pmi1Server::End& failure) const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const RankProcess& rank = ranks_[i];
    if (i == failure.rank || rank.pid < 0 || rank.has_failed || !pmi_.is_within(i)) continue;
    if (pmi_.is_at_end(i)) return true;
    if (failure.lost_process && pmi_.is_readable(i)) return true;
  }
  return false;
}

void LaunchedJob::end(int exit_code, const std::string& reason) {
  if (exit_code_) return;
  exit_code_ = exit_code;
  errors_.add(fmt::format("lintel-run: {}{}\n", reason, running_ > 0 ? "; the job ends" : ""));
  signal_ranks(SIGTERM);
  signal_ranks(SIGCONT);  // a stopped process could not handle SIGTERM
  deadlines_.kill = Clock::now() + kGrace;
  failure_.reset();
  deadlines_.failure.reset();
}

void LaunchedJob::signal_ranks(int number) {
  for (const RankProcess& rank : ranks_) {
    if (rank.pid > 0) ::kill(-rank.pid, number);
  }
}

bool LaunchedJob::is_drained() const {
  const bool is_late = deadlines_.drained && *deadlines_.drained <= Clock::now();
  const bool is_open = std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) {
    return rank.output.is_open() || rank.errors.is_open();
  });
  return (is_late || !is_open) && output_.is_empty() && errors_.is_empty();
}

void LaunchedJob::read_pmi(std::size_t rank) {
  if (const auto wish = pmi_.read(rank)) fail(*wish);
}

}  // namespace lintel::run
