#include "portals/engine/node/node_transport.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/interface_address.h"
#include "base/memory_parts.h"
#include "base/random_numbers.h"
#include "base/secret_file.h"
#include "transport/faulty/fault_plan.h"
#include "transport/faulty/faulty_transport.h"
#include "transport/network/network.h"
#include "transport/session/job_key.h"
#include "transport/session/session.h"

namespace lintel::portals {
namespace {

// What the records of a peer take in the engine, the session and the network, with an open session.
constexpr std::size_t kPeerBytes = 2560;

// Random numbers that tell this incarnation from others, and from which its nonces come.
void draw(transport::SessionOptions& session) {
  RandomNumbers numbers;
  while (session.incarnation == 0) session.incarnation = numbers.next();
  for (std::size_t at = 0; at < session.random.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t number = numbers.next();
    std::memcpy(session.random.data() + at, &number, sizeof number);
  }
}

// The job's secret, if LINTEL_SECRET_FILE is set.
Error read_secret(const Config& config, transport::JobKey& job_key, std::string& explanation) {
  if (config.secret_file.empty() || job_key.key()) return Error();
  const SecretReading reading = read_secret_file(config.secret_file);
  if (reading.problem.empty()) {
    job_key.give(reading.secret);
    return Error();
  }
  explanation = "LINTEL_SECRET_FILE: " + reading.problem;
  // The name that lintel-run gives its ranks.
  if (config.secret_file.starts_with("/proc/")) {
    explanation +=
        ": this one is memory of lintel-run, which a process in another namespace of process ids "
        "does not find, so set LINTEL_SECRET_FILE to a file that all processes of the job can open";
  }
  return Error(Loss::kInterface, "read_secret_file", "the secret of the job is not accepted");
}

// The pid of the interface is the reason; another pid may be possible.
bool pid_at_fault(const Error& error) {
  return std::string_view(error.call()) == "port_of" || error.code() == EADDRINUSE ||
         error.code() == EBUSY;
}

Result<std::unique_ptr<transport::Transport>> open_node(
    const Config& config, const std::shared_ptr<transport::JobKey>& job_key, Pid pid,
    std::string& explanation) {
  // First, because nobody may reach a process that has not got its secret.
  if (const Error error = read_secret(config, *job_key, explanation); !error.ok()) return error;
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
  options.retained_bytes = config.retained_bytes;
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
  draw(session);
  session.job_key = job_key;
  session.window_frames = static_cast<std::uint32_t>(config.window_frames);
  session.dead_peer_deadline = config.peer_timeout;
  session.connect_deadline = config.connect_timeout;
  session.max_peers =
      std::min(session.max_peers, MemoryParts::of(config.memory_limit).peers / kPeerBytes);
  return std::unique_ptr<transport::Transport>(
      std::make_unique<transport::Session>(std::move(lower), session));
}

}  // namespace

std::shared_ptr<transport::JobKey> new_job_key() { return std::make_shared<transport::JobKey>(); }

void give_secret(transport::JobKey& job_key, std::span<const std::byte> secret) {
  job_key.give(secret);
}

TransportFactory node_transport(const Config& config, std::shared_ptr<transport::JobKey> job_key) {
  return [config, job_key = std::move(job_key)](Pid pid, std::string& explanation) {
    return open_node(config, job_key, pid, explanation);
  };
}

std::uint64_t most_unexpected(const Config& config) {
  return unexpected_within(config.max_unexpected, MemoryParts::of(config.memory_limit).headers);
}

ProcessOptions process_options(const Config& config) {
  ProcessOptions options;
  options.endpoint.eager_limit = config.eager_limit_bytes;
  options.endpoint.max_operations = config.max_operations;
  const MemoryParts memory = MemoryParts::of(config.memory_limit);
  options.endpoint.answer_limit = memory.answers;
  options.endpoint.operation_limit = memory.operations;
  options.header_limit = memory.headers;
  options.spin = config.spin;
  // A peer that does not answer is reported before that.
  options.linger = std::max(config.peer_timeout, config.connect_timeout) + std::chrono::seconds(2);
  options.user = UserId(::geteuid());
  options.job = JobId(static_cast<std::uint32_t>(config.job_id));
  return options;
}

}  // namespace lintel::portals
