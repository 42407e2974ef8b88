#include "base/interface_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>

#include <cerrno>
#include <memory>

namespace lintel {

Result<std::string> interface_address(const std::string& text) {
  in_addr dotted{};
  if (inet_pton(AF_INET, text.c_str(), &dotted) == 1) return text;

  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0)
    return Error(Loss::kInterface, "getifaddrs", "the network interfaces cannot be listed", errno);
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  bool named = false;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (text != entry->ifa_name) continue;
    named = true;
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    char buffer[INET_ADDRSTRLEN];
    const auto* address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
    return std::string(inet_ntop(AF_INET, &address->sin_addr, buffer, sizeof buffer));
  }
  return named ? Error(Loss::kInterface, "LINTEL_INTERFACE",
                       "the network interface has no IPv4 address", EADDRNOTAVAIL)
               : Error(Loss::kInterface, "LINTEL_INTERFACE",
                       "this machine has no network interface of that name", ENODEV);
}

}  // namespace lintel
