#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/providers/fi_prov.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace {

constexpr const char* kName = "strict";
constexpr const char* kBelow = "tcp;ofi_rxm";
constexpr std::uint64_t kMode = FI_RX_CQ_DATA;
constexpr int kMrMode = FI_MR_ENDPOINT;

void demand(bool kept, const char* rule) {
  if (kept) return;
  std::fprintf(stderr, "strict provider: %s\n", rule);
  std::abort();
}

void rename(char*& name, const char* wanted) {
  std::free(name);
  name = wanted != nullptr ? ::strdup(wanted) : nullptr;
}

struct InfoDeleter {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using OwnedInfo = std::unique_ptr<fi_info, InfoDeleter>;

// What must be requested from the provider below.
OwnedInfo for_below(const fi_info* info) {
  OwnedInfo copy(fi_dupinfo(info));
  rename(copy->fabric_attr->prov_name, kBelow);
  copy->mode &= ~kMode;
  copy->rx_attr->mode &= ~kMode;
  copy->domain_attr->mr_mode &= ~kMrMode;
  return copy;
}

// Objects are told apart by address and never forgotten, because libfabric uses their functions
// until an object is closed.
template <class T>
T& keep(const T& made) {
  static std::deque<T> kept;
  return kept.emplace_back(made);
}

// The state of one domain, which has one endpoint and one completion queue.
struct Domain {
  fi_ops_domain ops;
  fi_ops_mr mr;
  fi_ops endpoint_object;
  fi_ops_msg messages;
  fi_ops_cq queue;
  int bound_regions = 0;

