// Opening of a RawEndpoint: choice of the provider, and contact with the peer.

#include <rdma/fi_cm.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "bench/raw/options.h"
#include "bench/raw/raw_endpoint.h"

namespace lintel::bench {
namespace {

InfoList get_info(const std::string& provider, const char* node) {
  const InfoList hints(fi_allocinfo());
  if (!hints) throw std::bad_alloc();
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  hints->caps = FI_MSG | FI_RMA;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;  // one thread: the provider needs no locks
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  if (node != nullptr) hints->addr_format = FI_SOCKADDR_IN;
  fi_info* found = nullptr;
  const int code = fi_getinfo(FI_VERSION(1, 17), node, nullptr, node != nullptr ? FI_SOURCE : 0,
                              hints.get(), &found);
  if (code == -FI_ENODATA) return nullptr;
  check(code, "fi_getinfo");
  return InfoList(found);
}

InfoList describe_one(const std::string& provider, const std::string& address) {
  InfoList info = get_info(provider, address.c_str());
  return info || address != kLoopback ? std::move(info) : get_info(provider, nullptr);
}

}  // namespace

InfoList describe(const std::string& provider, const std::string& address) {
  if (!provider.empty()) {
    InfoList info = describe_one(provider, address);
    if (!info)
      throw FabricError("libfabric offers no provider '" + provider +
                        "' with messages and remote memory access at " + address + ".");
    return info;
  }
  for (const char* candidate : {"net", "tcp"}) {
    if (InfoList info = describe_one(candidate, address)) return info;
  }
  throw FabricError("libfabric offers neither net nor tcp at " + address +
                    "; name a provider with --provider.");
}

RawEndpoint::RawEndpoint(const std::string& provider, const std::string& address,
                         std::size_t buffer_bytes, std::size_t receives, IdleHandler on_idle)
    : idle_(std::move(on_idle)),
      info_(describe(provider, address)),
      buffer_(buffer_bytes),
      objects_(*info_, buffer_),
      receives_wanted_(std::min(receives, info_->rx_attr->size)) {
  post_receives();
}

Contact RawEndpoint::contact() const {
  std::string address(256, '\0');
  std::size_t length = address.size();
  check(fi_getname(&objects_.endpoint->fid, address.data(), &length), "fi_getname");
  address.resize(length);
  const bool by_virtual_address = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const std::uint64_t base =
      by_virtual_address ? reinterpret_cast<std::uintptr_t>(buffer_.data()) : 0;
  return {std::move(address), fi_mr_key(objects_.region.get()), base};
}

void RawEndpoint::connect(const Contact& peer) {
  if (fi_av_insert(objects_.addresses.get(), peer.address.data(), 1, &peer_, 0, nullptr) != 1) {
    throw FabricError("fi_av_insert did not accept the address of the peer.");
  }
  peer_key_ = peer.key;
  peer_base_ = peer.remote_base;
}

}  // namespace lintel::bench
