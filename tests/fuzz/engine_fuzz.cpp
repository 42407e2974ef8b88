#include "tests/fuzz/engine_fuzz.h"

#include <algorithm>

#include "portals/engine/memory/atomic_operation.h"

namespace lintel::testing {
namespace {

TimePoint no_time(const void*) { return {}; }

bool is_request(const wire::MessageHeader& header) {
  switch (static_cast<wire::MessageKind>(header.kind)) {
    case wire::MessageKind::kPut:
    case wire::MessageKind::kGet:
    case wire::MessageKind::kGetPut:
    case wire::MessageKind::kAtomic:
    case wire::MessageKind::kFetchAtomic:
    case wire::MessageKind::kSwap: return true;
    default: return false;
  }
}

// The CLEAR that the message is or contains.
std::optional<wire::Clear> clear_in(std::span<const std::byte> message) {
  const auto header = wire::parse_header(message);
  if (!header) return std::nullopt;
  if (header->kind == static_cast<std::uint8_t>(wire::MessageKind::kClear))
    return wire::parse_clear(message);
  if ((header->flags & wire::kFlagCleared) != 0)
    return wire::parse_clear(wire::payload_of(message, *header));
  return std::nullopt;
}

}  // namespace

EngineFuzz::EngineFuzz(const std::uint8_t* data, std::size_t size, std::size_t max_operations)
    : input_(data, size),
      process_(
          {.endpoint = {.eager_limit = kEagerLimit,
                        .max_operations = max_operations,
                        .random_seed = 1},
           .spin = Nanoseconds(0),
           .linger = Nanoseconds(0),
           .user = UserId(1000),
           .job = JobId(7),
           .progress_thread = false},
          [this](Pid, std::string&) -> Result<std::unique_ptr<transport::Transport>> {
            auto held = std::make_unique<HeldTransport>(
                kSelf, std::vector<ProcessId>(kPeers.begin(), kPeers.end()));
            transport_ = held.get();
            return std::unique_ptr<transport::Transport>(std::move(held));
          },
          no_time, nullptr) {
  scoped_.emplace(process_);
}

EngineFuzz::~EngineFuzz() {
  scoped_.reset();
  process_.close_all();
}

void EngineFuzz::step() {
  const std::uint8_t command = input_.byte();
  switch (command % 16) {
    case 0: {
      const std::size_t from = peer();
      std::vector<std::byte> message = input_.bytes(input_.byte());
      if ((command & 0x80) != 0) {
        send_placed(from, std::move(message), input_.byte());
        break;
      }
      if (!wire::parse_header(message)) ++malformed_;
      transport_->arrives(from, std::move(message));
      break;
    }
    case 1:
    case 2:
    case 3: send_request(request_kind(command % 16, command >> 4), command >> 4); break;
    case 4: send_response(wire::MessageKind::kAck); break;
    case 5: send_response(wire::MessageKind::kReply); break;
    case 6: send_clear(); break;
    case 7: deliver(peer(), wire::Written{{1, 17, 0, 0, 0}, token(), input_.byte()}, {}); break;
    case 8: deliver(peer(), wire::Discard{{1, 18, 0, 0, 0}, token()}, {}); break;
    case 9: {
      const HeldTransport::Sent* sent = pick();
      const std::optional<wire::Clear> clear =
          sent != nullptr ? clear_in(sent->bytes) : std::nullopt;
      transport_->immediate_arrives(clear ? clear->immediate | (command & 0x80 ? 1U << 31 : 0)
                                          : static_cast<std::uint32_t>(input_.number()));
      break;
    }
    case 10:
      if (transport_->writes_under_way() > 0) {
        const std::size_t index = input_.byte() % transport_->writes_under_way();
        transport_->end_write(
            index, command & 0x80 ? Error(Loss::kPeer, "test", "the write failed") : Error());
      }
      break;
    case 11: transport_->peer_fails(peer()); break;
    case 12: call(); break;
    case 13:
      transport_->room = (command & 0x10) != 0;
      transport_->refuses_memory = (command & 0x60) == 0x60;
      break;
    case 14: poll(); break;
    case 15: answer_sent(); break;
    default: break;
  }
  if ((command & 0x40) == 0) poll();
}

// Lengths close to every limit.
std::uint64_t EngineFuzz::length() {
  static constexpr std::uint64_t kLengths[] = {
      0,    1,    16,      kEagerLimit, kEagerLimit + 1,  700,
      1024, 1025, kMemory, kMemory + 1, ~std::uint64_t{0}};
  const std::uint8_t choice = input_.byte();
  return choice < 200 ? kLengths[choice % std::size(kLengths)] : input_.number();
}

std::uint64_t EngineFuzz::offset() {
  static constexpr std::uint64_t kOffsets[] = {
      0, 0, 1, 699, kMemory - 1, kMemory, ~std::uint64_t{0}, ~std::uint64_t{0} - 15};
  return kOffsets[input_.byte() % std::size(kOffsets)];
}

const HeldTransport::Sent* EngineFuzz::pick() {
  return transport_->sent.empty()
             ? nullptr
             : &transport_
                    ->sent[transport_->sent.size() - 1 - input_.byte() % transport_->sent.size()];
}

// A token that the engine has sent in a message, or any number.
std::uint64_t EngineFuzz::token() {
  const HeldTransport::Sent* sent = pick();
  const auto header = sent != nullptr ? wire::parse_header(sent->bytes) : std::nullopt;
  if (!header || input_.byte() > 240) return input_.number();
  switch (static_cast<wire::MessageKind>(header->kind)) {
    case wire::MessageKind::kPut:
    case wire::MessageKind::kGet:
    case wire::MessageKind::kGetPut:
    case wire::MessageKind::kAtomic:
    case wire::MessageKind::kFetchAtomic:
    case wire::MessageKind::kSwap: return wire::parse_request(sent->bytes).sender_token;
    case wire::MessageKind::kAck:
    case wire::MessageKind::kReply: return wire::parse_response(sent->bytes).sender_token;
    case wire::MessageKind::kClear: return wire::parse_clear(sent->bytes).receiver_token;
    case wire::MessageKind::kWritten: return wire::parse_written(sent->bytes).receiver_token;
    case wire::MessageKind::kDiscard: return wire::parse_discard(sent->bytes).token;
  }
  return 0;
}

// Usually with as much payload as its put announces. Part of it may have found no room.
void EngineFuzz::send_placed(std::size_t from, std::vector<std::byte> message,
                             std::uint64_t length) {
  const std::uint8_t choice = input_.byte();
  if (choice >= 240) length = input_.number();
  const std::uint64_t room = (choice & 1) != 0 ? length / 2 : length;
  transport_->placed_arrives(from, std::move(message),
                             std::vector<std::byte>(std::min<std::uint64_t>(room, 2048)), length);
}

template <class Fixed>
void EngineFuzz::deliver(std::size_t from, Fixed fixed, const std::vector<std::byte>& payload) {
  fixed.header.payload_length = static_cast<std::uint32_t>(payload.size());
  const std::size_t fixed_size = wire::fixed_size(fixed.header);
  std::vector<std::byte> message(fixed_size + payload.size());
  wire::encode(fixed, message.data());
  if (!payload.empty()) std::memcpy(message.data() + fixed_size, payload.data(), payload.size());
  if (!wire::parse_header(message)) ++malformed_;
  transport_->arrives(from, std::move(message));
}

void EngineFuzz::send_request(wire::MessageKind kind, std::uint8_t shape) {
  const std::size_t from = peer();
  wire::Request request{};
  const bool put_like = kind == wire::MessageKind::kPut || kind == wire::MessageKind::kAtomic;
  const bool combines = kind == wire::MessageKind::kAtomic ||
                        kind == wire::MessageKind::kFetchAtomic || kind == wire::MessageKind::kSwap;
  const bool announced = kind == wire::MessageKind::kPut && (shape & 1) != 0;
  const bool ack = put_like && (shape & 2) != 0;
  const bool tracked = !put_like || (shape & 4) == 0;
  const unsigned flags = (announced ? wire::kFlagAnnounced : 0U) |
                         (ack ? wire::kFlagAckWanted : 0U) | (tracked ? wire::kFlagTracked : 0U);
  request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind),
                    static_cast<std::uint8_t>(flags), 0, 0};
  request.initiator_nid = kPeers[from].nid.value;
  request.initiator_pid = kPeers[from].pid.value;
  request.user = (shape & 8) != 0 ? input_.byte() : 1000;
  request.job = 7;
  request.target_nid = kSelf.nid.value;
  request.target_pid = kSelf.pid.value;
  aim(request);
  if ((shape & 8) != 0) request.portal_index = input_.byte();
  request.cookie = (shape & 8) != 0 ? input_.byte() : 0;
  request.match_bits = input_.byte() % 8;
  request.offset = offset();
  request.length = length();
  request.md_handle = put_like && !ack ? wire::kNoDescriptor : input_.byte();
  request.md_generation = input_.byte();
  request.return_offset = put_like ? 0 : offset();
  request.sender_token = input_.byte();
  if (combines) {
    request.atomic_operation = input_.byte() % 19;
    request.atomic_datatype = input_.byte() % 15;
    // Usually whole elements, and exactly one where the operation allows only one.
    const auto datatype = static_cast<portals::AtomicDatatype>(request.atomic_datatype);
    const std::uint64_t element =
        request.atomic_datatype < portals::kDatatypes ? portals::size_of(datatype) : 1;
    const std::uint8_t elements = input_.byte();
    if (elements < 200) request.length = element * (elements % 8 == 0 ? 1 : elements);
  }
  if (kind == wire::MessageKind::kGet && (shape & 1) != 0 &&
      request.header.interface_kind != portals::kPortals3Kind) {
    request.header.flags |= wire::kFlagCleared;
    deliver(from, request, clear_of_get(request));
    return;
  }
  if (announced && (input_.byte() & 1) != 0) {
    std::vector<std::byte> message(wire::fixed_size(request.header));
    wire::encode(request, message.data());
    return send_placed(from, std::move(message), request.length);
  }
  const bool carries = combines || kind == wire::MessageKind::kGetPut ||
                       (kind == wire::MessageKind::kPut && !announced);
  deliver(from, request,
          std::vector<std::byte>(carries && request.length <= 2048 ? request.length : 0));
}