  bool has_receive = false;  // receives that are posted here but not yet below
  void* receive = nullptr;
  std::deque<fi_cq_data_entry> held;  // completions read below that wait for a receive
};

const fi_ops_fabric* fabric_below;
fi_ops_fabric fabric_ops;
std::map<const void*, Domain*> domain_of;  // key: a domain, an endpoint or a queue

// Replaces the functions of `object` by a copy that may be changed.
template <class Ops>
Ops& exchange(Ops*& of_object, Ops& original) {
  original = *of_object;
  Ops& copy = keep(original);
  of_object = &copy;
  return copy;
}

struct StrictRegion {
  fid_mr base{};
  Domain* domain;
  fid_mr* below = nullptr;
  const void* memory;
  std::size_t bytes;
  std::uint64_t access;
  std::uint64_t key;
  bool bound = false;
};

StrictRegion& region(fid* object) { return *reinterpret_cast<StrictRegion*>(object); }

int bind_region(fid* object, fid* endpoint, std::uint64_t) {
  StrictRegion& mr = region(object);
  demand(!mr.bound && endpoint->fclass == FI_CLASS_EP,
         "a registration is bound once, to an endpoint");
  mr.bound = true;
  ++mr.domain->bound_regions;
  return 0;
}

int enable_region(fid* object, int command, void*) {
  StrictRegion& mr = region(object);
  if (command != FI_ENABLE) return -FI_ENOSYS;
  demand(mr.bound, "a registration is bound before it is enabled");
  auto* domain = reinterpret_cast<fid_domain*>(mr.base.fid.context);
  const int status = mr.domain->mr.reg(&domain->fid, mr.memory, mr.bytes, mr.access, 0, mr.key, 0,
                                       &mr.below, nullptr);
  if (status != 0) return status;
  mr.base.key = mr.below->key;
  mr.base.mem_desc = mr.below->mem_desc;
  return 0;
}

int close_region(fid* object) {
  StrictRegion* const mr = &region(object);
  if (mr->bound) --mr->domain->bound_regions;
  const int status = mr->below != nullptr ? fi_close(&mr->below->fid) : 0;
  delete mr;
  return status;
}

int register_memory(fid* domain, const void* memory, std::size_t bytes, std::uint64_t access,
                    std::uint64_t, std::uint64_t key, std::uint64_t, fid_mr** made, void*) {
  static fi_ops ops{sizeof(fi_ops), close_region, bind_region, enable_region,
                    nullptr,        nullptr,      nullptr};
  auto* mr = new StrictRegion;
  mr->base.fid = {FI_CLASS_MR, domain, &ops};
  mr->base.key = FI_KEY_NOTAVAIL;
  mr->domain = domain_of.at(domain);
  mr->memory = memory;
  mr->bytes = bytes;
  mr->access = access;
  mr->key = key;
  *made = &mr->base;
  return 0;
}

ssize_t post_receive(fid_ep* endpoint, const fi_msg* message, std::uint64_t flags) {
  Domain& domain = *domain_of.at(endpoint);
  if (domain.has_receive) return domain.messages.recvmsg(endpoint, message, flags);
  domain.has_receive = true;
  domain.receive = message->context;
  return 0;
}

ssize_t read_queue(fid_cq* queue, void* into, std::size_t count) {
  Domain& domain = *domain_of.at(queue);
  auto* const out = static_cast<fi_cq_data_entry*>(into);
  ssize_t status = -FI_EAGAIN;
  if (domain.held.empty()) {
    status = domain.queue.read(queue, out, count);
    if (status <= 0) return status;
    domain.held.assign(out, out + status);
  }
  std::size_t given = 0;
  while (given < count && !domain.held.empty()) {
    fi_cq_data_entry entry = domain.held.front();
    if ((entry.flags & FI_REMOTE_CQ_DATA) != 0) {
      if (!domain.has_receive) break;
      domain.has_receive = false;
      entry.op_context = domain.receive;
      entry.flags |= FI_MULTI_RECV;  // nothing more arrives in that buffer
      entry.buf = nullptr;
    }
    domain.held.pop_front();
    out[given++] = entry;
  }
  return given > 0 ? static_cast<ssize_t>(given) : -FI_EAGAIN;
}

int open_queue(fid_domain* object, fi_cq_attr* attributes, fid_cq** made, void* context) {
  Domain& domain = *domain_of.at(object);
  if (attributes->format != FI_CQ_FORMAT_DATA) return -FI_ENOSYS;
  const int status = domain.ops.cq_open(object, attributes, made, context);
  if (status != 0) return status;
  domain_of[*made] = &domain;
  exchange((*made)->ops, domain.queue).read = read_queue;
  return 0;
}

int close_endpoint(fid* object) {
  Domain& domain = *domain_of.at(object);
  demand(domain.bound_regions == 0,
         "registrations that are bound to an endpoint are closed before it");
  return domain.endpoint_object.close(object);
}

int open_endpoint(fid_domain* object, fi_info* info, fid_ep** made, void* context) {
  Domain& domain = *domain_of.at(object);
  const OwnedInfo below = for_below(info);
  const int status = domain.ops.endpoint(object, below.get(), made, context);
  if (status != 0) return status;
  domain_of[*made] = &domain;
  exchange((*made)->fid.ops, domain.endpoint_object).close = close_endpoint;
  exchange((*made)->msg, domain.messages).recvmsg = post_receive;
  return 0;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** made, void* context) {
  const OwnedInfo below = for_below(info);
  const int status = fabric_below->domain(fabric, below.get(), made, context);
  if (status != 0) return status;
  Domain& domain = keep(Domain{});
  domain_of[*made] = &domain;
  fi_ops_domain& ops = exchange((*made)->ops, domain.ops);
  ops.endpoint = open_endpoint;
  ops.cq_open = open_queue;
  exchange((*made)->mr, domain.mr).reg = register_memory;
  return 0;
}

// What was already read below does not wake a sleeper any more.
int try_wait(fid_fabric* fabric, fid** objects, int count) {
  for (int i = 0; i < count; ++i) {
    const auto domain = domain_of.find(objects[i]);
    if (domain != domain_of.end() && !domain->second->held.empty()) return -FI_EAGAIN;
  }
  return fabric_below->trywait(fabric, objects, count);
}

int open_fabric(fi_fabric_attr* attributes, fid_fabric** made, void* context) {
  fi_fabric_attr below = *attributes;
  std::string name(kBelow);
  below.prov_name = name.data();
  const int status = fi_fabric(&below, made, context);
  if (status != 0) return status;
  if (fabric_below == nullptr) {
    fabric_below = (*made)->ops;
    fabric_ops = *fabric_below;
    fabric_ops.domain = open_domain;
    fabric_ops.trywait = try_wait;
  }
  (*made)->ops = &fabric_ops;
  return 0;
}

// Offers itself only when asked for by name.
int offers(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
           const fi_info* hints, fi_info** list) {
  if (hints == nullptr || hints->fabric_attr == nullptr || hints->fabric_attr->prov_name == nullptr)
    return -FI_ENODATA;
  if (std::strcmp(hints->fabric_attr->prov_name, kName) != 0) return -FI_ENODATA;
  if ((hints->mode & kMode) == 0 || hints->domain_attr == nullptr ||
      (hints->domain_attr->mr_mode & kMrMode) == 0)
    return -FI_ENODATA;
  const OwnedInfo below = for_below(hints);
  const int status = fi_getinfo(version, node, service, flags, below.get(), list);
  if (status != 0) return status;
  for (fi_info* info = *list; info != nullptr; info = info->next) {
    rename(info->fabric_attr->prov_name, nullptr);  // libfabric fills it in
    info->mode |= kMode;
    info->rx_attr->mode |= kMode;
    info->domain_attr->mr_mode |= kMrMode;
  }
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini() {
  static fi_provider provider{};
  provider.version = FI_VERSION(1, 0);
  provider.fi_version = FI_VERSION(1, 17);
  provider.name = kName;
  provider.getinfo = offers;
  provider.fabric = open_fabric;
  provider.cleanup = [] {};
  return &provider;
}
