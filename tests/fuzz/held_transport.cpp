#include "tests/fuzz/held_transport.h"

#include <cstring>
#include <utility>

#include "base/assert.h"

namespace lintel::testing {

using namespace transport;

HeldTransport::HeldTransport(ProcessId self, std::vector<ProcessId> peers)
    : self_(self), peers_(std::move(peers)) {
  attributes_ = {.name = "held",
                 .version = "1",
                 .max_message_bytes = 4096,
                 .max_write_bytes = 3000,
                 .knows_source = true,
                 .independent_reservations = true};
}

HeldTransport::~HeldTransport() { LINTEL_ASSERT(lent_.empty() && regions_.empty()); }

namespace {

// Allocates exactly the size, so that a read beyond the end is detected.
class Exact {
 public:
  explicit Exact(const std::vector<std::byte>& bytes)
      : size_(bytes.size()), bytes_(new std::byte[size_]) {
    if (size_ > 0) std::memcpy(bytes_.get(), bytes.data(), size_);
  }
  std::span<const std::byte> span() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::shared_ptr<std::byte[]> bytes_;
};

}  // namespace

void HeldTransport::arrives(std::size_t peer, std::vector<std::byte> message) {
  queue_.push_back([peer, bytes = Exact(message)](Sink& sink) {
    sink.on_message(PeerId(static_cast<std::uint32_t>(peer)), bytes.span());
  });
}

void HeldTransport::placed_arrives(std::size_t peer, std::vector<std::byte> message,
                                   std::vector<std::byte> payload, std::uint64_t length) {
  queue_.push_back([peer, bytes = Exact(message), data = Exact(payload), length](Sink& sink) {
    sink.on_placed_message(PeerId(static_cast<std::uint32_t>(peer)), bytes.span(),
                           {data.span(), length});
  });
}

void HeldTransport::immediate_arrives(std::uint32_t value) {
  queue_.push_back([value](Sink& sink) { sink.on_immediate(kNoPeer, Immediate(value)); });
}

void HeldTransport::peer_fails(std::size_t peer) {
  queue_.push_back([peer](Sink& sink) {
    sink.on_peer_failed(PeerId(static_cast<std::uint32_t>(peer)),
                        Error(Loss::kPeer, "test", "the peer is lost"));
  });
}

void HeldTransport::end_write(std::size_t index, Error error) {
  const Context context = writes_[index];
  writes_.erase(writes_.begin() + static_cast<std::ptrdiff_t>(index));
  queue_.push_back([context, error](Sink& sink) { sink.on_write_done(context, error); });
}

void HeldTransport::end_all_writes() {
  while (!writes_.empty()) end_write(0, Error());
}

Result<PeerId> HeldTransport::resolve(ProcessId name) {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (peers_[i] == name) return PeerId(static_cast<std::uint32_t>(i));
  }
  return Error(Loss::kOperation, "resolve", "no such peer");
}

MessageBuffer HeldTransport::reserve(PeerId, std::size_t bytes) {
  LINTEL_ASSERT(bytes <= attributes_.max_message_bytes);
  if (!room) return {};
  std::vector<std::byte>& buffer = lent_[++token_];
  buffer.resize(bytes);
  return {buffer.data(), bytes, token_};
}

PostStatus HeldTransport::commit(PeerId peer, const MessageBuffer& buffer, std::size_t bytes) {
  LINTEL_ASSERT(lent_.contains(buffer.token) && bytes <= buffer.capacity);
  sent.push_back({peer.value, std::move(lent_.extract(buffer.token).mapped())});
  sent.back().bytes.resize(bytes);
  if (sent.size() > kKept) sent.pop_front();
  return PostStatus::kOk;
}

void HeldTransport::abandon(PeerId, const MessageBuffer& buffer) {
  LINTEL_ASSERT(lent_.erase(buffer.token) == 1);
}

Result<Registration> HeldTransport::register_memory(PeerId, std::span<std::byte> memory, Access) {
  if (refuses_memory) return Error(Loss::kOperation, "register_memory", "no room");
  for (std::size_t i = 0; i < memory.size(); i += 64) touched_ += static_cast<unsigned>(memory[i]);
  regions_.insert(++region_);
  return Registration{region_, 8, reinterpret_cast<std::uintptr_t>(memory.data())};
}

void HeldTransport::deregister_memory(const Registration& region) {
  LINTEL_ASSERT(regions_.erase(region.id) == 1);
}

PostStatus HeldTransport::post_write(PeerId, const LocalMemory& from, RemoteMemory, Immediate,
                                     Context context) {
  LINTEL_ASSERT(from.length > 0 && from.length <= attributes_.max_write_bytes &&
                regions_.contains(from.region.id));
  if (!room) return PostStatus::kWouldBlock;
  for (std::size_t i = 0; i < from.length; ++i) touched_ += static_cast<unsigned>(from.data[i]);
  writes_.push_back(context);
  return PostStatus::kOk;
}

void HeldTransport::watch(PeerId, bool watched) {
  LINTEL_ASSERT(watched || watched_ > 0);
  watched_ += watched ? 1 : std::size_t(-1);
}

std::size_t HeldTransport::poll(TimePoint, Sink& sink) {
  std::size_t reports = 0;
  for (; !queue_.empty(); ++reports) {
    const Report report = std::move(queue_.front());
    queue_.pop_front();
    report(sink);
  }
  return reports;
}

}  // namespace lintel::testing
