#include "portals/engine/node/host_process.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/private_descriptor.h"
#include "portals/engine/node/node_transport.h"

namespace lintel::portals {
namespace {

struct Host {
  Mutex mutex;
  std::atomic<Process*> current{nullptr};
  std::unique_ptr<Process> own LINTEL_GUARDED_BY(mutex);
  std::shared_ptr<transport::JobKey> job_key LINTEL_GUARDED_BY(mutex);  // of `own`
  // given by give_job_secret(); empty: none
  std::vector<std::byte> job_secret LINTEL_GUARDED_BY(mutex);
  unsigned starts LINTEL_GUARDED_BY(mutex) = 0;
  // the operating-system process that has made `own`; 0: `own` is of the parent of this process
  pid_t owner LINTEL_GUARDED_BY(mutex) = 0;
  // These two change only while no thread of `own` runs, which reads them without the lock.
  Config config;
  // sums of the Processes that have ended in this operating-system process
  std::unique_ptr<Counters> earlier = std::make_unique<Counters>();
};

Host& host() {
  static auto* const instance = new Host;  // never destroyed: programs end the APIs from atexit
                                           // handlers
  return *instance;
}

// The counters of this operating-system process, over all starts and ends of the APIs.
void write_counters(Host& state) {
  if (state.config.counters_file.empty()) return;
  Counters all;
  all.add_all(*state.earlier);
  if (const Process* process = state.current.load()) all.add_all(process->counters());
  if (write_counters_file(all, state.config.counters_file)) return;
  LINTEL_LOG(kWarn, "LINTEL_COUNTERS_FILE: '%s': %s", state.config.counters_file.c_str(),
             std::strerror(errno));
}

// For programs that end without ending the APIs as often as they have started them.
void at_exit() {
  Host& state = host();
  // exit() may be called from any thread
  if (!state.mutex.try_lock()) return;
  if (state.own != nullptr && state.owner == ::getpid()) {
    state.own->count_frames();
    write_counters(state);
  }
  state.mutex.unlock();
}

void on_dump_signal(int) {
  if (Process* process = host().current.load()) process->progress().request_service();
}

void report_state() {
  Host& state = host();
  Process* process = state.current.load();
  if (process == nullptr) return;
  const std::string text = process->dump();
  LINTEL_LOG(kError, "state of this process, as asked for by signal:");
  // Logged line by line, because a log line has a limited length.
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    LINTEL_LOG(kError, "%.*s", static_cast<int>(end - start), text.c_str() + start);
    start = end + 1;
  }
  write_counters(state);
}

// In the child of a fork(): nothing is started here, and what the parent has opened stays the
// parent's alone. Async-signal-safe, because other threads of the parent may have held any lock,
// including that of `state`.
void on_fork_in_child() {
  Host& state = host();
  state.current.store(nullptr);
  new (&state.mutex) Mutex;
  {
    const MutexLock lock(state.mutex);
    state.owner = 0;
  }
  close_private_descriptors();
}

bool make_process(Host& state) LINTEL_REQUIRES(state.mutex) {
  ConfigReading reading = read_environment();
  configure_log(reading.config.log_level, reading.config.log_file);
  for (const std::string& warning : reading.warnings) LINTEL_LOG(kWarn, "%s", warning.c_str());
  for (const std::string& error : reading.errors) LINTEL_LOG(kError, "%s", error.c_str());
  if (!reading.errors.empty()) return false;
  state.config = reading.config;
  state.job_key = new_job_key();
  // The other processes of the job know this one as a member, however often it starts the APIs.
  if (state.config.secret_file.empty() && !state.job_secret.empty())
    give_secret(*state.job_key, state.job_secret);
  state.own = std::make_unique<Process>(process_options(state.config),
                                        node_transport(state.config, state.job_key));
  state.own->set_service(report_state);
  state.owner = ::getpid();
  state.current.store(state.own.get());
  [[maybe_unused]] static const int registered = std::atexit(at_exit);
  [[maybe_unused]] static const int forks = ::pthread_atfork(nullptr, nullptr, on_fork_in_child);
  if (state.config.dump_signal != DumpSignal::kNone) {
    struct sigaction action {};
    action.sa_handler = on_dump_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(state.config.dump_signal == DumpSignal::kUsr1 ? SIGUSR1 : SIGUSR2, &action,
                nullptr);
  }
  return true;
}

// A child of fork() can neither use nor end what its parent has opened. Its memory is not given
// back: other threads of the parent may have been changing it.
void forget_parents(Host& state) LINTEL_REQUIRES(state.mutex) {
  if (state.own == nullptr || state.owner == ::getpid()) return;
  static_cast<void>(state.own.release());
  state.current.store(nullptr);
  state.starts = 0;
  state.earlier = std::make_unique<Counters>();
}

}  // namespace

Process* current_process() { return host().current.load(std::memory_order_acquire); }

bool start_host() {
  Host& state = host();
  const MutexLock lock(state.mutex);
  forget_parents(state);
  if (state.current.load() == nullptr && !make_process(state)) return false;
  ++state.starts;
  return true;
}

void stop_host() {
  Host& state = host();
  const MutexLock lock(state.mutex);
  forget_parents(state);
  if (state.starts == 0 || --state.starts > 0 || state.own == nullptr) return;
  state.current.store(nullptr);
  state.own->close_all();
  state.earlier->add_all(state.own->counters());
  state.own.reset();
  write_counters(state);
}

bool host_started() {
  Host& state = host();
  const MutexLock lock(state.mutex);
  forget_parents(state);
  return state.starts > 0;
}

void give_job_secret(std::span<const std::byte> secret) {
  Host& state = host();
  const MutexLock lock(state.mutex);
  forget_parents(state);
  if (state.own == nullptr) return;
  if (state.job_secret.empty()) state.job_secret.assign(secret.begin(), secret.end());
  const MutexLock process_lock(state.own->lock());
  give_secret(*state.job_key, secret);
}

const Config& host_config() { return host().config; }

ScopedProcess::ScopedProcess(Process& process) : previous_(host().current.exchange(&process)) {}

ScopedProcess::~ScopedProcess() { host().current.store(previous_); }

}  // namespace lintel::portals
