#include "mpi_layer/mpi/runtime/client_map.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/assert.h"

namespace lintel::mpi {

namespace {

std::optional<ClientMap>& the_map() {
  static auto& map = *new std::optional<ClientMap>;
  return map;
}

// Numbers the distinct values of the processes in the group in order of their first appearance, and
// returns the number of each rank.
std::vector<int> numbered(const Group& group, std::span<const int> values) {
  std::map<int, int> number_of;
  std::vector<int> numbers;
  numbers.reserve(static_cast<std::size_t>(group.size()));
  for (const int world_rank : group.world_ranks()) {
    const int value = values[static_cast<std::size_t>(world_rank)];
    numbers.push_back(
        number_of.try_emplace(value, static_cast<int>(number_of.size())).first->second);
  }
  return numbers;
}

}  // namespace

void set_client_map(ClientMap map) {
  LINTEL_ASSERT(map.clients.size() == map.hosts.size());
  the_map() = std::move(map);
}

const ClientMap* client_map() {
  const std::optional<ClientMap>& map = the_map();
  return map ? &*map : nullptr;
}

GroupClients::GroupClients(const ClientMap& map, const Group& group, int rank)
    : numbers_(numbered(group, map.clients)),
      local_ranks_(numbers_.size(), -1),
      max_linear_(map.max_linear) {
  const int own = local_master_num(rank);
  std::vector<int> locals;
  for (int at = 0; at < group.size(); ++at) {
    if (local_master_num(at) == num_masters()) {
      masters_.push_back(at);
      const int client = map.clients[static_cast<std::size_t>(group.world_rank(at))];
      among_messages_.push_back(std::ranges::find(map.reducing_among_messages, client) !=
                                map.reducing_among_messages.end());
    }
    if (local_master_num(at) != own) continue;
    local_ranks_[static_cast<std::size_t>(at)] = static_cast<int>(locals.size());
    locals.push_back(at);
  }
  local_group_ = group.including(locals);
  const std::vector<int> hosts = numbered(group, map.hosts);
  attributes_ = {num_masters(), own, *std::ranges::max_element(hosts) + 1,
                 hosts[static_cast<std::size_t>(rank)]};
}

}  // namespace lintel::mpi
