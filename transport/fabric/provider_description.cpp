#include "transport/fabric/provider_description.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

namespace lintel::transport {

ProviderDescription describe(const fi_info& info) {
  ProviderDescription d;
  d.name = info.fabric_attr->prov_name != nullptr ? info.fabric_attr->prov_name : "";
  d.reliable_datagram = info.ep_attr->type == FI_EP_RDM;
  d.socket_addresses = info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR ||
                       info.addr_format == FI_FORMAT_UNSPEC;
  d.capabilities = info.caps;
  d.mode = info.mode | info.domain_attr->mode;
  d.mr_mode = info.domain_attr->mr_mode;
  d.send_order = info.tx_attr->msg_order;
  d.receive_order = info.rx_attr->msg_order;
  d.mr_key_bytes = info.domain_attr->mr_key_size;
  d.cq_data_bytes = info.domain_attr->cq_data_size;
  d.max_message_bytes = info.ep_attr->max_msg_size;
  d.inject_bytes = info.tx_attr->inject_size;
  d.iov_limit = info.tx_attr->iov_limit;
  d.rma_iov_limit = info.tx_attr->rma_iov_limit;
  d.transmit_queue = info.tx_attr->size;
  d.receive_queue = info.rx_attr->size;
  return d;
}

bool is_native_tcp(const ProviderDescription& provider) {
  return provider.name == "net" || provider.name == "tcp";
}

bool is_shared_memory(const ProviderDescription& provider) { return provider.name == "shm"; }

bool means(const std::string& wanted, const std::string& name) {
  return name == wanted ||
         (name.size() > wanted.size() && name.compare(0, wanted.size(), wanted) == 0 &&
          name[wanted.size()] == ';');
}

}  // namespace lintel::transport
