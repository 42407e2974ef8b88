#include "transport/direct/connection.h"

#include <utility>

namespace lintel::transport {

void DirectConnection::begin(PrivateDescriptor socket, Phase first, StreamBuffers& buffers) {
  fd = std::move(socket);
  watched = SocketEvents::kUnwatched;
  low_water = 1;
  phase = first;
  peer = kNoPeer;
  greeting.begin();
  resumes = kNoPeer;
  is_admitted = false;
  key = {};
  stream.emplace(limits, buffers);
  outbound = {};
  is_ending = false;
  ending = kDisconnected;
  suspension = {};
  written_key = 0;
  is_expected = false;
  unread_quarters = needed_quarters = 0;
}

}  // namespace lintel::transport
