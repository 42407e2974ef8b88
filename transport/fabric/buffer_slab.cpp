#include "transport/fabric/buffer_slab.h"

#include <sys/mman.h>

#include <cerrno>

namespace lintel::transport {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

Result<BufferSlab> BufferSlab::allocate(std::size_t buffer_bytes, std::size_t count) {
  const std::size_t rounded = (buffer_bytes + kPage - 1) / kPage * kPage;
  void* memory =
      ::mmap(nullptr, rounded * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return Error{Loss::kInterface, "mmap", "no memory for message buffers", errno};
  return BufferSlab(static_cast<std::byte*>(memory), rounded, count);
}

BufferSlab::~BufferSlab() {
  region_.reset();
  if (memory_ != nullptr) ::munmap(memory_, buffer_bytes_ * count_);
}

Error BufferSlab::register_with(MemoryRegistrar& registrar, const OfiDomain& domain,
                                const OfiEndpoint& endpoint, std::uint64_t access) {
  if (!registrar.rules().needs_local_descriptor) return {};
  Result<OfiMemoryRegion> region =
      registrar.open(domain, endpoint, memory_, buffer_bytes_ * count_, access);
  if (!region) return region.error();
  region_ = std::move(region).value();
  return {};
}

void BufferSlab::release(std::size_t index) const {
  if (region_) return;  // the provider knows these pages
  ::madvise(buffer(index), buffer_bytes_, MADV_DONTNEED);
}

}  // namespace lintel::transport
