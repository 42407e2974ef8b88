#pragma once
// HMAC-SHA-256 (RFC 2104) by libgcrypt, and the comparison of its results. No state, no allocation
// of ours. The only file that knows which library computes it is hmac.cpp.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

namespace lintel::transport {

// The result, and also a key.
using Digest = std::array<std::byte, 32>;

// Over the parts, one after the other. Throws std::bad_alloc if the library finds no memory.
// REQUIRES: at most kMaxHmacParts parts.
Digest hmac_sha256(std::span<const std::byte> key,
                   std::initializer_list<std::span<const std::byte>> parts);
inline constexpr std::size_t kMaxHmacParts = 11;

// Whether both are equal. Takes the same time wherever they differ, so that nobody who measures it
// learns how much of a guess was right.
using DigestBytes = std::span<const std::byte, sizeof(Digest)>;
bool equal_in_constant_time(DigestBytes a, DigestBytes b);

}  // namespace lintel::transport