// One to four segments. Sometimes they do not fit their get.
std::vector<std::byte> EngineFuzz::clear_of_get(const wire::Request& get) {
  const std::uint8_t choice = input_.byte();
  wire::Clear clear{};
  clear.receiver_token = input_.byte();
  clear.immediate = static_cast<std::uint32_t>(clear.receiver_token);
  clear.length = choice < 0xf8 ? get.length : length();
  clear.segment_count = choice % 4 + 1U;
  const std::size_t segment_bytes = clear.segment_count * sizeof(wire::Segment);
  clear.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kClear),
                  static_cast<std::uint8_t>(choice == 0xf0 ? wire::kFlagMore : 0),
                  static_cast<std::uint8_t>(get.header.interface_kind ^ (choice == 0xf1 ? 1 : 0)),
                  static_cast<std::uint32_t>(segment_bytes)};
  std::vector<std::byte> bytes(sizeof clear + segment_bytes);
  wire::encode(clear, bytes.data());
  std::uint64_t left = clear.length;
  for (std::uint32_t i = 0; i < clear.segment_count; ++i) {
    const wire::Segment segment{i, 0, i + 1 < clear.segment_count ? left / 2 : left};
    left -= segment.length;
    wire::encode(segment, bytes.data() + sizeof clear + i * sizeof segment);
  }
  return bytes;
}

