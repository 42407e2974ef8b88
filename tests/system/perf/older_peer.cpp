// A lintel-perf of protocol 2, as far as it goes before it notices another protocol. With the
// server's process id as argument it is a client on this host, else a server that says
// "at ADDRESS pid PID". Both say on stderr what the other process is, and end with exit code 2.

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "control.h"
#include "interface.h"

namespace lintel::perf {
namespace {

json message_of(const char* kind) {
  return {{"tool", "lintel-perf"}, {"protocol", 2}, {"version", "0.0.2"},
          {"kind", kind},          {"host", "old"}, {"cpu", -1}};
}

// As protocol 2 did: `kind`, or any if it is empty, of this tool in whatever version.
ControlMessage receive(ControlChannel& control, const std::string& kind) {
  for (;;) {
    auto message = control.receive(Seconds(30));
    if (!message) fail("no message came within 30 s; expected one");
    if (message->body.value("tool", "") != "lintel-perf") continue;
    if (kind.empty() || message->body.value("kind", "") == kind) return *message;
  }
}

int run(int argc, char** argv) {
  Portals3Interface network(PTL_PID_ANY);
  network.admit({PTL_NID_ANY, PTL_PID_ANY});
  ControlChannel control(network.handle());
  ControlMessage answer;
  if (argc > 1) {
    const ProcessName server{network.name().nid, static_cast<ptl_pid_t>(std::atoi(argv[1]))};
    const std::string failure = control.send(server, message_of("hello"), Seconds(30));
    if (!failure.empty()) fail("the server took no message: {}", failure);
    answer = receive(control, "");
  } else {
    fmt::print("at {}\n", to_string(network.name()));
    std::fflush(stdout);
    answer = receive(control, "hello");
    control.send(answer.from, message_of("refuse"), Seconds(30));
  }
  fmt::print(stderr, "kind {}, version {}, protocol {}; expected protocol 2\n",
             answer.body.at("kind").get<std::string>(),
             answer.body.at("version").get<std::string>(), answer.body.at("protocol").get<int>());
  return static_cast<int>(ExitCode::kUnusable);
}

}  // namespace
}  // namespace lintel::perf

int main(int argc, char** argv) {
  try {
    return lintel::perf::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
