#include "fabric_pair.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <chrono>
#include <cstring>
#include <stdexcept>

#include "tests/fabric/provider_names.h"
#include "transport/address/address.h"

namespace lintel::test {
namespace {

constexpr std::uint64_t kKey = 7;

void check(const char* call, ssize_t result) {
  if (result < 0)
    throw std::runtime_error(std::string(call) + ": " + fi_strerror(static_cast<int>(-result)));
}

}  // namespace

FabricPair::FabricPair(const std::string& provider, const LoopbackPorts& ports) {
  open(sides_[0], provider, ports.host, ports.initiator);
  open(sides_[1], provider, ports.host, ports.target);
  meet(sides_[0], ports.host, ports.target);
  meet(sides_[1], ports.host, ports.initiator);
}

FabricPair::~FabricPair() {
  for (Side& side : sides_) {
    const auto close = [](auto* object) {
      if (object != nullptr) fi_close(&object->fid);
    };
    close(side.endpoint);
    close(side.registration);
    close(side.queue);
    close(side.addresses);
    close(side.domain);
    close(side.fabric);
    if (side.info != nullptr) fi_freeinfo(side.info);
  }
}

void FabricPair::open(Side& side, const std::string& provider, const std::string& host,
                      std::uint16_t port) {
  fi_info* hints = fi_allocinfo();
  hints->caps = FI_MSG | FI_RMA;
  hints->ep_attr->type = FI_EP_RDM;
  hints->addr_format = FI_SOCKADDR_IN;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->fabric_attr->prov_name = strdup(transport::name_here(provider).c_str());
  const int found = fi_getinfo(FI_VERSION(1, 17), host.c_str(), std::to_string(port).c_str(),
                               FI_SOURCE, hints, &side.info);
  fi_freeinfo(hints);
  check("fi_getinfo", found);
  check("fi_fabric", fi_fabric(side.info->fabric_attr, &side.fabric, nullptr));
  check("fi_domain", fi_domain(side.fabric, side.info, &side.domain, nullptr));
  fi_cq_attr queue{};
  queue.format = FI_CQ_FORMAT_DATA;
  queue.size = 64;
  check("fi_cq_open", fi_cq_open(side.domain, &queue, &side.queue, nullptr));
  fi_av_attr addresses{};
  addresses.type = FI_AV_TABLE;
  check("fi_av_open", fi_av_open(side.domain, &addresses, &side.addresses, nullptr));
  check("fi_endpoint", fi_endpoint(side.domain, side.info, &side.endpoint, nullptr));
  check("fi_ep_bind", fi_ep_bind(side.endpoint, &side.queue->fid, FI_TRANSMIT | FI_RECV));
  check("fi_ep_bind", fi_ep_bind(side.endpoint, &side.addresses->fid, 0));
  check("fi_enable", fi_enable(side.endpoint));
  side.memory.resize(kPairBytes);
  check("fi_mr_reg", fi_mr_reg(side.domain, side.memory.data(), kPairBytes,
                               FI_SEND | FI_RECV | FI_WRITE | FI_REMOTE_WRITE, 0, kKey, 0,
                               &side.registration, nullptr));
}

void FabricPair::meet(Side& side, const std::string& host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(transport::parse_node(host).value().value);
  if (fi_av_insert(side.addresses, &address, 1, &side.other, 0, nullptr) != 1)
    throw std::runtime_error("fi_av_insert");
}

void FabricPair::poll(Side& side) {
  fi_cq_data_entry entry{};
  const ssize_t got = fi_cq_read(side.queue, &entry, 1);
  if (got == -FI_EAGAIN) return;
  check("fi_cq_read", got);
  ++((entry.flags & (FI_RECV | FI_REMOTE_WRITE)) != 0 ? side.arrived : side.sent);
}

// Posts until it is accepted, then polls both sides until `from` has its completion and `to` has
// the data.
template <class Post>
void FabricPair::post_and_wait(Side& from, Side& to, Post post) {
  const auto end = std::chrono::steady_clock::now() + kPairDeadline;
  const std::uint64_t sent = from.sent + 1;
  const std::uint64_t arrived = to.arrived + 1;
  bool posted = false;
  while (!posted || from.sent < sent || to.arrived < arrived) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("no completion within 10 s");
    if (!posted) {
      const ssize_t result = post();
      if (result != -FI_EAGAIN) check("posting", result);
      posted = result == 0;
    }
    poll(from);
    poll(to);
  }
}

void FabricPair::send(std::size_t index, std::span<const std::byte> bytes) {
  Side& from = sides_[index];
  Side& to = sides_[1 - index];
  check("fi_recv", fi_recv(to.endpoint, to.memory.data(), kPairBytes, fi_mr_desc(to.registration),
                           FI_ADDR_UNSPEC, nullptr));
  std::memcpy(from.memory.data(), bytes.data(), bytes.size());
  post_and_wait(from, to, [&] {
    return fi_send(from.endpoint, from.memory.data(), bytes.size(), fi_mr_desc(from.registration),
                   from.other, nullptr);
  });
}

void FabricPair::write_to_target(std::span<const std::byte> bytes, std::uint32_t immediate) {
  Side& from = sides_[0];
  Side& to = sides_[1];
  const bool virtual_addresses = (to.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  const std::uint64_t address =
      virtual_addresses ? reinterpret_cast<std::uint64_t>(to.memory.data()) : 0;
  std::memcpy(from.memory.data(), bytes.data(), bytes.size());
  post_and_wait(from, to, [&] {
    return fi_writedata(from.endpoint, from.memory.data(), bytes.size(),
                        fi_mr_desc(from.registration), immediate, from.other, address,
                        fi_mr_key(to.registration), nullptr);
  });
}

}  // namespace lintel::test
