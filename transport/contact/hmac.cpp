#include "transport/contact/hmac.h"

#include <gcrypt.h>

#include <new>

#include "base/assert.h"

namespace lintel::transport {

namespace {

// The program may use libgcrypt too. If it has not initialised the library, this does, without
// memory that is locked against swapping, which needs rights.
bool initialise() {
  if (::gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) != 0) return true;
  if (::gcry_check_version(nullptr) == nullptr) return false;
  ::gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  ::gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  return true;
}

}  // namespace

Digest hmac_sha256(std::span<const std::byte> key,
                   std::initializer_list<std::span<const std::byte>> parts) {
  static const bool initialised = initialise();
  LINTEL_ASSERT(initialised && parts.size() <= kMaxHmacParts);
  // The first buffer is the key. The library reads the buffers and does not write to them.
  std::array<gcry_buffer_t, 1 + kMaxHmacParts> buffers{};
  std::size_t count = 0;
  const auto add = [&](std::span<const std::byte> bytes) {
    buffers[count].data = const_cast<std::byte*>(bytes.data());
    buffers[count].len = bytes.size();
    ++count;
  };
  add(key);
  for (const std::span<const std::byte> part : parts) add(part);
  Digest digest;
  const gcry_error_t error = ::gcry_md_hash_buffers(
      GCRY_MD_SHA256, GCRY_MD_FLAG_HMAC, digest.data(), buffers.data(), static_cast<int>(count));
  if (::gcry_err_code(error) == GPG_ERR_ENOMEM) throw std::bad_alloc();
  LINTEL_ASSERT(error == 0);
  return digest;
}

bool equal_in_constant_time(DigestBytes a, DigestBytes b) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  // The compiler cannot know the value, so it cannot end the loop early.
  asm("" : "+r"(difference));  // NOLINT(hicpp-no-assembler)
  return difference == 0;
}

}  // namespace lintel::transport
