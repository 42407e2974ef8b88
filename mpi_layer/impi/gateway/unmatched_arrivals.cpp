#include "mpi_layer/impi/gateway/unmatched_arrivals.h"

namespace lintel::mpi::impi {

UnmatchedArrivals::Arrivals::node_type UnmatchedArrivals::take(std::int32_t source,
                                                               std::uint64_t sequence) {
  const auto delivered = delivered_.extract(std::pair(source, sequence));
  return arrivals_.extract(delivered.mapped());
}

void UnmatchedArrivals::remove(ArrivalNumber number) {
  const auto found = arrivals_.find(number);
  const UnmatchedArrival& arrival = found->second;
  if (arrival.sequence == 0) {
    const auto waiting = undelivered_.find(arrival.source);
    std::erase(waiting->second, number);
    if (waiting->second.empty()) undelivered_.erase(waiting);
  } else {
    delivered_.erase(std::pair(arrival.source, arrival.sequence));
  }
  arrivals_.erase(found);
}

std::size_t UnmatchedArrivals::without_room() const {
  std::size_t count = 0;
  for (const auto& [source, waiting] : undelivered_) count += waiting.size();
  return count;
}

}  // namespace lintel::mpi::impi
