#include "mpi_layer/impi/client_offer.h"

#include "mpi_layer/impi/big_endian.h"

namespace lintel::mpi::impi {
namespace {

void append_address(std::string& bytes, const HostId& id) {
  bytes.append(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
}

std::string contribution_of_host(const HostOffer& host, Label label) {
  std::string bytes;
  switch (label) {
    case kHostAddress: append_address(bytes, host.address); break;
    case kHostPort: append_number(bytes, std::int32_t{host.port}); break;
    case kHostProcs: append_number(bytes, static_cast<std::int32_t>(host.procs.size())); break;
    case kHostAckmark: append_number(bytes, host.ackmark); break;
    case kHostHiwater: append_number(bytes, host.hiwater); break;
    case kProcAddress:
      for (const ProcId& proc : host.procs) append_address(bytes, proc.host);
      break;
    default:
      LINTEL_ASSERT(label == kProcPid);
      for (const ProcId& proc : host.procs) append_number(bytes, proc.pid);
      break;
  }
  return bytes;
}

}  // namespace

std::string contribution(const ClientOffer& offer, Label label) {
  std::string bytes;
  switch (label) {
    case kVersion: bytes.append(8, '\0'); break;  // 0.0
    case kClientHosts: append_number(bytes, static_cast<std::int32_t>(offer.hosts.size())); break;
    case kClientProcs: {
      std::size_t procs = 0;
      for (const HostOffer& host : offer.hosts) procs += host.procs.size();
      append_number(bytes, static_cast<std::int32_t>(procs));
      break;
    }
    case kDataLength: append_number(bytes, offer.data_length); break;
    case kTagUpperBound: append_number(bytes, offer.tag_upper_bound); break;
    case kCollectiveCrossoverSize: append_number(bytes, offer.crossover_size); break;
    case kCollectiveMaxLinear: append_number(bytes, offer.max_linear); break;
    default:
      for (const HostOffer& host : offer.hosts) bytes += contribution_of_host(host, label);
  }
  return bytes;
}

}  // namespace lintel::mpi::impi
