#include "tests/protocol/raw_process.h"

#include <cstring>

namespace lintel::testing {

using portals::wire::MessageKind;

RawProcess::RawProcess(SimulatedProcesses& job, const RawAim& aim, std::uint32_t nid)
    : job_(job), aim_(aim), self_{NodeId(nid), Pid(1)} {
  transport::SessionOptions options;
  options.incarnation = nid;
  session_ = std::make_unique<transport::Session>(job.network().join(self_), options);
  job.poll_also([this]() -> std::size_t {
    return stopped_ ? 0 : session_->poll(job_.network().now(), *this);
  });
}

portals::wire::Request RawProcess::request(MessageKind kind, ProcessId target,
                                           std::uint64_t length) const {
  portals::wire::Request request{};
  request.header = {portals::wire::kMessageVersion, static_cast<std::uint8_t>(kind), 0,
                    aim_.interface_kind, 0};
  request.initiator_nid = self_.nid.value;
  request.initiator_pid = self_.pid.value;
  request.user = 1000;
  request.job = 7;
  request.target_nid = target.nid.value;
  request.target_pid = target.pid.value;
  request.portal_index = aim_.portal_index;
  request.match_bits = aim_.match_bits;
  request.length = length;
  request.md_handle = portals::wire::kNoDescriptor;
  if (kind != MessageKind::kPut) {
    request.header.flags = portals::wire::kFlagTracked;
    request.md_handle = 3;
    request.md_generation = 4;
    request.sender_token = 55;
  }
  return request;
}

portals::wire::Response RawProcess::response(MessageKind kind,
                                             const portals::wire::Request& request,
                                             std::uint64_t length) {
  portals::wire::Response response{};
  response.header = {portals::wire::kMessageVersion, static_cast<std::uint8_t>(kind), 0,
                     request.header.interface_kind, 0};
  response.initiator_nid = request.target_nid;
  response.initiator_pid = request.target_pid;
  response.user = 4000;
  response.job = 40;
  response.target_nid = request.initiator_nid;
  response.target_pid = request.initiator_pid;
  response.portal_index = request.portal_index;
  response.match_bits = request.match_bits;
  response.offset = request.offset;
  response.requested_length = request.length;
  response.manipulated_length = length;
  response.md_handle = request.md_handle;
  response.md_generation = request.md_generation;
  response.return_offset = request.return_offset;
  response.request_token = request.sender_token;
  return response;
}

transport::PeerId RawProcess::peer(std::size_t rank) {
  return session_->resolve(SimulatedProcesses::name(rank)).value();
}

void RawProcess::post_bytes(std::size_t rank, std::span<const std::byte> bytes) {
  const transport::PeerId to = peer(rank);
  const transport::MessageBuffer buffer = session_->reserve(to, bytes.size());
  ASSERT_TRUE(buffer);
  std::memcpy(buffer.data, bytes.data(), bytes.size());
  ASSERT_EQ(session_->commit(to, buffer, bytes.size()), transport::PostStatus::kOk);
}

void RawProcess::send_bytes(std::size_t rank, std::span<const std::byte> bytes) {
  const transport::PeerId to = peer(rank);
  transport::MessageBuffer buffer = session_->reserve(to, bytes.size());
  if (!buffer) {
    job_.settle();  // opens the session
    buffer = session_->reserve(to, bytes.size());
  }
  ASSERT_TRUE(buffer);
  session_->abandon(to, buffer);
  post_bytes(rank, bytes);
  job_.settle();
}

void RawProcess::clear(std::size_t rank, std::uint64_t source_token, std::vector<Bytes*> segments,
                       std::uint64_t receiver_token, std::uint8_t flags) {
  send_bytes(rank, clear_message(rank, source_token, segments, receiver_token, flags));
}

void RawProcess::post_clear(std::size_t rank, std::uint64_t source_token,
                            std::vector<Bytes*> segments, std::uint64_t receiver_token,
                            std::uint8_t flags) {
  post_bytes(rank, clear_message(rank, source_token, segments, receiver_token, flags));
}

std::vector<std::byte> RawProcess::clear_message(std::size_t rank, std::uint64_t source_token,
                                                 const std::vector<Bytes*>& segments,
                                                 std::uint64_t receiver_token, std::uint8_t flags) {
  portals::wire::Clear clear{};
  const std::size_t segment_bytes = segments.size() * sizeof(portals::wire::Segment);
  clear.header = {portals::wire::kMessageVersion, static_cast<std::uint8_t>(MessageKind::kClear),
                  flags, aim_.interface_kind, static_cast<std::uint32_t>(segment_bytes)};
  clear.source_token = source_token;
  clear.receiver_token = receiver_token;
  clear.immediate = 9;
  clear.segment_count = static_cast<std::uint32_t>(segments.size());
  std::vector<std::byte> bytes(sizeof clear + segment_bytes);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::span<std::byte> memory = std::as_writable_bytes(std::span(*segments[i]));
    const transport::Registration region =
        session_->register_memory(peer(rank), memory, transport::Access::kWriteTarget).value();
    portals::wire::encode(portals::wire::Segment{region.key, region.base, memory.size()},
                          bytes.data() + sizeof clear + i * sizeof(portals::wire::Segment));
    clear.length += memory.size();
  }
  portals::wire::encode(clear, bytes.data());
  return bytes;
}

