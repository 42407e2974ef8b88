#pragma once
// What the tool asks the operating system: time, names, addresses, CPUs, processes.

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "failure.h"

namespace lintel::perf {

// The one clock, for measuring and for limits of waiting.
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

inline std::chrono::milliseconds whole_ms(Seconds limit) {
  return std::chrono::ceil<std::chrono::milliseconds>(limit);
}
inline Clock::time_point after(Seconds limit) { return Clock::now() + whole_ms(limit); }

// Not below 0.
inline std::chrono::milliseconds left_until(Clock::time_point end) {
  return std::max(std::chrono::milliseconds(0), whole_ms(end - Clock::now()));
}

// Seconds that `work` takes, with one look at the clock before and one after.
template <class Work>
double seconds_of(Work work) {
  const auto begin = Clock::now();
  work();
  return Seconds(Clock::now() - begin).count();
}

// The IPv4 address of a host name or of a dotted address, in host byte order. Throws
// PerfFailure(kUnusable) if there is none, or no answer within `limit`.
inline std::uint32_t resolve(const std::string& name, Seconds limit) {
  static constexpr const char* kExpected = "expected the IPv4 address or the name of a host";
  std::packaged_task task([name] {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    std::pair answer{::getaddrinfo(name.c_str(), nullptr, &hints, &found), sockaddr_in{}};
    if (answer.first == 0) {
      std::memcpy(&answer.second, found->ai_addr, sizeof answer.second);
      ::freeaddrinfo(found);
    }
    return answer;
  });
  auto future = task.get_future();
  // Name servers may take their time; the thread is left behind then, the process ends soon.
  std::thread(std::move(task)).detach();
  if (future.wait_for(limit) != std::future_status::ready) {
    refuse("'{}' was not resolved within {:.0f} s; {}", name, limit.count(), kExpected);
  }
  const auto [error, address] = future.get();
  if (error != 0) {
    refuse("'{}' is no address ({}); {}", name, ::gai_strerror(error), kExpected);
  }
  return ntohl(address.sin_addr.s_addr);
}

// The address of the interface through which packets to `nid` would leave; empty if there is none.
inline std::string address_towards(std::uint32_t nid) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(nid);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  std::array<char, INET_ADDRSTRLEN> text{};
  // Connecting a datagram socket sends nothing; it only chooses the route.
  if (::connect(socket, any, length) == 0 && ::getsockname(socket, any, &length) == 0) {
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  }
  ::close(socket);
  return text.data();
}

inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// Confines this thread, and those it starts later, to `cpu`; -1: to none. Throws
// PerfFailure(kUnusable) if the machine does not have it.
inline void pin_to_cpu(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return;
  refuse("--cpu: '{}' is not usable here; expected a CPU from 0 to {}", cpu,
         ::sysconf(_SC_NPROCESSORS_CONF) - 1);
}

// An object in memory that this process shares with those that it forks afterwards. It stays until
// they end.
template <class Shared, class... Arguments>
Shared& shared_with_children(Arguments... arguments) {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap failed: {}", std::strerror(errno));
  return *new (memory) Shared(arguments...);
}

// Another process of the tool on this machine: a fork of this one. At the end of this object it is
// killed if it still runs after `grace`, and the kernel kills it if this process dies. Thread: one.
// Start it before anything of Portals is called.
class ChildProcess : NotCopied {
 public:
  struct ProgramEnd {
    bool by_signal;
    int code;  // the exit code, or the number of the signal
  };

  // Runs body() in the new process, which ends with what it returns, and whose stdout is stderr:
  // stdout belongs to the table or to the JSON document.
  template <class Body>
  ChildProcess(Seconds grace, Body body) : grace_(grace) {
    const pid_t parent = ::getpid();
    std::fflush(nullptr);
    id_ = ::fork();
    if (id_ < 0) fail("fork failed: {}", std::strerror(errno));
    if (id_ > 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);  // the parent died before the line above
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    std::exit(body());
  }
  ~ChildProcess() {
    if (end_within(grace_)) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  pid_t id() const { return id_; }

  // How it has ended; nothing if it still runs after `limit`.
  std::optional<ProgramEnd> end_within(Seconds limit) {
    const auto end = after(limit);
    int status = 0;
    while (!end_ && ::waitpid(id_, &status, WNOHANG) == 0) {
      if (Clock::now() >= end) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!end_)
      end_ = WIFSIGNALED(status) ? ProgramEnd{true, WTERMSIG(status)}
                                 : ProgramEnd{false, WEXITSTATUS(status)};
    return end_;
  }

 private:
  const Seconds grace_;
  pid_t id_;
  std::optional<ProgramEnd> end_;
};

}  // namespace lintel::perf
