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
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), kind_(other.kind_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
      kind_ = other.kind_;
    }
    return *this;
  }
  ~Handle() { reset(); }

  Object* raw() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  void reset() noexcept {
    if (Object* object = std::exchange(object_, nullptr); object != nullptr)
      close_object(&object->fid, kind_);
  }

 protected:
  Handle(Object* object, const char* kind) : object_(object), kind_(kind) {}

 private:
  Object* object_ = nullptr;
  const char* kind_ = "";
};

// The answer of fi_getinfo: a list of offers. Not a fid: freed, not closed.
class Info {
 public:
  Info() = default;
  explicit Info(fi_info* list) : list_(list) {}
  Info(Info&& other) noexcept : list_(std::exchange(other.list_, nullptr)) {}
  Info& operator=(Info&& other) noexcept {
    std::swap(list_, other.list_);
    return *this;
  }
  ~Info() {
    if (list_ != nullptr) fi_freeinfo(list_);
  }
  fi_info* raw() const { return list_; }

 private:
  fi_info* list_ = nullptr;
};

class Fabric : public Handle<fid_fabric> {
 public:
  Fabric() = default;
  static Result<Fabric> open(const fi_info& info);

 private:
  explicit Fabric(fid_fabric* object) : Handle(object, "fi_fabric") {}
};

class Domain : public Handle<fid_domain> {
 public:
  Domain() = default;
  static Result<Domain> open(const Fabric& fabric, fi_info& info);

 private:
  explicit Domain(fid_domain* object) : Handle(object, "fi_domain") {}
};

class CompletionQueue : public Handle<fid_cq> {
 public:
  CompletionQueue() = default;
  // Format FI_CQ_FORMAT_DATA. `wait_object`: FI_WAIT_FD or FI_WAIT_NONE.
  static Result<CompletionQueue> open(const Domain& domain, std::size_t entries,
                                      fi_wait_obj wait_object);

 private:
  explicit CompletionQueue(fid_cq* object) : Handle(object, "fi_cq") {}
};

class AddressVector : public Handle<fid_av> {
 public:
  AddressVector() = default;
  static Result<AddressVector> open(const Domain& domain);

 private:
  explicit AddressVector(fid_av* object) : Handle(object, "fi_av") {}
};

class Endpoint : public Handle<fid_ep> {
 public:
  Endpoint() = default;
  // Opened and bound, not yet enabled.
  static Result<Endpoint> open(const Domain& domain, fi_info& info,
                               const CompletionQueue& completions, const AddressVector& addresses);

 private:
  explicit Endpoint(fid_ep* object) : Handle(object, "fi_endpoint") {}
};

class MemoryRegion : public Handle<fid_mr> {
 public:
  MemoryRegion() = default;
  // `access`: FI_SEND, FI_RECV, FI_WRITE, FI_REMOTE_WRITE. The memory must outlive the region.
  static Result<MemoryRegion> open(const Domain& domain, const void* memory, std::size_t bytes,
                                   std::uint64_t access, std::uint64_t key);
  // For FI_MR_ENDPOINT: required before the region is used.
  Error bind_and_enable(const Endpoint& endpoint);
  void* descriptor() const { return raw() != nullptr ? fi_mr_desc(raw()) : nullptr; }
  std::uint64_t key() const { return fi_mr_key(raw()); }

 private:
  explicit MemoryRegion(fid_mr* object) : Handle(object, "fi_mr") {}
};

}  // namespace lintel::transport
