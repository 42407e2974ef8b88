#include "transport/direct/write_targets.h"

namespace lintel::transport {

Registration WriteTargets::add(PeerId peer, std::span<std::byte> memory) {
  Registration made{next_id_, 0, 0};
  do {
    made.key = keys_.next();
  } while (!targets_.emplace(made.key, WriteTarget{memory, peer}).second);
  ++next_id_;
  return made;
}

PeerId WriteTargets::remove(const Registration& region) {
  const auto target = region.id == 0 ? targets_.end() : targets_.find(region.key);
  if (target == targets_.end()) return kNoPeer;
  if (target->second.writer != nullptr) target->second.writer->cut_write();
  const PeerId peer = target->second.peer;
  targets_.erase(target);
  return peer;
}

std::byte* WriteTargets::begin_write(PeerId peer, RemoteMemory where, std::size_t length,
                                     InboundStream& stream) {
  const auto target = targets_.find(where.key);
  if (target == targets_.end() || target->second.peer != peer) return nullptr;
  const std::span<std::byte> memory = target->second.memory;
  if (where.address > memory.size() || length > memory.size() - where.address) return nullptr;
  target->second.writer = &stream;
  return memory.data() + where.address;
}

void WriteTargets::end_write(std::uint64_t key, const InboundStream& stream) {
  const auto target = targets_.find(key);
  if (target != targets_.end() && target->second.writer == &stream) target->second.writer = nullptr;
}

}  // namespace lintel::transport
