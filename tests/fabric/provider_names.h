#pragma once
// Differences between libfabric 1.17 and later versions in their native provider over TCP.

#include <rdma/fabric.h>

#include <string>

namespace lintel::transport {

// libfabric 1.18 and later name the provider "net" of 1.17 "tcp". Lintel places payloads with that
// of 1.17 only.
inline bool has_net() { return FI_VERSION_LT(fi_version(), FI_VERSION(1, 18)); }
inline std::string name_here(const std::string& provider) {
  return provider == "net" && !has_net() ? "tcp" : provider;
}

}  // namespace lintel::transport
