#include "transport/fabric/frame_memory.h"

#include <rdma/fabric.h>

#include <utility>

namespace lintel::transport {

Error FrameMemory::add(std::size_t frame_bytes, std::size_t frames) {
  Result<BufferSlab> slab = BufferSlab::allocate(frame_bytes, frames);
  if (!slab) return slab.error();
  slabs_.push_back(std::move(slab).value());
  return {};
}

Error FrameMemory::register_last(MemoryRegistrar& registrar, const OfiDomain& domain,
                                 const OfiEndpoint& endpoint) {
  return slabs_.back().register_with(registrar, domain, endpoint, FI_SEND);
}

void FrameMemory::keep(std::size_t frames) {
  while (slabs_.size() > place_of(frames - 1).slab + 1) slabs_.pop_back();
}

void FrameMemory::forget_registrations() {
  for (BufferSlab& slab : slabs_) slab.forget_registration();
}

FrameMemory::FramePlace FrameMemory::place_of(std::size_t index) const {
  const std::size_t first = slabs_.front().count();
  if (index < first) [[likely]]
    return {0, index};
  const std::size_t each = slabs_.back().count();
  return {1 + (index - first) / each, (index - first) % each};
}

std::byte* FrameMemory::frame(std::size_t index) const {
  const FramePlace place = place_of(index);
  return slabs_[place.slab].buffer(place.buffer);
}

void FrameMemory::release(std::size_t index) const {
  const FramePlace place = place_of(index);
  slabs_[place.slab].release(place.buffer);
}

void* FrameMemory::descriptor(std::size_t index) const {
  return slabs_[place_of(index).slab].descriptor();
}

}  // namespace lintel::transport
