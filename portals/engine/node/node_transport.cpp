#include "portals/engine/node/node_transport.h"

#include <unistd.h>

#include <cerrno>
#include <random>
#include <string_view>
#include <utility>

#include "base/interface_address.h"
#include "transport/faulty/fault_plan.h"
#include "transport/faulty/faulty_transport.h"
#include "transport/network/network.h"
#include "transport/session/session.h"

namespace lintel::portals {
namespace {

std::uint64_t draw_incarnation() {
  std::random_device source;
  std::uint64_t number = 0;
  while (number == 0) number = (std::uint64_t{source()} << 32) | source();
  return number;
}

// The pid of the interface is the reason; another pid may be possible.
bool pid_at_fault(const Error& error) {
  return std::string_view(error.call()) == "port_of" || error.code() == EADDRINUSE ||
         error.code() == EBUSY;
}

Result<std::unique_ptr<transport::Transport>> open_node(const Config& config, Pid pid,
                                                        std::string& explanation) {
  const Result<std::string> address = interface_address(config.interface);
  if (!address) {
    explanation = "LINTEL_INTERFACE is \"" + config.interface + "\": " + address.error().reason();
    return Error(Loss::kInterface, address.error().call(), address.error().reason(),
                 address.error().code());
  }
  transport::NetworkOptions options;
  options.name = config.provider;
  options.interface_address = *address;
  options.pid = pid;
  options.port_base = static_cast<std::uint32_t>(config.port_base);
  options.send_frames = config.send_frames;
  options.connect_timeout = config.connect_timeout;
  options.output_timeout = config.peer_timeout;
  transport::FabricOptions fabric;
  fabric.receive_buffers = config.receive_buffers;
  fabric.receive_buffer_bytes = config.receive_buffer_bytes;
  fabric.write_timeout = config.peer_timeout;
  Result<std::unique_ptr<transport::Transport>> network =
      transport::open_network(options, fabric, &explanation);
  if (!network) {
    const Error error = network.error();
    return Error(pid_at_fault(error) ? Loss::kOperation : Loss::kInterface, error.call(),
                 error.reason(), error.code());
  }
  std::unique_ptr<transport::Transport> lower = std::move(*network);
  if (!config.faults.empty()) {
    transport::FaultPlan plan;
    const std::string wrong = transport::parse_fault_plan(config.faults, plan);
    if (!wrong.empty()) {
      explanation = "LINTEL_FAULTS: " + wrong;
      return Error(Loss::kInterface, "parse_fault_plan", "the fault plan is not understood");
    }
    lower = std::make_unique<transport::FaultyTransport>(std::move(lower), plan);
  }
  transport::SessionOptions session;
  session.incarnation = draw_incarnation();
  session.window_frames = static_cast<std::uint32_t>(config.window_frames);
  session.dead_peer_deadline = config.peer_timeout;
  session.connect_deadline = config.connect_timeout;
  return std::unique_ptr<transport::Transport>(
      std::make_unique<transport::Session>(std::move(lower), session));
}

}  // namespace

TransportFactory node_transport(const Config& config) {
  return
      [config](Pid pid, std::string& explanation) { return open_node(config, pid, explanation); };
}

ProcessOptions process_options(const Config& config) {
  ProcessOptions options;
  options.endpoint.eager_limit = config.eager_limit_bytes;
  options.endpoint.max_operations = config.max_operations;
  options.endpoint.answer_limit = config.memory_limit;
  options.spin = config.spin;
  options.user = UserId(::geteuid());
  options.job = JobId(static_cast<std::uint32_t>(config.job_id));
  return options;
}

}  // namespace lintel::portals
