#pragma once
// ControlFrames: sends the frames of a Session that carry no messages: those of handshakes, pings,
// acknowledgements and goodbyes.
//
// Borrows the SessionTables. Thread: its owner's lock.
// Throws std::bad_alloc as the lower transport does; nothing was sent then.
// Does not: decide when one is due, or end a session because its connection is lost: the caller
// does.

#include <cstddef>
#include <span>

#include "transport/session/frame_format.h"
#include "transport/session/session_tables.h"
#include "transport/transport.h"

namespace lintel::transport {

class ControlFrames {
 public:
  explicit ControlFrames(SessionTables& tables) : tables_(tables) {}
  ControlFrames(const ControlFrames&) = delete;
  ControlFrames& operator=(const ControlFrames&) = delete;

  // Sends one to the peer. Fills in magic, version and length. kWouldBlock: there is no room now,
  // and it is awaited. kFailed: the connection is lost.
  [[gnu::cold]] PostStatus send(PeerSession& peer, FrameHeader header,
                                std::span<const std::byte> body);
  // Likewise, with the peer's numbers of the session, or of the handshake under way. It
  // acknowledges what was received; the caller notes that, see ReceivedFrames::confirmed().
  [[gnu::cold]] PostStatus send_numbered(PeerSession& peer, FrameKind kind,
                                         std::span<const std::byte> body);

 private:
  SessionTables& tables_;
};

}  // namespace lintel::transport
