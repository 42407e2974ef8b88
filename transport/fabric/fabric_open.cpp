// Opening and closing.
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "transport/address/address.h"
#include "transport/fabric/fabric_transport.h"
#include "transport/fabric/local_sockets.h"

namespace lintel::transport {
namespace {

// Arrivals that may accumulate between two polls, in addition to our own operations.
constexpr std::size_t kExtraCompletions = 1024;

std::size_t message_bytes(const NetworkOptions& options, const ProviderDescription& provider) {
  const std::size_t suitable = suitable_message_bytes(provider);
  return options.max_message_bytes == 0
             ? suitable
             : std::min(options.max_message_bytes, provider.max_message_bytes);
}

struct ReceiveRoom {
  std::size_t buffers;
  std::size_t bytes;  // of each
};

ReceiveRoom receive_room_for(const NetworkOptions& options, const FabricOptions& fabric,
                             const ProviderDescription& provider) {
  ReceiveRoom room{std::max<std::size_t>(fabric.receive_buffers, 2),
                   std::max(fabric.receive_buffer_bytes, 2 * message_bytes(options, provider))};
  if (is_shared_memory(provider)) {
    // shm of 1.17 blocks forever if about a thousand messages find no room in one read of its
    // queue, because it then has no record left to accept another buffer. With this much room, that
    // takes about twenty peers that each have a full window of the largest messages under way.
    room.buffers = std::max<std::size_t>(room.buffers, 16);
    room.bytes = std::max<std::size_t>(room.bytes, 256 * 1024);
  }
  return room;
}

std::string explain(const NetworkOptions& options, const std::string& provider,
                    const Error& error) {
  return explain_opening(options.interface_address, options.pid,
                         provider == "shm" ? 0 : options.port_base, provider, error,
                         fi_strerror(error.code()));
}

}  // namespace

Result<std::unique_ptr<FabricTransport>> FabricTransport::open(const NetworkOptions& options,
                                                               const FabricOptions& fabric,
                                                               std::string* explanation) {
  std::string ignored;
  std::string& said = explanation != nullptr ? *explanation : ignored;
  said.clear();
  Result<DiscoveredProvider> found = discover(options);
  if (!found) {
    said = explain(options, "", found.error());
    return found.error();
  }
  if (found->selected == nullptr) {
    said = explain_failure(found->choice, options.name, fabric.offered_beside);
    return Error{Loss::kOperation, "fi_getinfo", "no provider that can be used"};
  }
  fi_domain_attr& domain = *found->selected->domain_attr;
  domain.mr_mode |= fabric.added_mr_modes;
  if (fabric.mr_key_bytes != 0) domain.mr_key_size = fabric.mr_key_bytes;
  std::unique_ptr<FabricTransport> transport(
      new FabricTransport(options, fabric, std::move(found).value()));
  using Step = Error (FabricTransport::*)();
  for (const Step step : {&FabricTransport::claim_name, &FabricTransport::open_objects,
                          &FabricTransport::prepare_buffers, &FabricTransport::enable,
                          &FabricTransport::read_own_name, &FabricTransport::post_first_receives}) {
    if (const Error error = (transport.get()->*step)(); !error.ok()) {
      said = explain(options, transport->provider_.name, error);
      return error;
    }
  }
  return transport;
}

FabricTransport::FabricTransport(const NetworkOptions& options, const FabricOptions& fabric,
                                 DiscoveredProvider found)
    : options_(options),
      fabric_options_(fabric),
      provider_(transport::describe(*found.selected)),
      registrar_(memory_rules(provider_)),
      operations_(receive_room_for(options, fabric, provider_).buffers, options.send_frames,
                  options.max_writes, found.placed_messages ? PlacedReceives::kRecords : 0),
      peers_(options.connect_timeout, provider_.socket_addresses),
      domain_(std::move(found.info), found.selected),
      receives_(operations_),
      placed_receives_(operations_, peers_, counters_),
      shared_memory_writes_(operations_, peers_, fabric.write_timeout) {
  attributes_.name = provider_.name;
  attributes_.version = fi_tostr("1", FI_TYPE_VERSION);  // the argument is ignored
  attributes_.max_message_bytes = message_bytes(options, provider_);
  attributes_.max_write_bytes = suitable_write_bytes(provider_);
  if (found.placed_messages) {
    attributes_.max_placed_bytes = PlacedReceives::kMaxPayloadBytes;
    attributes_.max_placed_message = PlacedReceives::kMessageBytes;
  }
  attributes_.knows_source = false;
  attributes_.independent_reservations = true;
}

FabricTransport::~FabricTransport() {
  // Registrations that are bound to the endpoint are closed before it. All others are closed after
  // it, because the provider may use them until then.
  if (registrar_.rules().binds_to_endpoint) {
    regions_.clear();
    frames_.forget_registrations();
    receives_.forget_registration();
  }
}

// Shared memory only: there the name decides how the endpoint is opened; elsewhere opening decides
// the name.
Error FabricTransport::claim_name() {
  if (provider_.socket_addresses) return {};
  const Result<NodeId> nid = parse_node(options_.interface_address);
  if (!nid) return nid.error();
  Result<PeerDoorbells> doorbells =
      PeerDoorbells::open(nid.value(), options_.pid, options_.port_base);
  if (!doorbells) return doorbells.error();
  doorbells_.emplace(std::move(doorbells).value());
  self_ = doorbells_->self();
  wait_fd_ = doorbells_->own_doorbell().fd();
  const Result<std::string> memory = doorbells_->own_memory_name();
  if (!memory) return memory.error();
  std::free(domain_.info->src_addr);
  domain_.info->src_addr = ::strdup(memory->c_str());
  domain_.info->src_addrlen = memory->size() + 1;
  return {};
}

Error FabricTransport::open_objects() {
  if (const Error error = domain_.open(); !error.ok()) return error;
  const bool signal_sticks = provider_.name == "net";
  // Shared memory has no descriptor to wait on.
  const bool queue_wakes = provider_.socket_addresses && !signal_sticks;
  const std::size_t entries = operations_.size() + kExtraCompletions;
  held_.allocate(entries);
  if (const Error error = end_.open(domain_, entries, queue_wakes ? FI_WAIT_FD : FI_WAIT_NONE);
      !error.ok())
    return error;
  if (queue_wakes) wait_object_ = WaitObject::of_queue(end_.completions);
  if (signal_sticks) wait_object_ = WaitObject::of_sockets(domain_.domain);
  if (provider_.socket_addresses) wait_fd_ = wait_object_.fd();
  return {};
}

Error FabricTransport::prepare_buffers() {
  const ReceiveRoom receive_room = receive_room_for(options_, fabric_options_, provider_);
  if (const Error error = receives_.allocate(receive_room.bytes); !error.ok()) return error;
  return frames_.add(attributes_.max_message_bytes, operations_.count(OperationKind::kSend));
}

Error FabricTransport::enable() {
  if (const int status = fi_enable(end_.endpoint.raw()); status != 0) {
    const char* reason = status == -FI_EBUSY || status == -FI_EADDRINUSE
                             ? "the name is in use by another process"
                             : "the endpoint cannot be used";
    return {Loss::kInterface, "fi_enable", reason, -status};
  }
  // After enabling, because before it shm of 1.17 crashes in this call.
  std::size_t least_room = attributes_.max_message_bytes;
  if (const int status = fi_setopt(&end_.endpoint.raw()->fid, FI_OPT_ENDPOINT,
                                   FI_OPT_MIN_MULTI_RECV, &least_room, sizeof least_room);
      status != 0) {
    return {Loss::kInterface, "fi_setopt",
            "the provider does not take the least room of a receive buffer", -status};
  }
  if (Error error = receives_.register_with(registrar_, domain_.domain, end_.endpoint); !error.ok())
    return error;
  return frames_.register_last(registrar_, domain_.domain, end_.endpoint);
}

Error FabricTransport::read_own_name() {
  if (provider_.socket_addresses) {
    sockaddr_in address{};
    std::size_t length = sizeof address;
    const int status = fi_getname(&end_.endpoint.raw()->fid, &address, &length);
    if (status != 0 || length != sizeof address || address.sin_family != AF_INET) {
      return {Loss::kInterface, "fi_getname",
              "the provider does not tell the IPv4 address of the endpoint", -status};
    }
    self_ = transport::name_of(address, options_.port_base);
    disable_pacing_of_listener(address);
    // The system may have chosen the one port that is no valid pid.
    if (const Result<std::uint16_t> port = port_of(self_.pid, options_.port_base); !port)
      return port.error();
  }
  return {};
}

Error FabricTransport::post_first_receives() {
  if (const Error error = receives_.post_all(end_.endpoint); !error.ok()) return error;
  if (doorbells_) doorbells_->own_doorbell().announce();
  return {};
}

}  // namespace lintel::transport
