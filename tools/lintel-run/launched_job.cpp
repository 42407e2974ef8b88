#include "launched_job.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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

bool is_readable(const FileDescriptor& descriptor) {
  pollfd ready{descriptor.get(), POLLIN, 0};
  return ::poll(&ready, 1, 0) > 0;
}

// Whether the other end is closed and nothing is left to read.
bool is_at_end(const FileDescriptor& socket) {
  char byte = 0;
  return ::recv(socket.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

std::string sentence_of(const Pmi1Server::End& end) {
  return fmt::format("rank {} {}", end.rank, end.reason);
}

}  // namespace

LaunchedJob::LaunchedJob(const RunOptions& options, unsigned job_id)
    : options_(options),
      job_id_(job_id),
      output_(STDOUT_FILENO),
      errors_(STDERR_FILENO),
      input_(STDIN_FILENO),
      server_(fmt::format("lintel-run-{}", job_id), options.ranks) {
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
  if (options_.timeout) timeout_at_ = Clock::now() + *options_.timeout;
  while (running_ > 0 || !is_drained()) serve();
  return exit_code_;
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
    guardian_.watch(ranks_.back().pid);
    ++running_;
  }
}

void LaunchedJob::serve() {
  polled_.clear();
  handlers_.clear();
  watch_all();
  if (::poll(polled_.data(), polled_.size(), poll_timeout()) > 0) {
    for (std::size_t i = 0; i < polled_.size(); ++i) {
      if (polled_[i].revents != 0) handlers_[i]();
    }
  }
  keep_deadlines();
}

void LaunchedJob::watch(int fd, short events, std::function<void()> handler) {
  polled_.push_back({fd, events, 0});
  handlers_.push_back(std::move(handler));
}

void LaunchedJob::watch_all() {
  watch(signals_.fd(), POLLIN, [this] { on_signals(); });
  for (Output* stream : {&output_, &errors_}) {
    if (!stream->is_empty()) watch(stream->fd(), POLLOUT, [stream] { stream->write_some(); });
  }
  FileDescriptor& first_input = ranks_.front().input;
  if (input_.wants_to_read(first_input))
    watch(input_.from(), POLLIN, [this, &first_input] { input_.read(first_input); });
  if (input_.wants_to_write())
    watch(first_input.get(), POLLOUT, [this, &first_input] { input_.write(first_input); });
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    RankProcess& rank = ranks_[i];
    const auto watch_stream = [this](FileDescriptor& stream, LineForwarder& lines) {
      if (lines.output().is_closed())
        stream.close();  // the rank sees a closed pipe, as it would with a pipe of its own
      if (stream.is_open() && !lines.output().is_full())
        watch(stream.get(), POLLIN, [this, &stream, &lines] { read_stream(stream, lines); });
    };
    watch_stream(rank.output, rank.output_lines);
    watch_stream(rank.errors, rank.error_lines);
    if (!rank.pmi.is_open()) continue;
    if (rank.pmi_answers.empty()) {
      watch(rank.pmi.get(), POLLIN, [this, i] { read_pmi(i); });
    } else {
      watch(rank.pmi.get(), POLLOUT, [this, i] { send_pmi_answers(i); });
    }
  }
}

int LaunchedJob::poll_timeout() const {
  std::optional<Clock::time_point> next;
  for (const auto& deadline : {timeout_at_, kill_at_, hanging_at_, failure_at_, drained_at_}) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  if (running_ == 0 && !next) next = Clock::now() + kSweep;
  if (!next) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  // descendants become our children one by one
  if (running_ == 0) left = std::min<std::chrono::milliseconds>(left, kSweep);
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
}

void LaunchedJob::keep_deadlines() {
  const auto now = Clock::now();
  const auto is_over = [now](std::optional<Clock::time_point>& deadline) {
    const bool over = deadline && *deadline <= now;
    if (over) deadline.reset();
    return over;
  };
  if (failure_ && (is_over(failure_at_) || !may_follow_another(*failure_)))
    end(failure_->exit_code, sentence_of(*failure_));
  if (running_ == 0) {
    timeout_at_.reset();
    kill_at_.reset();
    hanging_at_.reset();
    kill_descendants();
    reap();
    if (!drained_at_) drained_at_ = now + kDrainTimeout;
    return;
  }
  const auto hang = is_ending_ ? std::nullopt : server_.hanging();
  if (!hang) {
    hanging_at_.reset();
  } else if (!hanging_at_) {
    hanging_at_ = now + kHangTimeout;
  } else if (is_over(hanging_at_)) {
    end(hang->exit_code, sentence_of(*hang));
  }
  if (is_over(timeout_at_)) {
    end(kExitTimeout, fmt::format("the job has run for {:g} s (--timeout)",
                                  std::chrono::duration<double>(*options_.timeout).count()));
  }
  if (is_over(kill_at_)) {
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
    if (is_ending_) kill_at_ = Clock::now();
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
  // such as an abort
  while (rank.pmi.is_open() && rank.pmi_answers.empty() && is_readable(rank.pmi)) read_pmi(number);
  server_.leave(number);
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
  } else if (!failure_ && !is_ending_) {
    failure_ = failure;
    failure_at_ = Clock::now() + kEndTimeout;
  }
}