// Answers a request that the engine has sent, with some fields changed.
void EngineFuzz::send_response(wire::MessageKind kind) {
  const HeldTransport::Sent* sent = pick();
  const auto header = sent != nullptr ? wire::parse_header(sent->bytes) : std::nullopt;
  wire::Response response{};
  std::size_t from = peer();
  const std::uint8_t choice = input_.byte();
  if (header && is_request(*header)) {
    const wire::Request request = wire::parse_request(sent->bytes);
    if ((choice & 1) == 0) from = sent->peer;
    response.md_handle = request.md_handle;
    response.md_generation = request.md_generation;
    response.requested_length = request.length;
    response.return_offset = request.return_offset;
    response.request_token = request.sender_token;
  }
  const std::uint8_t interface_kind = header ? header->interface_kind : portals::kPortals3Kind;
  if ((choice & 2) != 0) response.md_handle = input_.byte();
  if ((choice & 4) != 0) response.return_offset = offset();
  if ((choice & 8) != 0) response.requested_length = length();
  response.manipulated_length = (choice & 16) != 0 ? std::min(length(), response.requested_length)
                                                   : response.requested_length;
  if (interface_kind != portals::kPortals3Kind) {
    response.list = (choice & 64) != 0 ? 1 : 0;
    if ((choice & 128) != 0) {
      response.failure = input_.byte() % 10;
      response.manipulated_length = 0;
    }
  }
  const bool announced = kind == wire::MessageKind::kReply && (choice & 32) != 0;
  response.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind),
                     static_cast<std::uint8_t>(announced ? wire::kFlagAnnounced : 0),
                     interface_kind, 0};
  response.initiator_nid = kPeers[from].nid.value;
  response.initiator_pid = kPeers[from].pid.value;
  response.target_nid = kSelf.nid.value;
  response.target_pid = kSelf.pid.value;
  response.sender_token = announced ? input_.byte() : 0;
  const bool carries = kind == wire::MessageKind::kReply && !announced;
  deliver(from, response,
          std::vector<std::byte>(
              carries && response.manipulated_length <= 4096 ? response.manipulated_length : 0));
}

