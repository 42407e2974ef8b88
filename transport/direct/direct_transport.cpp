// Opening and posting. Connections are made in handshakes.cpp; poll() is in direct_traffic.cpp.
#include "transport/direct/direct_transport.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/assert.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

constexpr std::size_t kStreamBufferBytes = 256 * 1024;
// 64 KiB of data and the headers of the layers above
constexpr std::size_t kSuitableMessageBytes = 68 * 1024;

std::size_t message_bytes(const NetworkOptions& options) {
  return options.max_message_bytes != 0 ? options.max_message_bytes : kSuitableMessageBytes;
}

// Of `room`, so much is used, of which `since` since an acknowledgement was asked for. If half is
// used, the next one is asked for, so that it comes before the rest is, but not again before half
// of that was used since: each is a system call of the receiver. In between it may wait until the
// receiver is idle; it is needed then because the room may shrink when others take records.
// Measure: bench/compare/builds --only mpi-bandwidth
std::uint16_t flags_by_room(std::size_t used, std::size_t room, std::size_t since) {
  if (2 * used < room) return 0;
  return 2 * since >= used ? kAcknowledgeSoon : kAcknowledgeWhenIdle;
}

}  // namespace

Result<std::unique_ptr<DirectTransport>> DirectTransport::open(const NetworkOptions& options,
                                                               std::string* explanation) {
  std::unique_ptr<DirectTransport> transport(new DirectTransport(options));
  transport->lock_.is_held();  // no other thread knows it yet
  if (const Error error = transport->listen(); !error.ok()) {
    if (explanation != nullptr) {
      *explanation = explain_opening(options.interface_address, options.pid, options.port_base,
                                     kName, error, std::strerror(error.code()));
    }
    return error;
  }
  return transport;
}

DirectTransport::DirectTransport(const NetworkOptions& options)
    : options_(options),
      buffers_(std::max(kStreamBufferBytes, message_bytes(options) + sizeof(PieceHeader))),
      outbound_(options.send_frames, message_bytes(options), options.max_writes),
      handshakes_(options_, *this, peers_, connections_, events_, buffers_, counters_) {
  ended_.reserve(options.send_frames + options.max_writes);
  attributes_.name = kName;
  attributes_.version = std::to_string(kStreamVersion) + ".0";
  attributes_.max_message_bytes = message_bytes(options);
  attributes_.max_write_bytes = kMaxWriteBytes;
  attributes_.max_placed_bytes = UnexpectedMemory::kBytes;
  attributes_.max_placed_message = InboundStream::kMaxPlacedMessage;
  attributes_.knows_source = true;
  attributes_.independent_reservations = true;
}

Error DirectTransport::listen() {
  if (const Error error = events_.open(); !error.ok()) return error;
  const Error error = handshakes_.listen();
  self_ = handshakes_.self();
  return error;
}

DirectTransport::~DirectTransport() {
  lock_.is_held();
  for (const auto& connection : connections_.all()) end_sending(*connection);
}

Result<PeerId> DirectTransport::resolve(ProcessId name) {
  lock_.is_held();
  if (const PeerId known = peers_.find(name); known != kNoPeer) return known;
  if (name == self())
    return Error{Loss::kOperation, "resolve", "a process does not connect to itself"};
  if (const Result<sockaddr_in> address = socket_address_of(name, options_.port_base); !address)
    return address.error();
  return peers_.add(name, [this](std::size_t peers) {
    lock_.is_held();
    make_room(failed_, peers);
    left_.reserve(peers);
    handshakes_.reserve(peers);
    constexpr std::size_t kOwn = SendShare::kOwnFrames + SendShare::kOwnWrites;
    ended_.reserve(options_.send_frames + options_.max_writes + kOwn * peers);
  });
}

void DirectTransport::forget(PeerId id) {
  lock_.is_held();
  if (!peers_[id].is_in_use()) peers_.forget(id);
}

MessageBuffer DirectTransport::reserve(PeerId peer, std::size_t bytes) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= attributes_.max_message_bytes);
  DirectPeer& to = peers_[peer];
  const bool keeps_much = to.frames.held >= SendShare::kOwnFrames && to.connection != nullptr &&
                          to.connection->outbound.frame_bytes() >= options_.retained_bytes;
  Outbound* const frame = closing_ || keeps_much ? nullptr : outbound_.take_frame(to.frames);
  if (frame == nullptr) return {};
  frame->lent = true;
  return {frame->memory, attributes_.max_message_bytes, frame->index};
}

PostStatus DirectTransport::commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) {
  lock_.is_held();
  Outbound& frame = outbound_.at(buffer.token);
  LINTEL_ASSERT(frame.lent && bytes <= attributes_.max_message_bytes);
  DirectConnection* const connection = connection_to(peer);
  if (connection == nullptr) return PostStatus::kWouldBlock;
  std::byte* const begin = buffer.data - sizeof(PieceHeader);
  const std::uint16_t flags = flags_for(*connection, sizeof(PieceHeader) + bytes);
  encode(begin, PieceHeader{static_cast<std::uint32_t>(bytes),
                            static_cast<std::uint8_t>(PieceKind::kMessage), 0, flags});
  frame.parts[0] = {begin, sizeof(PieceHeader) + bytes};
  frame.parts[1] = {};
  frame.is_message = true;
  frame.keeps_memory = false;  // it may have been used for commit_placed() before
  return send(*connection, frame, flags);
}

