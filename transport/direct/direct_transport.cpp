// All but poll(), which is in direct_polling.cpp.
#include "transport/direct/direct_transport.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "transport/direct/sockets.h"

namespace lintel::transport {
namespace {

// 64 KiB of data and the headers of the layers above
constexpr std::size_t kSuitableMessageBytes = 68 * 1024;

std::size_t message_bytes(const NetworkOptions& options) {
  return options.max_message_bytes != 0 ? options.max_message_bytes : kSuitableMessageBytes;
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
    : tables_(options, message_bytes(options)),
      handshakes_(tables_.options, *this, tables_.peers, tables_.records, tables_.events,
                  tables_.buffers, tables_.counters),
      sender_(tables_),
      connections_(tables_, sender_, handshakes_),
      receiver_(tables_, sender_, connections_),
      stuck_peers_(tables_, sender_, connections_) {
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
  if (const Error error = tables_.events.open(); !error.ok()) return error;
  const Error error = handshakes_.listen();
  self_ = handshakes_.self();
  return error;
}

DirectTransport::~DirectTransport() {
  lock_.is_held();
  for (const auto& connection : tables_.records.all()) sender_.end_sending(*connection);
}

Result<PeerId> DirectTransport::resolve(ProcessId name) {
  lock_.is_held();
  if (const PeerId known = tables_.peers.find(name); known != kNoPeer) return known;
  if (name == self())
    return Error{Loss::kOperation, "resolve", "a process does not connect to itself"};
  if (const Result<sockaddr_in> address = socket_address_of(name, tables_.options.port_base);
      !address)
    return address.error();
  return tables_.peers.add(name, [this](std::size_t peers) {
    lock_.is_held();
    tables_.failed.reserve(peers);
    tables_.left.reserve(peers);
    handshakes_.reserve(peers);
    constexpr std::size_t kOwn = SendShare::kOwnFrames + SendShare::kOwnWrites;
    tables_.ended.reserve(tables_.options.send_frames + tables_.options.max_writes + kOwn * peers);
  });
}

void DirectTransport::forget(PeerId id) {
  lock_.is_held();
  if (!tables_.peers[id].is_in_use()) tables_.peers.forget(id);
}

MessageBuffer DirectTransport::reserve(PeerId peer, std::size_t bytes) {
  lock_.is_held();
  LINTEL_ASSERT(bytes <= attributes_.max_message_bytes);
  DirectPeer& to = tables_.peers[peer];
  const bool keeps_much = to.frames.held >= SendShare::kOwnFrames && to.connection != nullptr &&
                          to.connection->outbound.frame_bytes() >= tables_.options.retained_bytes;
  Outbound* const frame =
      tables_.closing || keeps_much ? nullptr : tables_.outbound.take_frame(to.frames);
  if (frame == nullptr) return {};
  frame->lent = true;
  return {frame->memory, attributes_.max_message_bytes, frame->index};
}

PostStatus DirectTransport::commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) {
  lock_.is_held();
  Outbound& frame = tables_.outbound.at(buffer.token);
  LINTEL_ASSERT(frame.lent && bytes <= attributes_.max_message_bytes);
  DirectConnection* const connection = connections_.to(peer);
  if (connection == nullptr) return PostStatus::kWouldBlock;
  std::byte* const begin = buffer.data - sizeof(PieceHeader);
  const std::uint16_t flags = sender_.flags_of_frame(*connection, sizeof(PieceHeader) + bytes);
  encode(begin, PieceHeader{static_cast<std::uint32_t>(bytes),
                            static_cast<std::uint8_t>(PieceKind::kMessage), 0, flags});
  frame.parts[0] = {begin, sizeof(PieceHeader) + bytes};
  frame.parts[1] = {};
  frame.is_message = true;
  frame.keeps_memory = false;  // it may have been used for commit_placed() before
  return sender_.send(*connection, frame, flags);
}

void DirectTransport::abandon(PeerId, const MessageBuffer& buffer) {
  lock_.is_held();
  Outbound& frame = tables_.outbound.at(buffer.token);
  LINTEL_ASSERT(frame.lent);
  tables_.outbound.give_back(frame);
}

PostStatus DirectTransport::commit_placed(PeerId peer, const MessageBuffer& buffer,
                                          std::size_t bytes, std::span<const std::byte> payload,
                                          PlacementKey key, Context context) {
  lock_.is_held();
  Outbound& frame = tables_.outbound.at(buffer.token);
  LINTEL_ASSERT(frame.lent && bytes <= attributes_.max_placed_message && is_placement_key(key));
  LINTEL_ASSERT(!payload.empty() && payload.size() <= attributes_.max_placed_bytes);
  DirectConnection* const connection = connections_.to(peer);
  if (connection == nullptr) return PostStatus::kWouldBlock;
  constexpr std::size_t kHead = sizeof(PieceHeader) + sizeof(PlacedHeader);
  static_assert(OutboundStream::kHeadroom + kHead <= OutboundTable::kHeadroom);
  std::byte* const begin = buffer.data - kHead;
  const auto flags = static_cast<std::uint16_t>(kAcknowledgeWhenIdle |
                                                sender_.flags_of_frame(*connection, kHead + bytes));
  encode(begin, PieceHeader{static_cast<std::uint32_t>(payload.size()),
                            static_cast<std::uint8_t>(PieceKind::kPlaced),
                            static_cast<std::uint8_t>(bytes), flags});
  encode(begin + sizeof(PieceHeader), PlacedHeader{key.value});
  frame.parts[0] = {begin, kHead + bytes};
  frame.parts[1] = {const_cast<std::byte*>(payload.data()), payload.size()};  // never written
  frame.is_message = frame.keeps_memory = true;
  frame.context = context;
  return sender_.send(*connection, frame, flags);
}

PostStatus DirectTransport::post_write(PeerId peer, const LocalMemory& from, RemoteMemory to,
                                       Immediate immediate, Context context) {
  lock_.is_held();
  LINTEL_ASSERT(from.length > 0 && from.length <= attributes_.max_write_bytes);
  DirectConnection* const connection = connections_.to(peer);
  Outbound* const write =
      connection != nullptr ? tables_.outbound.take_write(tables_.peers[peer].writes) : nullptr;
  if (write == nullptr) return PostStatus::kWouldBlock;
  const std::uint16_t flags = sender_.flags_of_write(*connection);
  std::byte* const head = write->write_head + OutboundStream::kHeadroom;
  encode(head, PieceHeader{static_cast<std::uint32_t>(from.length),
                           static_cast<std::uint8_t>(PieceKind::kWrite), 0, flags});
  encode(head + sizeof(PieceHeader), WriteHeader{to.key, to.address, immediate.value, 0});
  write->parts[0] = {head, sizeof(PieceHeader) + sizeof(WriteHeader)};
  write->parts[1] = {const_cast<std::byte*>(from.data), from.length};
  write->keeps_memory = true;
  write->context = context;
  const PostStatus status = sender_.send(*connection, *write, flags);
  if (status != PostStatus::kOk) tables_.outbound.give_back(*write);
  return status;
}

// ---- What the owner knows of a peer

// A connection that was resumed is still the one that it began as.
ConnectionBinding DirectTransport::binding(PeerId id) const {
  lock_.is_held();
  const DirectConnection* const connection = tables_.peers[id].connection;
  return connection == nullptr ? ConnectionBinding() : connection->binding;
}

void DirectTransport::allow_resumption(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  DirectConnection* const connection = tables_.peers[id].connection;
  if (connection != nullptr && !connection->is_admitted) connection->key = key;
}

void DirectTransport::admit(PeerId id, const ResumptionKey& key) {
  lock_.is_held();
  DirectPeer& peer = tables_.peers[id];
  DirectConnection* const connection = peer.connection;
  if (connection == nullptr) return;
  connection->is_admitted = true;
  tables_.outbound.set_apart(peer.frames, false);
  connection->key = key;
  handshakes_.admitted(*connection);
}

void DirectTransport::interrupt(PeerId id) {
  lock_.is_held();
  const DirectConnection* const connection = tables_.peers[id].connection;
  // The next poll() notices it.
  if (connection != nullptr && connection->fd.is_open()) reset_connection(connection->fd.get());
}

void DirectTransport::interrupt_if_silent(PeerId id) {
  lock_.is_held();
  const DirectConnection* const connection = tables_.peers[id].connection;
  if (connection != nullptr && connection->fd.is_open() &&
      silence_of(connection->fd.get()) >= tables_.options.output_timeout / kOutputQuarters)
    interrupt(id);
}

void DirectTransport::disconnect(PeerId id) {
  lock_.is_held();
  connections_.disconnect(id);
}

// ---- Memory of the owner

Result<Registration> DirectTransport::register_memory(PeerId peer, std::span<std::byte> memory,
                                                      Access access) {
  lock_.is_held();
  if (access == Access::kWriteSource) return Registration{};  // the source needs no registration
  const Registration made = tables_.targets.add(peer, memory);
  ++tables_.peers[peer].targets;
  return made;
}

void DirectTransport::deregister_memory(const Registration& region) {
  lock_.is_held();
  if (const PeerId peer = tables_.targets.remove(region); peer != kNoPeer)
    --tables_.peers[peer].targets;
}

bool DirectTransport::expect_placement(PeerId id, PlacementKey key, std::span<std::byte> memory) {
  lock_.is_held();
  LINTEL_ASSERT(is_placement_key(key));
  DirectPeer& peer = tables_.peers[id];
  if (!tables_.placement_enabled || peer.expects || memory.empty()) return false;
  peer.expects = true;
  peer.expected = key;
  peer.landing = memory;
  return true;
}

Withdrawal DirectTransport::withdraw_placement(PeerId id) {
  lock_.is_held();
  DirectPeer& peer = tables_.peers[id];
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
  tables_.closing = true;
  handshakes_.close();
  return std::ranges::none_of(tables_.records.all(), [](const auto& connection) {
    const OutboundStream& outbound = connection->outbound;
    const bool waits_for_peer = connection->can_resume() && !connection->is_of_unproved_caller();
    return connection->has_streams() && (waits_for_peer ? !outbound.empty() : outbound.waits());
  });
}

std::string DirectTransport::describe(PeerId id) const {
  lock_.is_held();
  const DirectPeer& peer = tables_.peers[id];
  std::string text =
      "connection to " + to_string(peer.name.nid) + " pid " + std::to_string(peer.name.pid.value);
  if (is_suspended(peer))
    return text + " was lost and is to be resumed: " + peer.connection->suspension.loss().reason();
  if (peer.connection != nullptr) return text + " is open";
  return text + (peer.connecting != nullptr ? " is being made"
                 : peer.attempt.waiting     ? " is tried again"
                                            : " is not there");
}

bool DirectTransport::has_spare_connection() {
  lock_.is_held();
  const InboundStream::PieceLimits limits{
      attributes_.max_message_bytes, attributes_.max_write_bytes, attributes_.max_placed_bytes};
  return tables_.records.has_spare(limits, [this](std::size_t connections) {
    lock_.is_held();
    tables_.ending.reserve(connections);
    tables_.stalled.reserve(connections);
    sender_.reserve(connections);
    connections_.reserve(connections);
    receiver_.reserve(connections);
  });
}

void DirectTransport::dump(std::string& text) const {
  lock_.is_held();
  const auto line = [&text](const char* what, std::uint64_t number) {
    text += std::string("  ") + what + ": " + std::to_string(number) + "\n";
  };
  text += "direct at " + to_string(self().nid) + " pid " + std::to_string(self().pid.value) + "\n";
  line("peers", tables_.peers.named());
  line("connections", tables_.open_count);
  line("connections being made", handshakes_.under_way());
  line("messages unacknowledged or lent", tables_.outbound.frames_taken());
  line("writes unacknowledged", tables_.outbound.writes_taken());
  line("registrations", tables_.targets.size());
  line("payloads that arrive unexpected", tables_.unexpected.in_use());
  line("connections in the middle of a piece", tables_.buffers.in_use());
  line("refused connections", tables_.counters.refused_connections);
  line("contested connections", tables_.counters.contested);
  line("simultaneous connects", tables_.counters.simultaneous_connects);
  line("broken streams", tables_.counters.broken_streams);
  line("lost connections", tables_.counters.interrupted);
  line("resumed connections", tables_.counters.resumed);
  line("failed receives", tables_.counters.failed_receives);
  line("connections ended for lack of memory", tables_.counters.without_memory);
  line("failed writes", tables_.counters.failed_writes);
}

}  // namespace lintel::transport
