#include "bench/raw/endpoint_objects.h"

namespace lintel::bench {

EndpointObjects::EndpointObjects(fi_info& info, const PageBuffer& buffer) {
  fid_fabric* opened_fabric = nullptr;
  check(fi_fabric(info.fabric_attr, &opened_fabric, nullptr), "fi_fabric");
  fabric.reset(opened_fabric);

  fid_domain* opened_domain = nullptr;
  check(fi_domain(fabric.get(), &info, &opened_domain, nullptr), "fi_domain");
  domain.reset(opened_domain);

  fi_av_attr address_attributes{};
  address_attributes.type = FI_AV_TABLE;
  address_attributes.count = 1;
  fid_av* opened_addresses = nullptr;
  check(fi_av_open(domain.get(), &address_attributes, &opened_addresses, nullptr), "fi_av_open");
  addresses.reset(opened_addresses);

  fi_cq_attr queue_attributes{};
  queue_attributes.format = FI_CQ_FORMAT_DATA;
  queue_attributes.wait_obj = FI_WAIT_NONE;
  queue_attributes.size = info.tx_attr->size + info.rx_attr->size;
  fid_cq* opened_completions = nullptr;
  check(fi_cq_open(domain.get(), &queue_attributes, &opened_completions, nullptr), "fi_cq_open");
  completions.reset(opened_completions);

  fid_mr* opened_region = nullptr;
  constexpr std::uint64_t kAccess =
      FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  check(fi_mr_reg(domain.get(), buffer.data(), buffer.size(), kAccess, 0, 1, 0, &opened_region,
                  nullptr),
        "fi_mr_reg");
  region.reset(opened_region);
  descriptor = fi_mr_desc(opened_region);

  fid_ep* opened_endpoint = nullptr;
  check(fi_endpoint(domain.get(), &info, &opened_endpoint, nullptr), "fi_endpoint");
  endpoint.reset(opened_endpoint);
  check(fi_ep_bind(opened_endpoint, &addresses->fid, 0), "fi_ep_bind of the address vector");
  check(fi_ep_bind(opened_endpoint, &completions->fid, FI_TRANSMIT | FI_RECV),
        "fi_ep_bind of the completion queue");
  check(fi_enable(opened_endpoint), "fi_enable");
}

}  // namespace lintel::bench
