#include "transport/session/control_frames.h"

#include <cstdint>
#include <cstring>

#include "transport/session/frame_codec.h"

namespace lintel::transport {

PostStatus ControlFrames::send(PeerSession& peer, FrameHeader header,
                               std::span<const std::byte> body) {
  const std::size_t bytes = sizeof(FrameHeader) + body.size();
  const MessageBuffer buffer = tables_.lower.reserve(peer.lower, bytes);
  if (!buffer) {
    tables_.pending.await_room();
    return PostStatus::kWouldBlock;
  }
  header.magic = kFrameMagic;
  header.version = kFrameVersion;
  header.length = static_cast<std::uint32_t>(body.size());
  encode(buffer.data, header);
  if (!body.empty()) std::memcpy(buffer.data + sizeof(FrameHeader), body.data(), body.size());
  const PostStatus status = tables_.lower.commit(peer.lower, buffer, bytes);
  if (status != PostStatus::kOk) tables_.lower.abandon(peer.lower, buffer);
  if (status == PostStatus::kWouldBlock) tables_.pending.await_room();
  if (status == PostStatus::kOk) tables_.count_leaving(peer, 0);
  return status;
}

PostStatus ControlFrames::send_numbered(PeerSession& peer, FrameKind kind,
                                        std::span<const std::byte> body) {
  const FrameHeader header{0,
                           0,
                           static_cast<std::uint8_t>(kind),
                           peer.remote_slot,
                           peer.remote_epoch,
                           peer.window.sent(),
                           peer.received.last(),
                           0};
  return send(peer, header, body);
}

}  // namespace lintel::transport
