#include "tests/system/job/lost_connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file_descriptor.h"
#include "tests/system/job/counters_file.h"

namespace lintel::testing {
namespace {

// Both ends of a TCP connection on loopback.
struct ConnectedPair {
  FileDescriptor connected;
  FileDescriptor accepted;
  std::uint16_t port = 0;  // of the accepted one
};

// "", or what failed.
std::string connect_pair(ConnectedPair& pair) {
  const auto failed = [](const char* call) {
    return std::string(call) + " on loopback: " + std::strerror(errno);
  };
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  pair.connected = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.is_open() || !pair.connected.is_open()) return failed("socket");
  if (::bind(listener.get(), generic, size) != 0) return failed("bind");
  if (::listen(listener.get(), 1) != 0) return failed("listen");
  if (::getsockname(listener.get(), generic, &size) != 0) return failed("getsockname");
  if (::connect(pair.connected.get(), generic, size) != 0) return failed("connect");
  pair.accepted = FileDescriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!pair.accepted.is_open()) return failed("accept");
  pair.port = ntohs(address.sin_port);
  return {};
}

// Nothing was ever sent on it, so a connection that is there has nothing to read.
bool is_there(const FileDescriptor& end) {
  char byte = 0;
  return ::recv(end.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

}  // namespace

LostConnections::LostConnections() { std::filesystem::create_directories(folder_); }

LostConnections::~LostConnections() { std::filesystem::remove_all(folder_); }

Environment LostConnections::counting() const {
  return {{"LINTEL_PROVIDER", "direct"}, {"LINTEL_COUNTERS_FILE", folder_ + "/%p"}};
}

Environment LostConnections::with_resets(double probability) const {
  Environment environment = counting();
  environment["LINTEL_FAULTS"] = "reset=" + std::to_string(probability);
  return environment;
}

std::string LostConnections::destroying_obstacle() {
  if (std::system("command -v ss > /dev/null") != 0) return "the program 'ss' is not installed";
  ConnectedPair pair;
  if (const std::string failed = connect_pair(pair); !failed.empty()) {
    ADD_FAILURE() << failed;
    return failed;
  }
  const std::string command =
      "ss -tK 'sport = :" + std::to_string(pair.port) + "' > /dev/null 2>&1";
  // ss succeeds also where the kernel cannot destroy.
  static_cast<void>(!std::system(command.c_str()));
  if (!is_there(pair.accepted)) return {};
  return "ss -K destroys no connection here: it needs CAP_NET_ADMIN, and a kernel with "
         "CONFIG_INET_DIAG_DESTROY";
}

void LostConnections::destroy_until(ProcessGroup& job, std::size_t word, const std::string& command,
                                    std::chrono::seconds longest) {
  const auto limit = std::chrono::steady_clock::now() + longest;
  while (job.board().get(word) == 0 && std::chrono::steady_clock::now() < limit)
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

std::string LostConnections::destroying_command(ProcessGroup& job, std::size_t ranks) {
  std::string command = "ss -tK '( ";
  for (std::size_t rank = 0; rank < ranks; ++rank)
    command +=
        (rank == 0 ? "sport = :" : " or sport = :") + std::to_string(job.board().id(rank).pid);
  return command + " )' > /dev/null 2>&1";
}

std::uint64_t LostConnections::sum_of(const std::string& counter) const {
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    sum += counters_in(entry.path().string())[counter];
  return sum;
}

}  // namespace lintel::testing
