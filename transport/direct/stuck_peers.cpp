#include "transport/direct/stuck_peers.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <vector>

#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

// Less than the timeout after which the peer that waits for the memory is given up by its own peer.
constexpr int kMostNeededQuarters = 2;

constexpr Error kNotRead{Loss::kPeer, "send", "the peer does not read what is sent to it",
                         ETIMEDOUT};
constexpr Error kNotSent{Loss::kPeer, "recv", "the peer has begun a payload and does not end it",
                         ETIMEDOUT};

}  // namespace

void StuckPeers::end_stuck_peers() {
  std::vector<DirectConnection*> stuck;
  for (DirectConnection* const connection : sender_.waiting()) {
    if (++connection->unread_quarters > kOutputQuarters) stuck.push_back(connection);
  }
  for (DirectConnection* const connection : stuck) end_stuck_peer(*connection, kNotRead);
  if (tables_.unexpected.is_used_up()) make_room_for_payloads();
  tables_.stuck_check = kNever;
  if (!sender_.waiting().empty() || !tables_.stalled.empty()) tables_.check_for_stuck_peers();
}

// Gives up peers that have begun payloads and do not end them, if others need the memory: as many
// as wait for it, and first those of whose payload most is missing. That some of it arrives does
// not save a peer, nor that its connection is lost: else a few bytes now and then would hold the
// memory.
void StuckPeers::make_room_for_payloads() {
  // This process was stopped, or polls rarely: its peers get their time.
  if (tables_.now - tables_.stuck_check > tables_.options.output_timeout / kOutputQuarters) return;
  const auto waiting = static_cast<std::size_t>(
      std::ranges::count_if(tables_.stalled, [](const DirectConnection* connection) {
        return connection->stream->state() == InboundStream::StreamState::kStalled;
      }));
  if (waiting == 0) return;
  std::vector<DirectConnection*> holders;
  for (const auto& connection : tables_.records.all()) {
    if (connection->unexpected && ++connection->needed_quarters > kMostNeededQuarters)
      holders.push_back(connection.get());
  }
  std::ranges::sort(holders, std::ranges::greater(), [](const DirectConnection* connection) {
    return connection->stream->missing_of_payload();
  });
  if (holders.size() > waiting) holders.resize(waiting);
  for (DirectConnection* const connection : holders) end_stuck_peer(*connection, kNotSent);
}

void StuckPeers::end_stuck_peer(DirectConnection& connection, Error error) {
  if (connection.fd.is_open()) reset_connection(connection.fd.get());
  connections_.fail(connection.peer, error);
}

}  // namespace lintel::transport
