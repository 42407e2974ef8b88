// Opening of a RawEndpoint: choice of the provider, then its objects in order.

#include <rdma/fi_cm.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
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
    : on_idle_(std::move(on_idle)),
      info_(describe(provider, address)),
      receives_wanted_(std::min(receives, info_->rx_attr->size)) {
  allocate(buffer_bytes);
  open_objects();
  post_receives();
}

void RawEndpoint::FreeBuffer::operator()(std::byte* buffer) const { std::free(buffer); }

void RawEndpoint::allocate(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  buffer_bytes_ = (bytes + kPage - 1) / kPage * kPage;
  buffer_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, buffer_bytes_)));
  if (!buffer_) throw std::bad_alloc();
  // touches the pages, so that none is faulted in while the clock runs
  std::memset(buffer_.get(), 0x5A, buffer_bytes_);
}

void RawEndpoint::open_objects() {
  fid_fabric* fabric = nullptr;
  check(fi_fabric(info_->fabric_attr, &fabric, nullptr), "fi_fabric");
  fabric_.reset(fabric);

  fid_domain* domain = nullptr;
  check(fi_domain(fabric_.get(), info_.get(), &domain, nullptr), "fi_domain");
  domain_.reset(domain);

  fi_av_attr address_attributes{};
  address_attributes.type = FI_AV_TABLE;
  address_attributes.count = 1;
  fid_av* addresses = nullptr;
  check(fi_av_open(domain_.get(), &address_attributes, &addresses, nullptr), "fi_av_open");
  addresses_.reset(addresses);

  fi_cq_attr queue_attributes{};
  queue_attributes.format = FI_CQ_FORMAT_DATA;
  queue_attributes.wait_obj = FI_WAIT_NONE;
  queue_attributes.size = info_->tx_attr->size + info_->rx_attr->size;
  fid_cq* completions = nullptr;
  check(fi_cq_open(domain_.get(), &queue_attributes, &completions, nullptr), "fi_cq_open");
  completions_.reset(completions);

  fid_mr* region = nullptr;
  constexpr std::uint64_t kAccess =
      FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  check(fi_mr_reg(domain_.get(), buffer_.get(), buffer_bytes_, kAccess, 0, 1, 0, &region, nullptr),
        "fi_mr_reg");
  region_.reset(region);
  descriptor_ = fi_mr_desc(region);

  fid_ep* endpoint = nullptr;
  check(fi_endpoint(domain_.get(), info_.get(), &endpoint, nullptr), "fi_endpoint");
  endpoint_.reset(endpoint);
  check(fi_ep_bind(endpoint, &addresses_->fid, 0), "fi_ep_bind of the address vector");
  check(fi_ep_bind(endpoint, &completions_->fid, FI_TRANSMIT | FI_RECV),
        "fi_ep_bind of the completion queue");
  check(fi_enable(endpoint), "fi_enable");
}

Contact RawEndpoint::contact() const {
  std::string address(256, '\0');
  std::size_t length = address.size();
  check(fi_getname(&endpoint_->fid, address.data(), &length), "fi_getname");
  address.resize(length);
  const bool by_virtual_address = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const std::uint64_t base =
      by_virtual_address ? reinterpret_cast<std::uintptr_t>(buffer_.get()) : 0;
  return {std::move(address), fi_mr_key(region_.get()), base};
}

void RawEndpoint::connect(const Contact& peer) {
  if (fi_av_insert(addresses_.get(), peer.address.data(), 1, &peer_, 0, nullptr) != 1) {
    throw FabricError("fi_av_insert did not accept the address of the peer.");
  }
  peer_key_ = peer.key;
  peer_base_ = peer.remote_base;
}

}  // namespace lintel::bench
