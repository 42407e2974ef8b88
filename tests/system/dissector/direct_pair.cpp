#include "direct_pair.h"

#include <cstring>
#include <stdexcept>

namespace lintel::test {
namespace {

using transport::DirectTransport;
using transport::PostStatus;

template <class T>
T required(const char* call, Result<T> result) {
  if (!result) throw std::runtime_error(std::string(call) + ": " + result.error().reason());
  return std::move(result).value();
}

std::unique_ptr<DirectTransport> open(const std::string& host, std::uint16_t port) {
  transport::NetworkOptions options;
  options.interface_address = host;
  options.pid = Pid(port);  // a pid of 1024 or more is the port
  return required("DirectTransport::open", DirectTransport::open(options));
}

}  // namespace

DirectPair::DirectPair(const LoopbackPorts& ports) {
  sides_[0].transport = open(ports.host, ports.initiator);
  sides_[1].transport = open(ports.host, ports.target);
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    sides_[i].other =
        required("resolve", sides_[i].transport->resolve(sides_[1 - i].transport->self()));
    sides_[i].memory.resize(kPairBytes);
  }
}

// Posts until it is accepted, then polls both sides until `from` has sent it and `to` has it.
template <class Post>
void DirectPair::post_and_wait(Side& from, Side& to, Post post) {
  const TimePoint end = monotonic_now() + kPairDeadline;
  const std::size_t sent = from.sent + 1;
  const std::size_t arrived = to.arrived + 1;
  bool posted = false;
  while (!posted || from.sent < sent || to.arrived < arrived) {
    if (monotonic_now() > end) throw std::runtime_error("not there within 10 s");
    if (!posted) posted = post() == PostStatus::kOk;
    for (Side& side : sides_) {
      side.transport->poll(monotonic_now(), side);
      if (!side.loss.empty()) throw std::runtime_error("lost: " + side.loss);
    }
  }
}

void DirectPair::send(std::size_t index, std::span<const std::byte> bytes) {
  Side& from = sides_[index];
  const transport::MessageBuffer buffer = from.transport->reserve(from.other, bytes.size());
  if (!buffer) throw std::runtime_error("no room for a message");
  std::memcpy(buffer.data, bytes.data(), bytes.size());
  post_and_wait(from, sides_[1 - index],
                [&] { return from.transport->commit(from.other, buffer, bytes.size()); });
}

void DirectPair::write_to_target(std::span<const std::byte> bytes, std::uint32_t immediate) {
  Side& from = sides_[0];
  Side& to = sides_[1];
  const transport::Registration target =
      required("register_memory",
               to.transport->register_memory(to.other, to.memory, transport::Access::kWriteTarget));
  std::memcpy(from.memory.data(), bytes.data(), bytes.size());
  const std::span<std::byte> source(from.memory.data(), bytes.size());
  const transport::Registration region = required(
      "register_memory",
      from.transport->register_memory(from.other, source, transport::Access::kWriteSource));
  post_and_wait(from, to, [&] {
    return from.transport->post_write(from.other, {source.data(), source.size(), region},
                                      {target.key, target.base}, transport::Immediate(immediate),
                                      transport::Context(1));
  });
  from.transport->deregister_memory(region);
  to.transport->deregister_memory(target);
}

}  // namespace lintel::test