std::vector<std::byte> RawProcess::cleared_get_message(std::size_t rank, portals::wire::Request get,
                                                       const std::vector<Bytes*>& segments,
                                                       std::uint64_t receiver_token) {
  const std::vector<std::byte> clear = clear_message(rank, 0, segments, receiver_token, 0);
  get.header.flags |= portals::wire::kFlagCleared;
  get.header.payload_length = static_cast<std::uint32_t>(clear.size());
  std::vector<std::byte> bytes(portals::wire::fixed_size(get.header));
  portals::wire::encode(get, bytes.data());
  bytes.insert(bytes.end(), clear.begin(), clear.end());
  return bytes;
}

void RawProcess::cleared_get(std::size_t rank, portals::wire::Request get,
                             const std::vector<Bytes*>& segments, std::uint64_t receiver_token) {
  send_bytes(rank, cleared_get_message(rank, get, segments, receiver_token));
}

void RawProcess::post_cleared_get(std::size_t rank, portals::wire::Request get,
                                  const std::vector<Bytes*>& segments,
                                  std::uint64_t receiver_token) {
  post_bytes(rank, cleared_get_message(rank, get, segments, receiver_token));
}

void RawProcess::discard(std::size_t rank, std::uint64_t token) {
  portals::wire::Discard message{};
  message.header = {portals::wire::kMessageVersion,
                    static_cast<std::uint8_t>(MessageKind::kDiscard), 0, aim_.interface_kind, 0};
  message.token = token;
  send(rank, message);
}

void RawProcess::written(std::size_t rank, std::uint64_t receiver_token, std::uint64_t count) {
  portals::wire::Written message{};
  message.header = {portals::wire::kMessageVersion,
                    static_cast<std::uint8_t>(MessageKind::kWritten), 0, aim_.interface_kind, 0};
  message.receiver_token = receiver_token;
  message.write_count = count;
  send(rank, message);
}

void RawProcess::write(std::size_t rank, Bytes& bytes, const portals::wire::Segment& to,
                       std::uint32_t immediate) {
  const std::span<std::byte> memory = std::as_writable_bytes(std::span(bytes));
  const transport::Registration region =
      session_->register_memory(peer(rank), memory, transport::Access::kWriteSource).value();
  ASSERT_EQ(
      session_->post_write(peer(rank), {memory.data(), memory.size(), region}, {to.key, to.address},
                           transport::Immediate(immediate), transport::Context(1)),
      transport::PostStatus::kOk);
  job_.settle();
}

void RawProcess::on_message(transport::PeerId, std::span<const std::byte> message) {
  messages_.emplace_back(message.begin(), message.end());
}

std::string RawProcess::received() {
  std::string all;
  for (; told_ < messages_.size(); ++told_) {
    const auto header = portals::wire::parse_header(messages_[told_]);
    std::string name = "malformed";
    if (header) {
      switch (static_cast<MessageKind>(header->kind)) {
        case MessageKind::kPut: name = "PUT"; break;
        case MessageKind::kAck: name = "ACK"; break;
        case MessageKind::kGet:
          name = (header->flags & portals::wire::kFlagCleared) != 0 ? "GET(CLEAR)" : "GET";
          break;
        case MessageKind::kReply: name = "REPLY"; break;
        case MessageKind::kGetPut: name = "GETPUT"; break;
        case MessageKind::kAtomic: name = "ATOMIC"; break;
        case MessageKind::kFetchAtomic: name = "FETCH_ATOMIC"; break;
        case MessageKind::kSwap: name = "SWAP"; break;
        case MessageKind::kClear: name = "CLEAR"; break;
        case MessageKind::kWritten: name = "WRITTEN"; break;
        case MessageKind::kDiscard: name = "DISCARD"; break;
      }
    }
    all += (all.empty() ? "" : " ") + name;
  }
  return all;
}

std::span<const std::byte> RawProcess::last(MessageKind kind) const {
  for (auto message = messages_.rbegin(); message != messages_.rend(); ++message) {
    const auto header = portals::wire::parse_header(*message);
    if (header && header->kind == static_cast<std::uint8_t>(kind)) return *message;
  }
  ADD_FAILURE() << "no message of kind " << static_cast<int>(kind) << " has come";
  static const std::vector<std::byte> nothing(256);
  return nothing;
}

std::span<const std::byte> RawProcess::payload_of_last(MessageKind kind) const {
  const std::span<const std::byte> message = last(kind);
  const auto header = portals::wire::parse_header(message);
  return header ? portals::wire::payload_of(message, *header) : std::span<const std::byte>{};
}

Bytes RawProcess::last_reply_data() const {
  const std::span<const std::byte> data = payload_of_last(MessageKind::kReply);
  Bytes bytes;
  for (const std::byte byte : data) bytes.push_back(static_cast<std::uint8_t>(byte));
  return bytes;
}

portals::wire::Segment RawProcess::last_segment(std::size_t index) const {
  return portals::wire::parse_segment(payload_of_last(MessageKind::kClear), index);
}

portals::wire::Segment RawProcess::segment_of_get(std::size_t index) const {
  const std::span<const std::byte> clear = payload_of_last(MessageKind::kGet);
  return portals::wire::parse_segment(clear.subspan(sizeof(portals::wire::Clear)), index);
}

}  // namespace lintel::testing