void EngineFuzz::send_clear() {
  wire::Clear clear{};
  const std::size_t from = peer();
  clear.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kClear), 0, 0,
                  0};
  clear.source_token = token();
  clear.receiver_token = input_.byte();
  if ((clear.receiver_token & 1) != 0) clear.header.flags = wire::kFlagMore;
  clear.immediate = static_cast<std::uint32_t>(input_.number());
  clear.segment_count = input_.byte() % 5 + 1U;
  std::vector<std::byte> segments(clear.segment_count * sizeof(wire::Segment));
  for (std::uint32_t i = 0; i < clear.segment_count; ++i) {
    const wire::Segment segment{input_.byte(), input_.byte(), length()};
    clear.length += segment.length;
    wire::encode(segment, segments.data() + i * sizeof segment);
  }
  deliver(from, clear, segments);
}

// Sends one of the engine's own messages back to it, as a broken peer might.
void EngineFuzz::answer_sent() {
  const HeldTransport::Sent* sent = pick();
  if (sent == nullptr) return;
  std::vector<std::byte> message = sent->bytes;
  const std::size_t from = sent->peer;
  for (int changes = input_.byte() % 4; changes > 0 && !message.empty(); --changes) {
    const std::size_t place = input_.byte() % message.size();
    message[place] = static_cast<std::byte>(input_.byte());
  }
  if (!wire::parse_header(message)) ++malformed_;
  transport_->arrives(from, std::move(message));
}

void EngineFuzz::poll() {
  const MutexLock lock(process_.lock());
  process_.progress().advance();
}

void EngineFuzz::lose_all_peers() {
  transport_->room = true;
  poll();
  // Triggered operations may have waited for the room of operations that end now.
  for (int rounds = 100; rounds > 0; --rounds) {
    for (std::size_t i = 0; i < kPeers.size(); ++i) transport_->peer_fails(i);
    poll();
    transport_->end_all_writes();
    poll();
    if (transport_->watched() == 0) break;
  }
  require(transport_->regions() == 0);
  require(transport_->watched() == 0);
}

}  // namespace lintel::testing