void DirectTransport::abandon(PeerId, const MessageBuffer& buffer) {
  lock_.is_held();
  Outbound& frame = outbound_.at(buffer.token);
  LINTEL_ASSERT(frame.lent);
  outbound_.give_back(frame);
}

PostStatus DirectTransport::commit_placed(PeerId peer, const MessageBuffer& buffer,
                                          std::size_t bytes, std::span<const std::byte> payload,
                                          PlacementKey key, Context context) {
  lock_.is_held();
  Outbound& frame = outbound_.at(buffer.token);
  LINTEL_ASSERT(frame.lent && bytes <= attributes_.max_placed_message && is_placement_key(key));
  LINTEL_ASSERT(!payload.empty() && payload.size() <= attributes_.max_placed_bytes);
  DirectConnection* const connection = connection_to(peer);
  if (connection == nullptr) return PostStatus::kWouldBlock;
  constexpr std::size_t kHead = sizeof(PieceHeader) + sizeof(PlacedHeader);
  static_assert(OutboundStream::kHeadroom + kHead <= OutboundTable::kHeadroom);
  std::byte* const begin = buffer.data - kHead;
  const auto flags =
      static_cast<std::uint16_t>(kAcknowledgeWhenIdle | flags_for(*connection, kHead + bytes));
  encode(begin, PieceHeader{static_cast<std::uint32_t>(payload.size()),
                            static_cast<std::uint8_t>(PieceKind::kPlaced),
                            static_cast<std::uint8_t>(bytes), flags});
  encode(begin + sizeof(PieceHeader), PlacedHeader{key.value});
  frame.parts[0] = {begin, kHead + bytes};
  frame.parts[1] = {const_cast<std::byte*>(payload.data()), payload.size()};  // never written
  frame.is_message = frame.keeps_memory = true;
  frame.context = context;
  return send(*connection, frame, flags);
}

PostStatus DirectTransport::post_write(PeerId peer, const LocalMemory& from, RemoteMemory to,
                                       Immediate immediate, Context context) {
  lock_.is_held();
  LINTEL_ASSERT(from.length > 0 && from.length <= attributes_.max_write_bytes);
  DirectConnection* const connection = connection_to(peer);
  Outbound* const write =
      connection != nullptr ? outbound_.take_write(peers_[peer].writes) : nullptr;
  if (write == nullptr) return PostStatus::kWouldBlock;
  const auto flags = static_cast<std::uint16_t>(
      kAcknowledgeWhenIdle | flags_by_room(peers_[peer].writes.held, outbound_.write_limit(),
                                           connection->outbound.records_since_asked() + 1));
  std::byte* const head = write->write_head + OutboundStream::kHeadroom;
  encode(head, PieceHeader{static_cast<std::uint32_t>(from.length),
                           static_cast<std::uint8_t>(PieceKind::kWrite), 0, flags});
  encode(head + sizeof(PieceHeader), WriteHeader{to.key, to.address, immediate.value, 0});
  write->parts[0] = {head, sizeof(PieceHeader) + sizeof(WriteHeader)};
  write->parts[1] = {const_cast<std::byte*>(from.data), from.length};
  write->keeps_memory = true;
  write->context = context;
  const PostStatus status = send(*connection, *write, flags);
  if (status != PostStatus::kOk) outbound_.give_back(*write);
  return status;
}

// When the sender needs to know that a frame of so many bytes has arrived: PieceFlags.
std::uint16_t DirectTransport::flags_for(const DirectConnection& connection,
                                         std::size_t bytes) const {
  const OutboundStream& stream = connection.outbound;
  const SendShare& frames = peers_[connection.peer].frames;
  const std::uint16_t pool =
      outbound_.half_is_taken() ? std::uint16_t{kAcknowledgeWhenIdle} : std::uint16_t{0};
  static_assert(kAcknowledgeSoon > kAcknowledgeWhenIdle);
  return std::max(
      {pool,
       flags_by_room(frames.held, outbound_.frame_limit(frames), stream.records_since_asked() + 1),
       flags_by_room(stream.frame_bytes() + bytes, options_.retained_bytes,
                     stream.frame_bytes_since_asked() + bytes)});
}

// Passes the record to the kernel as far as it accepts it; the rest waits. `flags`: of its piece.
PostStatus DirectTransport::send(DirectConnection& connection, Outbound& record,
                                 std::uint16_t flags) {
  // Nothing is sent on a new connection before the loss has been reported.
  if (connection.is_ending || peers_[connection.peer].failed || connection.outbound.is_full())
    return PostStatus::kWouldBlock;
  if (record.keeps_memory) {
    if (!ended_.has_room()) return PostStatus::kWouldBlock;
    ended_.begin();
  }
  const bool waits = connection.outbound.waits() || !connection.fd.is_open();
  record.lent = false;
  connection.outbound.append(record, flags);
  if (!waits) begin_sending(connection);
  return PostStatus::kOk;
}

