#include "transport/session/job_key.h"

#include <string_view>

#include "base/assert.h"

namespace lintel::transport {

void JobKey::give(std::span<const std::byte> secret) {
  LINTEL_ASSERT(!secret.empty());
  if (key_) return;
  // Not the secret itself, so that no other use of the secret can have made a proof of ours.
  constexpr std::string_view kUse = "lintel session";
  key_ = hmac_sha256(secret, {std::as_bytes(std::span(kUse.data(), kUse.size()))});
  if (user_ != nullptr) user_->on_job_key();
}

}  // namespace lintel::transport
