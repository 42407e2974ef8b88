#include "mpi_layer/impi/gateway/member_route.h"

#include <string>
#include <utility>

namespace lintel::mpi::impi {
namespace {

// The most bytes on their way to the agent before the rests of long messages wait. It is enough to
// keep the agent's connection busy until more arrives.
constexpr std::size_t kAhead = std::size_t{512} << 10;

// The process of the lowest rank of the same host. It has the connections of the host.
std::int32_t agent_rank(const JobLayout& layout, std::uint32_t rank) {
  return static_cast<std::int32_t>(layout.hosts[layout.procs[rank].host].first_proc);
}

}  // namespace

MemberRoute::MemberRoute(Messenger& messenger, const JobLayout& layout, std::uint32_t rank,
                         RouteEvents events)
    : relay_(messenger, agent_rank(layout, rank), layout.data_length,
             {events.on_packet, events.on_room, [broken = events.on_broken](const Error& error) {
                broken(std::string("the IMPI agent of this job: ") + error.reason());
              }}) {}

void MemberRoute::dump(std::string& out) const {
  out += "impi relay to the agent: unsent " + std::to_string(relay_.backlog()) + '\n';
}

bool MemberRoute::takes_more(const ProcId&, const ProcId&) {
  kLock.is_held();
  return relay_.backlog() < kAhead;
}

}  // namespace lintel::mpi::impi
