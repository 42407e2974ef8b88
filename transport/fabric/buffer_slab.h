#pragma once
// BufferSlab: page-aligned memory divided into message buffers of equal length, registered if the
// provider needs it.
//
// Owned by FabricTransport, which destroys it after the endpoint, because a provider may write into
// posted buffers until then. Pages that were not used cost no memory.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"
#include "transport/fabric/handles.h"
#include "transport/fabric/memory_registrar.h"

namespace lintel::transport {

class BufferSlab {
 public:
  BufferSlab() = default;
  BufferSlab(BufferSlab&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        buffer_bytes_(other.buffer_bytes_),
        count_(other.count_),
        region_(std::move(other.region_)) {}
  BufferSlab& operator=(BufferSlab&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(buffer_bytes_, other.buffer_bytes_);
    std::swap(count_, other.count_);
    std::swap(region_, other.region_);
    return *this;
  }
  ~BufferSlab();

  // Error (kInterface): no memory.
  static Result<BufferSlab> allocate(std::size_t buffer_bytes, std::size_t count);

  // Registers the buffers with the provider if its rules ask for it. `access`: FI_SEND or FI_RECV.
  // Call once, before the buffers are used.
  Error register_with(MemoryRegistrar& registrar, const OfiDomain& domain,
                      const OfiEndpoint& endpoint, std::uint64_t access);
  void forget_registration() { region_.reset(); }

  // Gives the pages of a buffer that nobody uses back to the system, unless they are registered. It
  // gets others when it is used again.
  void release(std::size_t index) const;

  std::byte* buffer(std::size_t index) const { return memory_ + index * buffer_bytes_; }
  std::size_t buffer_bytes() const { return buffer_bytes_; }
  std::size_t count() const { return count_; }
  void* descriptor() const { return region_.descriptor(); }  // nullptr if none is needed

 private:
  BufferSlab(std::byte* memory, std::size_t buffer_bytes, std::size_t count)
      : memory_(memory), buffer_bytes_(buffer_bytes), count_(count) {}
  std::byte* memory_ = nullptr;
  std::size_t buffer_bytes_ = 0;
  std::size_t count_ = 0;
  OfiMemoryRegion region_;  // destroyed before the memory is unmapped, see the destructor
};

}  // namespace lintel::transport
