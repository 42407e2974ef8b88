#include "mpi_layer/mpi/runtime/joint_world.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "mpi_layer/impi/big_endian.h"
#include "mpi_layer/impi/job_layout_text.h"
#include "mpi_layer/p2p/gateway.h"

namespace lintel::mpi {
namespace {

using impi::append_number;
using impi::number_at;

// The time limit for each answer in the start-up, and for other hosts to connect. It is longer than
// that of the server, whose message names the late client.
constexpr std::chrono::seconds kTimeout(90);

// Sends `text` of rank 0, of any length, to all ranks. Other ranks' `text` is ignored.
Outcome<std::string> spread(Launcher& launcher, const std::string& text) {
  const bool tells = launcher.rank() == 0;
  std::string size;
  append_number(size, static_cast<std::uint32_t>(text.size()));
  Outcome<std::vector<std::string>> sizes = launcher.exchange("lintel-impi-size", size);
  if (!sizes) return sizes.failure();
  if (sizes->front().size() != size.size())
    return Problem{"rank 0 of the job has said nothing of the IMPI job"};
  const auto length = number_at<std::uint32_t>(sizes->front(), 0);
  std::string all;
  for (std::uint32_t piece = 0; std::uint64_t{piece} * kMaxBlobBytes < length; ++piece) {
    const std::string own = tells ? text.substr(piece * kMaxBlobBytes, kMaxBlobBytes) : "-";
    Outcome<std::vector<std::string>> pieces =
        launcher.exchange("lintel-impi-" + std::to_string(piece), own);
    if (!pieces) return pieces.failure();
    all += pieces->front();
  }
  return all;
}

// Process numbers that are unique in the world, although hosts may share an address, and machines
// or containers may have equal process ids. A number consists of rank, client, and process id; the
// last is for readers only.
constexpr unsigned kPidBits = 22;
constexpr unsigned kClientBits = 10;
std::int64_t proc_number(const Launcher& launcher, const impi::ClientSettings& settings) {
  const std::int64_t id = ::getpid() & ((1 << kPidBits) - 1);
  return std::int64_t{launcher.rank()} << (kPidBits + kClientBits) |
         std::int64_t{settings.rank} << kPidBits | id;
}

Outcome<std::vector<std::int64_t>> exchange_numbers(Launcher& launcher,
                                                    const impi::ClientSettings& settings) {
  std::string own;
  append_number(own, proc_number(launcher, settings));
  Outcome<std::vector<std::string>> told = launcher.exchange("lintel-impi-pids", own);
  if (!told) return told.failure();
  std::vector<std::int64_t> pids;
  for (const std::string& pid : *told) {
    if (pid.size() != own.size())
      return Problem{"rank " + std::to_string(pids.size()) + " has told no process number"};
    pids.push_back(number_at<std::int64_t>(pid, 0));
  }
  return pids;
}

World compose(const World& job, const impi::JobLayout& layout, std::uint32_t client) {
  World world;
  const std::uint32_t first = layout.hosts[layout.first_host(client)].first_proc;
  world.rank = first + job.rank;
  world.secret = job.secret;
  for (std::uint32_t rank = 0; rank < layout.procs.size(); ++rank) {
    const bool inside = rank >= first && rank - first < job.size();
    world.processes.push_back(inside ? job.processes[rank - first]
                                     : ProcessId{kOutsideNode, Pid(rank)});
    world.on_this_node.push_back(inside && job.on_this_node[rank - first]);
  }
  return world;
}

// The first letter of the text of rank 0.
constexpr char kLayout = 'L';
constexpr char kProblem = 'P';

}  // namespace

Outcome<JointWorld> enter_joint_world(Launcher& launcher, const World& job,
                                      const impi::ClientSettings& settings) {
  Outcome<std::vector<std::int64_t>> pids = exchange_numbers(launcher, settings);
  if (!pids) return pids.failure();
  JointWorld entered;
  std::string told;
  if (launcher.rank() == 0) {
    Outcome<impi::JoinedJob> joined = impi::join(settings, *pids, kTimeout);
    if (joined) {
      told = kLayout + encode(joined->layout);
      entered.joined = std::move(*joined);
    } else {
      told = kProblem + joined.sentence();
    }
  }
  Outcome<std::string> heard = spread(launcher, told);
  if (!heard) return heard.failure();
  if (heard->empty() || heard->front() != kLayout)
    return Problem{heard->empty() ? "rank 0 has said nothing of the IMPI job" : heard->substr(1)};
  Outcome<impi::JobLayout> layout = impi::decode_layout(std::string_view(*heard).substr(1));
  if (!layout) return layout.failure();
  entered.layout = std::move(*layout);
  entered.world = compose(job, entered.layout, settings.rank);
  return entered;
}

}  // namespace lintel::mpi
