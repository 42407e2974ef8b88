#pragma once
// FrameMemory: the memory of a FabricTransport's send frames: that of the pool, and what was added
// for peers for which the pool had nothing left.
//
// Owned by FabricTransport, which destroys it after the endpoint, because a provider may read
// frames until then. Frames do not move. keep() and release() give the memory of frames that nobody
// uses back before.

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "transport/fabric/buffer_slab.h"

namespace lintel::transport {

class FrameMemory {
 public:
  // Adds memory for `frames` more frames. All additions but the first have the same number.
  // Error (kInterface): no memory.
  Error add(std::size_t frame_bytes, std::size_t frames);
  // Registers what was added last, if the provider needs it. Once, before it is used.
  Error register_last(MemoryRegistrar& registrar, const OfiDomain& domain,
                      const OfiEndpoint& endpoint);
  // Removes what was added for frames beyond the first `frames`, of which there are at least 1.
  void keep(std::size_t frames);
  void forget_registrations();

  // Of a frame that nobody uses, see BufferSlab.
  void release(std::size_t index) const;

  std::byte* frame(std::size_t index) const;
  void* descriptor(std::size_t index) const;  // nullptr if none is needed

 private:
  struct FramePlace {
    std::size_t slab;
    std::size_t buffer;
  };
  FramePlace place_of(std::size_t index) const;

  std::vector<BufferSlab> slabs_;
};

}  // namespace lintel::transport
