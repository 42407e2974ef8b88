// libFuzzer entry: messages, immediates and completions of a hostile network into the engine of a process that has entries, descriptors and operations
// under way. The input is a list of commands (see Fuzz::step); most build messages that get far, with tokens and handles that the engine itself has sent.
//
// Held: nothing is read or written where it may not be (sanitizers), every discarded message is counted once under one cause, and when all peers are
// gone nothing is left: no operation, no registered memory, no event owed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "portals/api3/library.h"
#include "portals/engine/process.h"
#include "portals/engine/wire_codec.h"
#include "portals3.h"
#include "tests/fuzz/held_transport.h"

namespace {

using namespace lintel;
using lintel::testing::HeldTransport;
namespace wire = lintel::portals::wire;

constexpr ProcessId kSelf{NodeId{1}, Pid{1}};
constexpr std::array<ProcessId, 2> kPeers{{{NodeId{2}, Pid{1}}, {NodeId{2}, Pid{2}}}};
constexpr std::size_t kMemory = 8192;
constexpr std::size_t kEagerLimit = 256;
constexpr ptl_process_id_t kAnyone{PTL_NID_ANY, PTL_PID_ANY};

void require(bool condition) {
  if (!condition) std::abort();
}

TimePoint no_time(const void*) { return {}; }

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = (value << 8) | byte();
    return value;
  }
  std::vector<std::byte> bytes(std::size_t length) {
    length = std::min(length, rest_.size());
    std::vector<std::byte> out(length);
    if (length > 0) std::memcpy(out.data(), rest_.data(), length);
    rest_ = rest_.subspan(length);
    return out;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

class Fuzz {
 public:
  Fuzz(const std::uint8_t* data, std::size_t size);
  ~Fuzz();
  void run();

 private:
  void step();
  void send_request(wire::MessageKind kind, std::uint8_t shape);
  void send_response(wire::MessageKind kind);
  void send_clear();
  void answer_sent();
  void call();
  void poll();
  void check_registers();
  void finish();

  std::uint64_t length();
  std::uint64_t offset();
  std::size_t peer() { return input_.byte() % kPeers.size(); }
  const HeldTransport::Sent* pick();
  std::uint64_t token();
  template <class Fixed>
  void deliver(std::size_t from, Fixed fixed, const std::vector<std::byte>& payload);

  Input input_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(kMemory);
  HeldTransport* transport_ = nullptr;
  portals::Process process_;
  std::optional<api3::ScopedProcess> scoped_;
  ptl_handle_ni_t ni_ = PTL_INVALID_HANDLE;
  ptl_handle_eq_t queue_ = PTL_EQ_NONE;
  std::vector<ptl_md_iovec_t> pieces_;
  std::vector<ptl_handle_md_t> sources_;  // bound, for operations that start here
  std::uint64_t malformed_ = 0;           // messages handed over that parse_header refuses
};

Fuzz::Fuzz(const std::uint8_t* data, std::size_t size)
    : input_(data, size),
      process_(
          {.endpoint = {.eager_limit = kEagerLimit, .max_operations = 64},
           .spin = Nanoseconds(0),
           .linger = Nanoseconds(0),
           .user = UserId(1000),
           .job = JobId(7),
           .progress_thread = false},
          [this](Pid, std::string&) -> Result<std::unique_ptr<transport::Transport>> {
            auto held = std::make_unique<HeldTransport>(kSelf, std::vector<ProcessId>(kPeers.begin(), kPeers.end()));
            transport_ = held.get();
            return std::unique_ptr<transport::Transport>(std::move(held));
          },
          no_time, nullptr) {
  scoped_.emplace(process_);
  require(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni_) == PTL_OK);
  require(PtlEQAlloc(ni_, 8, PTL_EQ_HANDLER_NONE, &queue_) == PTL_OK);
  for (std::size_t place = 0; place + 700 < kMemory; place += 1400) pieces_.push_back({memory_.data() + place, 700 - place % 512});
  const unsigned all = PTL_MD_OP_PUT | PTL_MD_OP_GET;
  struct Entry {
    ptl_match_bits_t bits;
    ptl_match_bits_t ignore;
    ptl_md_t md;
    ptl_unlink_t unlink;
  };
  const Entry entries[] = {
      {1, 0, {memory_.data(), kMemory, PTL_MD_THRESH_INF, 0, all | PTL_MD_MANAGE_REMOTE, nullptr, queue_}, PTL_RETAIN},
      {2, 0, {memory_.data(), kMemory / 2, PTL_MD_THRESH_INF, 0, all | PTL_MD_TRUNCATE, nullptr, queue_}, PTL_RETAIN},
      {3,
       0,
       {pieces_.data(), pieces_.size(), PTL_MD_THRESH_INF, 0, all | PTL_MD_IOVEC | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE, nullptr, queue_},
       PTL_RETAIN},
      {4, 0, {memory_.data(), kMemory, 3, 0, all | PTL_MD_MANAGE_REMOTE, nullptr, queue_}, PTL_UNLINK},
      {5, 0, {memory_.data(), kMemory, PTL_MD_THRESH_INF, 512, all | PTL_MD_MAX_SIZE, nullptr, queue_}, PTL_UNLINK},
      {0, ~ptl_match_bits_t{7}, {memory_.data(), 64, PTL_MD_THRESH_INF, 0, all | PTL_MD_ACK_DISABLE, nullptr, PTL_EQ_NONE}, PTL_RETAIN},
  };
  for (const Entry& entry : entries) {
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
    require(PtlMEAttach(ni_, 4, kAnyone, entry.bits, entry.ignore, PTL_UNLINK, PTL_INS_AFTER, &me) == PTL_OK);
    require(PtlMDAttach(me, entry.md, entry.unlink, nullptr) == PTL_OK);
  }
  for (const ptl_size_t bytes : {ptl_size_t{16}, ptl_size_t{4000}}) {
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    require(PtlMDBind(ni_, {memory_.data() + 64, bytes, PTL_MD_THRESH_INF, 0, 0, nullptr, queue_}, PTL_RETAIN, &md) == PTL_OK);
    sources_.push_back(md);
  }
  ptl_handle_md_t scattered = PTL_INVALID_HANDLE;
  require(PtlMDBind(ni_, {pieces_.data(), pieces_.size(), PTL_MD_THRESH_INF, 0, PTL_MD_IOVEC, nullptr, queue_}, PTL_RETAIN, &scattered) ==
          PTL_OK);
  sources_.push_back(scattered);
}

