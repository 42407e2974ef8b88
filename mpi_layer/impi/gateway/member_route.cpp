#include "mpi_layer/impi/gateway/member_route.h"

#include <string>
#include <utility>

namespace lintel::mpi::impi {
namespace {

// Of the rests of long messages: enough to keep the agent's connection busy while it is being
// refilled.
constexpr std::size_t kAhead = std::size_t{512} << 10;

// The process of the lowest rank of the same host, which has that one's connections.
std::int32_t agent_rank(const JobLayout& layout, std::uint32_t rank) {
  return static_cast<std::int32_t>(layout.hosts[layout.procs[rank].host].first_proc);
}

}  // namespace

MemberRoute::MemberRoute(Messenger& messenger, const JobLayout& layout, std::uint32_t rank,
                         Events events)
    : relay_(messenger, agent_rank(layout, rank), layout.data_length,
             {events.on_packet, events.on_moved, [broken = events.on_broken](const Error& error) {
                broken(std::string("the IMPI agent of this job: ") + error.reason());
              }}) {}

void MemberRoute::dump(std::string& out) const {
  out += "impi relay to the agent: unsent " + std::to_string(relay_.backlog()) + '\n';
}

bool MemberRoute::takes_more(const ProcId&, const ProcId&) { return relay_.backlog() < kAhead; }

}  // namespace lintel::mpi::impi
