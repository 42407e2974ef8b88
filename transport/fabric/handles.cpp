#include "transport/fabric/handles.h"

#include <rdma/fi_errno.h>

#include "base/log.h"

namespace lintel::transport {
namespace {

Error failed(const char* call, const char* reason, int status) {
  return {Loss::kInterface, call, reason, -status};
}

}  // namespace

void close_object(fid* object, const char* kind) noexcept {
  const int status = fi_close(object);
  if (status != 0)
    LINTEL_LOG(kWarn, "%s is left open, closing it failed: %s", kind, fi_strerror(-status));
}

Result<OfiFabric> OfiFabric::open(const fi_info& info) {
  fid_fabric* object = nullptr;
  if (const int status = fi_fabric(info.fabric_attr, &object, nullptr); status != 0) {
    return failed("fi_fabric", "the provider cannot be opened", status);
  }
  return OfiFabric(object);
}

Result<OfiDomain> OfiDomain::open(const OfiFabric& fabric, fi_info& info) {
  fid_domain* object = nullptr;
  if (const int status = fi_domain(fabric.raw(), &info, &object, nullptr); status != 0) {
    return failed("fi_domain", "the network device cannot be opened", status);
  }
  return OfiDomain(object);
}

Result<OfiCompletionQueue> OfiCompletionQueue::open(const OfiDomain& domain, std::size_t entries,
                                                    fi_wait_obj wait_object) {
  fi_cq_attr attributes{};
  attributes.size = entries;
  attributes.format = FI_CQ_FORMAT_DATA;
  attributes.wait_obj = wait_object;
  fid_cq* object = nullptr;
  if (const int status = fi_cq_open(domain.raw(), &attributes, &object, nullptr); status != 0) {
    return failed("fi_cq_open", "no completion queue of the wanted kind", status);
  }
  return OfiCompletionQueue(object);
}

Result<OfiAddressVector> OfiAddressVector::open(const OfiDomain& domain) {
  fi_av_attr attributes{};
  attributes.type = FI_AV_TABLE;  // libfabric 2 no longer has FI_AV_MAP
  fid_av* object = nullptr;
  if (const int status = fi_av_open(domain.raw(), &attributes, &object, nullptr); status != 0) {
    return failed("fi_av_open", "no address table", status);
  }
  return OfiAddressVector(object);
}

Result<OfiEndpoint> OfiEndpoint::open(const OfiDomain& domain, fi_info& info,
                                      const OfiCompletionQueue& completions,
                                      const OfiAddressVector& addresses) {
  fid_ep* object = nullptr;
  if (const int status = fi_endpoint(domain.raw(), &info, &object, nullptr); status != 0) {
    const char* reason = status == -FI_EADDRINUSE ? "the port is in use by another process"
                         : status == -FI_EADDRNOTAVAIL
                             ? "the address belongs to no interface of this machine"
                         : status == -FI_EACCES ? "this user may not listen on the port"
                                                : "no endpoint";
    return failed("fi_endpoint", reason, status);
  }
  OfiEndpoint endpoint(object);
  if (const int status = fi_ep_bind(object, &addresses.raw()->fid, 0); status != 0) {
    return failed("fi_ep_bind", "the address table does not fit the endpoint", status);
  }
  if (const int status = fi_ep_bind(object, &completions.raw()->fid, FI_TRANSMIT | FI_RECV);
      status != 0) {
    return failed("fi_ep_bind", "the completion queue does not fit the endpoint", status);
  }
  return endpoint;
}

Result<OfiMemoryRegion> OfiMemoryRegion::open(const OfiDomain& domain, const void* memory,
                                              std::size_t bytes, std::uint64_t access,
                                              std::uint64_t key) {
  fid_mr* object = nullptr;
  const int status = fi_mr_reg(domain.raw(), memory, bytes, access, 0, key, 0, &object, nullptr);
  if (status != 0) {
    const char* reason =
        status == -FI_ENOKEY ? "the key is taken"
        : status == -FI_ENOMEM
            ? "no room for another registration, or the limit of locked memory is reached"
        : status == -FI_EFAULT ? "the memory is not mapped"
                               : "the memory cannot be registered";
    return Error{Loss::kOperation, "fi_mr_reg", reason, -status};
  }
  return OfiMemoryRegion(object);
}

Error OfiMemoryRegion::bind_and_enable(const OfiEndpoint& endpoint) {
  if (const int status = fi_mr_bind(raw(), &endpoint.raw()->fid, 0); status != 0) {
    return {Loss::kOperation, "fi_mr_bind", "the registration does not fit the endpoint", -status};
  }
  if (const int status = fi_mr_enable(raw()); status != 0)
    return {Loss::kOperation, "fi_mr_enable", "the registration cannot be used", -status};
  return {};
}

}  // namespace lintel::transport