Fuzz::~Fuzz() {
  scoped_.reset();
  process_.close_all();
}

void Fuzz::run() {
  while (!input_.empty()) step();
  finish();
}

void Fuzz::step() {
  const std::uint8_t command = input_.byte();
  switch (command % 16) {
    case 0: {
      const std::size_t from = peer();
      std::vector<std::byte> message = input_.bytes(input_.byte());
      if (!wire::parse_header(message)) ++malformed_;
      transport_->arrives(from, std::move(message));
      break;
    }
    case 1: send_request(wire::MessageKind::kPut, command >> 4); break;
    case 2: send_request(wire::MessageKind::kGet, command >> 4); break;
    case 3: send_request(wire::MessageKind::kGetPut, command >> 4); break;
    case 4: send_response(wire::MessageKind::kAck); break;
    case 5: send_response(wire::MessageKind::kReply); break;
    case 6: send_clear(); break;
    case 7: deliver(peer(), wire::Written{{1, 17, 0, 0, 0}, token(), input_.byte()}, {}); break;
    case 8: deliver(peer(), wire::Discard{{1, 18, 0, 0, 0}, token()}, {}); break;
    case 9: {
      const HeldTransport::Sent* sent = pick();
      const auto header = sent != nullptr ? wire::parse_header(sent->bytes) : std::nullopt;
      const bool clear = header && header->kind == static_cast<std::uint8_t>(wire::MessageKind::kClear);
      transport_->immediate_arrives(clear ? wire::parse_clear(sent->bytes).immediate | (command & 0x80 ? 1U << 31 : 0)
                                          : static_cast<std::uint32_t>(input_.number()));
      break;
    }
    case 10:
      if (transport_->writes_under_way() > 0) {
        const std::size_t index = input_.byte() % transport_->writes_under_way();
        transport_->end_write(index, command & 0x80 ? Error(Loss::kPeer, "test", "the write failed") : Error());
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

// Lengths around everything that has a limit.
std::uint64_t Fuzz::length() {
  static constexpr std::uint64_t kLengths[] = {0,    1,    16,      kEagerLimit, kEagerLimit + 1,  700,
                                               1024, 1025, kMemory, kMemory + 1, ~std::uint64_t{0}};
  const std::uint8_t choice = input_.byte();
  return choice < 200 ? kLengths[choice % std::size(kLengths)] : input_.number();
}

std::uint64_t Fuzz::offset() {
  static constexpr std::uint64_t kOffsets[] = {0, 0, 1, 699, kMemory - 1, kMemory, ~std::uint64_t{0}, ~std::uint64_t{0} - 15};
  return kOffsets[input_.byte() % std::size(kOffsets)];
}

const HeldTransport::Sent* Fuzz::pick() {
  return transport_->sent.empty() ? nullptr : &transport_->sent[transport_->sent.size() - 1 - input_.byte() % transport_->sent.size()];
}

// One that the engine has named in a message, or any.
std::uint64_t Fuzz::token() {
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

template <class Fixed>
void Fuzz::deliver(std::size_t from, Fixed fixed, const std::vector<std::byte>& payload) {
  fixed.header.payload_length = static_cast<std::uint32_t>(payload.size());
  const std::size_t fixed_size = wire::fixed_size(fixed.header);
  std::vector<std::byte> message(fixed_size + payload.size());
  wire::encode(fixed, message.data());
  if (!payload.empty()) std::memcpy(message.data() + fixed_size, payload.data(), payload.size());
  if (!wire::parse_header(message)) ++malformed_;
  transport_->arrives(from, std::move(message));
}

void Fuzz::send_request(wire::MessageKind kind, std::uint8_t shape) {
  const std::size_t from = peer();
  wire::Request request{};
  const bool announced = kind == wire::MessageKind::kPut && (shape & 1) != 0;
  const bool ack = kind == wire::MessageKind::kPut && (shape & 2) != 0;
  const bool tracked = kind != wire::MessageKind::kPut || (shape & 4) == 0;
  const unsigned flags = (announced ? wire::kFlagAnnounced : 0U) | (ack ? wire::kFlagAckWanted : 0U) | (tracked ? wire::kFlagTracked : 0U);
  request.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(flags), 0, 0};
  request.initiator_nid = kPeers[from].nid.value;
  request.initiator_pid = kPeers[from].pid.value;
  request.user = (shape & 8) != 0 ? input_.byte() : 1000;
  request.job = 7;
  request.target_nid = kSelf.nid.value;
  request.target_pid = kSelf.pid.value;
  request.portal_index = (shape & 8) != 0 ? input_.byte() : 4;
  request.cookie = (shape & 8) != 0 ? input_.byte() : 0;
  request.match_bits = input_.byte() % 8;
  request.offset = offset();
  request.length = length();
  request.md_handle = kind == wire::MessageKind::kPut && !ack ? wire::kNoDescriptor : input_.byte();
  request.md_generation = input_.byte();
  request.return_offset = kind == wire::MessageKind::kPut ? 0 : offset();
  request.sender_token = input_.byte();
  const bool carries = kind == wire::MessageKind::kGetPut || (kind == wire::MessageKind::kPut && !announced);
  deliver(from, request, std::vector<std::byte>(carries && request.length <= 2048 ? request.length : 0));
}

// To a request that the engine has sent, changed here and there.
void Fuzz::send_response(wire::MessageKind kind) {
  const HeldTransport::Sent* sent = pick();
  const auto header = sent != nullptr ? wire::parse_header(sent->bytes) : std::nullopt;
  wire::Response response{};
  std::size_t from = peer();
  const std::uint8_t choice = input_.byte();
  if (header && header->kind <= static_cast<std::uint8_t>(wire::MessageKind::kGetPut)) {
    const bool request_sent = header->kind != 2 && header->kind != 4;
    if (request_sent) {
      const wire::Request request = wire::parse_request(sent->bytes);
      if ((choice & 1) == 0) from = sent->peer;
      response.md_handle = request.md_handle;
      response.md_generation = request.md_generation;
      response.requested_length = request.length;
      response.return_offset = request.return_offset;
      response.request_token = request.sender_token;
    }
  }
  if ((choice & 2) != 0) response.md_handle = input_.byte();
  if ((choice & 4) != 0) response.return_offset = offset();
  if ((choice & 8) != 0) response.requested_length = length();
  response.manipulated_length = (choice & 16) != 0 ? std::min(length(), response.requested_length) : response.requested_length;
  const bool announced = kind == wire::MessageKind::kReply && (choice & 32) != 0;
  response.header = {wire::kMessageVersion, static_cast<std::uint8_t>(kind),
                     static_cast<std::uint8_t>(announced ? wire::kFlagAnnounced : 0), 0, 0};
  response.initiator_nid = kPeers[from].nid.value;
  response.initiator_pid = kPeers[from].pid.value;
  response.target_nid = kSelf.nid.value;
  response.target_pid = kSelf.pid.value;
  response.sender_token = announced ? input_.byte() : 0;
  const bool carries = kind == wire::MessageKind::kReply && !announced;
  deliver(from, response, std::vector<std::byte>(carries && response.manipulated_length <= 4096 ? response.manipulated_length : 0));
}

void Fuzz::send_clear() {
  wire::Clear clear{};
  const std::size_t from = peer();
  clear.header = {wire::kMessageVersion, static_cast<std::uint8_t>(wire::MessageKind::kClear), 0, 0, 0};
  clear.source_token = token();
  clear.receiver_token = input_.byte();
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

// Echoes one of the engine's own messages to it: a peer that has gone mad.
void Fuzz::answer_sent() {
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

// What the program itself does meanwhile. Any answer will do but a crash.
void Fuzz::call() {
  const std::uint8_t choice = input_.byte();
  const ptl_handle_md_t md = sources_[choice / 8U % sources_.size()];
  const ProcessId& name = kPeers[choice & 1];
  const ptl_process_id_t target{name.nid.value, name.pid.value};
  ptl_event_t event;
  switch (choice % 7) {
    case 0: static_cast<void>(PtlPut(md, PTL_ACK_REQ, target, 4, 0, 1, 0, 9)); break;
    case 1: static_cast<void>(PtlPut(md, PTL_NO_ACK_REQ, target, 4, 0, 1, 0, 9)); break;
    case 2: static_cast<void>(PtlGet(md, target, 4, 0, 1, 0)); break;
    case 3: static_cast<void>(PtlGetPut(md, sources_[0], target, 4, 0, 1, 0, 9)); break;
    case 4:
      while (PtlEQGet(queue_, &event) != PTL_EQ_EMPTY) {
      }
      break;
    case 5: {  // a handle of any age
      ptl_md_t now{};
      static_cast<void>(PtlMDUpdate(md, &now, nullptr, PTL_EQ_NONE));
      if (PtlMDUnlink(md) == PTL_OK) {
        ptl_handle_md_t again = PTL_INVALID_HANDLE;
        require(PtlMDBind(ni_, now, PTL_RETAIN, &again) == PTL_OK);
        sources_[choice / 8U % sources_.size()] = again;
      }
      break;
    }
    default: {
      ptl_handle_me_t me = PTL_INVALID_HANDLE;
      require(PtlMEAttach(ni_, 4, kAnyone, choice % 8, 0, PTL_UNLINK, PTL_INS_BEFORE, &me) == PTL_OK);
      require(PtlMDAttach(me, {memory_.data() + 1, 600, 1, 0, PTL_MD_OP_PUT | PTL_MD_OP_GET, nullptr, queue_}, PTL_UNLINK, nullptr) ==
              PTL_OK);
      break;
    }
  }
}

void Fuzz::poll() {
  const MutexLock lock(process_.lock());
  process_.progress().advance();
}

void Fuzz::check_registers() {
  ptl_sr_value_t total = 0;
  ptl_sr_value_t sum = 0;
  ptl_sr_value_t malformed = 0;
  require(PtlNIStatus(ni_, PTL_SR_DROP_COUNT, &total) == PTL_OK);
  require(PtlNIStatus(ni_, PTL_SR_DROP_MALFORMED, &malformed) == PTL_OK);
  for (ptl_sr_index_t reg = PTL_SR_DROP_PT_INDEX; reg <= PTL_SR_DROP_MALFORMED; ++reg) {
    ptl_sr_value_t value = 0;
    require(PtlNIStatus(ni_, reg, &value) == PTL_OK);
    sum += value;
  }
  require(total == sum);
  require(malformed >= malformed_);
}

// All peers are lost: nothing is under way any more, and nothing is owed.
void Fuzz::finish() {
  poll();
  check_registers();
  transport_->room = true;
  poll();
  for (std::size_t i = 0; i < kPeers.size(); ++i) transport_->peer_fails(i);
  poll();
  transport_->end_all_writes();
  poll();
  require(transport_->regions() == 0);
  require(transport_->watched() == 0);
  ptl_event_t event;
  while (PtlEQGet(queue_, &event) != PTL_EQ_EMPTY) {
  }
  ptl_md_t now{};
  require(PtlMDUpdate(sources_[0], &now, nullptr, PTL_EQ_NONE) == PTL_OK);
  require(PtlMDUpdate(sources_[0], nullptr, &now, queue_) == PTL_OK);  // the queue is empty and nobody owes it an event
  for (const ptl_handle_md_t md : sources_) require(PtlMDUnlink(md) == PTL_OK);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fuzz(data, size).run();
  return 0;
}
