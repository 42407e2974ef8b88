#pragma once
// Handles: one move-only owner for each kind of libfabric object. open() makes the object and the
// destructor closes it, once only. If fi_close answers "busy", it is not called again, because the
// provider has then freed part of the object; the object is leaked and this is logged.
//
// Used by FabricTransport and the classes beside it. An object must be destroyed before the one it
// was opened from: declare members parent first.
// Thread: that of the owner. A handle has no lock and does not keep its parent alive.

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"

namespace lintel::transport {

// Closes `object` and logs a warning if that fails. `kind` is a literal such as "fi_domain".
void close_object(fid* object, const char* kind) noexcept;

// Owns one object that has a `struct fid` as its member `fid`, as all libfabric objects have.
template <class Object>
class OfiHandle {
 public:
  OfiHandle() = default;
  OfiHandle(OfiHandle&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), kind_(other.kind_) {}
  OfiHandle& operator=(OfiHandle&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
      kind_ = other.kind_;
    }
    return *this;
  }
  ~OfiHandle() { reset(); }

  Object* raw() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void reset() noexcept {
    if (Object* object = std::exchange(object_, nullptr); object != nullptr)
      close_object(&object->fid, kind_);
  }

 protected:
  OfiHandle(Object* object, const char* kind) : object_(object), kind_(kind) {}

 private:
  Object* object_ = nullptr;
  const char* kind_ = "";
};

// The answer of fi_getinfo: a list of offers. Not a fid: freed, not closed.
class OfiInfo {
 public:
  OfiInfo() = default;
  explicit OfiInfo(fi_info* list) : list_(list) {}
  OfiInfo(OfiInfo&& other) noexcept : list_(std::exchange(other.list_, nullptr)) {}
  OfiInfo& operator=(OfiInfo&& other) noexcept {
    std::swap(list_, other.list_);
    return *this;
  }
  ~OfiInfo() {
    if (list_ != nullptr) fi_freeinfo(list_);
  }
  fi_info* raw() const { return list_; }

 private:
  fi_info* list_ = nullptr;
};

class OfiFabric : public OfiHandle<fid_fabric> {
 public:
  OfiFabric() = default;
  static Result<OfiFabric> open(const fi_info& info);

 private:
  explicit OfiFabric(fid_fabric* object) : OfiHandle(object, "fi_fabric") {}
};

class OfiDomain : public OfiHandle<fid_domain> {
 public:
  OfiDomain() = default;
  static Result<OfiDomain> open(const OfiFabric& fabric, fi_info& info);

 private:
  explicit OfiDomain(fid_domain* object) : OfiHandle(object, "fi_domain") {}
};

class OfiCompletionQueue : public OfiHandle<fid_cq> {
 public:
  OfiCompletionQueue() = default;
  // Format FI_CQ_FORMAT_DATA. `wait_object`: FI_WAIT_FD or FI_WAIT_NONE.
  static Result<OfiCompletionQueue> open(const OfiDomain& domain, std::size_t entries,
                                         fi_wait_obj wait_object);

 private:
  explicit OfiCompletionQueue(fid_cq* object) : OfiHandle(object, "fi_cq") {}
};

class OfiAddressVector : public OfiHandle<fid_av> {
 public:
  OfiAddressVector() = default;
  static Result<OfiAddressVector> open(const OfiDomain& domain);

 private:
  explicit OfiAddressVector(fid_av* object) : OfiHandle(object, "fi_av") {}
};

class OfiEndpoint : public OfiHandle<fid_ep> {
 public:
  OfiEndpoint() = default;
  // Opened and bound, not yet enabled.
  static Result<OfiEndpoint> open(const OfiDomain& domain, fi_info& info,
                                  const OfiCompletionQueue& completions,
                                  const OfiAddressVector& addresses);

 private:
  explicit OfiEndpoint(fid_ep* object) : OfiHandle(object, "fi_endpoint") {}
};

class OfiMemoryRegion : public OfiHandle<fid_mr> {
 public:
  OfiMemoryRegion() = default;
  // `access`: FI_SEND, FI_RECV, FI_WRITE, FI_REMOTE_WRITE. The memory must outlive the region.
  static Result<OfiMemoryRegion> open(const OfiDomain& domain, const void* memory,
                                      std::size_t bytes, std::uint64_t access, std::uint64_t key);
  // For FI_MR_ENDPOINT: required before the region is used.
  Error bind_and_enable(const OfiEndpoint& endpoint);
  void* descriptor() const { return raw() != nullptr ? fi_mr_desc(raw()) : nullptr; }
  std::uint64_t key() const { return fi_mr_key(raw()); }

 private:
  explicit OfiMemoryRegion(fid_mr* object) : OfiHandle(object, "fi_mr") {}
};

}  // namespace lintel::transport