// Passes the rest of the next record to the kernel. False: it accepts no more now.
bool DirectTransport::pass_on(DirectConnection& connection) {
  const std::span<const iovec> parts = connection.outbound.next(connection.stream->position());
  std::size_t offered = 0;
  for (const iovec& part : parts) offered += part.iov_len;
  const ssize_t sent = send_to(connection.fd.get(), parts);
  if (sent < 0) {
    // The next poll() deals with the loss, after what has arrived until now.
    if (errno != EAGAIN) [[unlikely]]
      stop_sending(connection);
    return false;
  }
  connection.unread_quarters = 0;
  if (connection.received_unacknowledged() == 0) connection.owed.sent();
  const Outbound* const left = connection.outbound.accepted(static_cast<std::size_t>(sent));
  if (left != nullptr && left->is_message) left_.add(connection.peer, peers_[connection.peer].left);
  return static_cast<std::size_t>(sent) == offered;
}

Result<Registration> DirectTransport::register_memory(PeerId peer, std::span<std::byte> memory,
                                                      Access access) {
  lock_.is_held();
  if (access == Access::kWriteSource) return Registration{};  // the source needs no registration
  const Registration made = targets_.add(peer, memory);
  ++peers_[peer].targets;
  return made;
}

void DirectTransport::deregister_memory(const Registration& region) {
  lock_.is_held();
  if (const PeerId peer = targets_.remove(region); peer != kNoPeer) --peers_[peer].targets;
}

bool DirectTransport::expect_placement(PeerId id, PlacementKey key, std::span<std::byte> memory) {
  lock_.is_held();
  LINTEL_ASSERT(is_placement_key(key));
  DirectPeer& peer = peers_[id];
  if (!placement_enabled_ || peer.expects || memory.empty()) return false;
  peer.expects = true;
  peer.expected = key;
  peer.landing = memory;
  return true;
}

Withdrawal DirectTransport::withdraw_placement(PeerId id) {
  lock_.is_held();
  DirectPeer& peer = peers_[id];
  if (!peer.expects) return Withdrawal::kNone;
  if (peer.connection != nullptr && peer.connection->is_expected) return Withdrawal::kArriving;
  peer.expects = false;
  return Withdrawal::kWithdrawn;
}

// What the kernel has accepted is lost if its connection is. Only the peer's acknowledgement, or
// the end of its stream, says that nothing has to be sent again. A caller that has proved nothing
// may never say it, so nobody waits for it.
bool DirectTransport::close(TimePoint) {
  lock_.is_held();
  closing_ = true;
  handshakes_.close();
  return std::ranges::none_of(connections_.all(), [](const auto& connection) {
    const OutboundStream& outbound = connection->outbound;
    const bool waits_for_peer = connection->can_resume() && !connection->is_of_unproved_caller();
    return connection->has_streams() && (waits_for_peer ? !outbound.empty() : outbound.waits());
  });
}

std::string DirectTransport::describe(PeerId id) const {
  lock_.is_held();
  const DirectPeer& peer = peers_[id];
  std::string text =
      "connection to " + to_string(peer.name.nid) + " pid " + std::to_string(peer.name.pid.value);
  if (is_suspended(peer))
    return text + " was lost and is to be resumed: " + peer.connection->suspension.loss().reason();
  if (peer.connection != nullptr) return text + " is open";
  return text + (peer.connecting != nullptr ? " is being made"
                 : peer.attempt.waiting     ? " is tried again"
                                            : " is not there");
}

void DirectTransport::dump(std::string& text) const {
  lock_.is_held();
  const auto line = [&text](const char* what, std::uint64_t number) {
    text += std::string("  ") + what + ": " + std::to_string(number) + "\n";
  };
  text += "direct at " + to_string(self().nid) + " pid " + std::to_string(self().pid.value) + "\n";
  line("peers", peers_.named());
  line("connections", open_count_);
  line("connections being made", handshakes_.under_way());
  line("messages unacknowledged or lent", outbound_.frames_taken());
  line("writes unacknowledged", outbound_.writes_taken());
  line("registrations", targets_.size());
  line("payloads that arrive unexpected", unexpected_.in_use());
  line("connections in the middle of a piece", buffers_.in_use());
  line("refused connections", counters_.refused_connections);
  line("contested connections", counters_.contested);
  line("simultaneous connects", counters_.simultaneous_connects);
  line("broken streams", counters_.broken_streams);
  line("lost connections", counters_.interrupted);
  line("resumed connections", counters_.resumed);
  line("failed receives", counters_.failed_receives);
  line("connections ended for lack of memory", counters_.without_memory);
  line("failed writes", counters_.failed_writes);
}

}  // namespace lintel::transport
