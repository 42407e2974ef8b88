#include "chain_link.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

namespace lintel::perf {

ChainLink::ChainLink(ChainLink&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

ChainLink::~ChainLink() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ChainLink::send(const nlohmann::json& message) const {
  const std::string text = message.dump();
  while (::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno == EINTR)
    continue;
}

std::optional<nlohmann::json> ChainLink::receive() const {
  std::array<char, 16384>
      text{};  // the longest message is the map: 64 names of at most 20 characters
  ssize_t length = 0;
  do {
    length = ::recv(descriptor_, text.data(), text.size(), 0);
  } while (length < 0 && errno == EINTR);
  if (length <= 0) return std::nullopt;
  return nlohmann::json::parse(text.data(), text.data() + length);
}

}  // namespace lintel::perf
