#pragma once
// Owns one fi_* object and closes it exactly once. Declare owners parent first (fabric, domain,
// queue, endpoint), so that children close before what they depend on.

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace lintel::bench {

// A failed libfabric call, as a message.
class FabricError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws when `code`, the return value of `call`, is negative.
inline void check(long code, const char* call) {
  if (code < 0)
    throw FabricError(std::string(call) + " failed: " + fi_strerror(static_cast<int>(-code)) + ".");
}

template <class T>
struct CloseFabricObject {
  void operator()(T* object) const { fi_close(&object->fid); }
};
template <class T>
using FabricObject = std::unique_ptr<T, CloseFabricObject<T>>;

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using InfoList = std::unique_ptr<fi_info, FreeInfo>;

}  // namespace lintel::bench