bool LaunchedJob::may_follow_another(const Pmi1Server::End& failure) const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const RankProcess& rank = ranks_[i];
    if (i == failure.rank || rank.pid < 0 || rank.has_failed || !server_.is_within(i)) continue;
    if (!rank.pmi.is_open() || is_at_end(rank.pmi)) return true;
    if (failure.lost_process && is_readable(rank.pmi)) return true;
  }
  return false;
}

void LaunchedJob::end(int exit_code, const std::string& reason) {
  if (is_ending_) return;
  is_ending_ = true;
  exit_code_ = exit_code;
  errors_.add(fmt::format("lintel-run: {}{}\n", reason, running_ > 0 ? "; the job ends" : ""));
  signal_ranks(SIGTERM);
  signal_ranks(SIGCONT);  // a stopped process could not handle SIGTERM
  kill_at_ = Clock::now() + kGrace;
  failure_.reset();
  failure_at_.reset();
}

void LaunchedJob::signal_ranks(int number) {
  for (const RankProcess& rank : ranks_) {
    if (rank.pid > 0) ::kill(-rank.pid, number);
  }
}

void LaunchedJob::kill_descendants() {
  std::ifstream children(fmt::format("/proc/self/task/{}/children", ::getpid()));
  for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
}

bool LaunchedJob::is_drained() const {
  const bool is_late = drained_at_ && *drained_at_ <= Clock::now();
  const bool is_open = std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) {
    return rank.output.is_open() || rank.errors.is_open();
  });
  return (is_late || !is_open) && output_.is_empty() && errors_.is_empty();
}

void LaunchedJob::read_stream(FileDescriptor& stream, LineForwarder& lines) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::read(stream.get(), bytes.data(), bytes.size());
  if (got > 0) return lines.take({bytes.data(), static_cast<std::size_t>(got)});
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  lines.end();
  stream.close();
}

void LaunchedJob::drain(FileDescriptor& stream, LineForwarder& lines) {
  while (stream.is_open() && !lines.output().is_full() && is_readable(stream))
    read_stream(stream, lines);
}

void LaunchedJob::read_pmi(std::size_t number) {
  RankProcess& rank = ranks_[number];
  std::array<char, 4096> bytes;
  const ssize_t got = ::read(rank.pmi.get(), bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return leave_pmi(number);
  rank.pmi_lines.append({bytes.data(), static_cast<std::size_t>(got)});
  std::vector<Pmi1Server::PmiAnswer> answers;
  std::optional<Pmi1Server::End> wish;
  while (!wish) {
    const auto line = rank.pmi_lines.next();
    if (!line) break;
    wish = server_.take(number, *line, answers);
  }
  if (rank.pmi_lines.too_long()) {
    wish = {number, kExitFailed,
            fmt::format("sent a line of more than {} bytes over PMI-1, beginning \"{}\"",
                        mpi::kMaxPmi1LineBytes, mpi::quoted_pmi1(rank.pmi_lines.rest()))};
  }
  for (const Pmi1Server::PmiAnswer& answer : answers) {
    ranks_[answer.rank].pmi_answers += answer.line;
    send_pmi_answers(answer.rank);
  }
  if (!wish) return;
  fail(*wish);
  leave_pmi(number);
}

void LaunchedJob::send_pmi_answers(std::size_t number) {
  RankProcess& rank = ranks_[number];
  if (!rank.pmi.is_open()) return;
  const ssize_t sent = ::write(rank.pmi.get(), rank.pmi_answers.data(), rank.pmi_answers.size());
  if (sent >= 0) {
    rank.pmi_answers.erase(0, static_cast<std::size_t>(sent));
  } else if (errno != EINTR && errno != EAGAIN) {
    leave_pmi(number);
  }
}

void LaunchedJob::leave_pmi(std::size_t number) {
  ranks_[number].pmi.close();
  ranks_[number].pmi_answers.clear();
  server_.leave(number);
}

}  // namespace lintel::run
