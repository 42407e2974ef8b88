// HMAC-SHA-256 by the examples of RFC 4231, and the comparison of its results.

#include "transport/contact/hmac.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace lintel::transport {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string hexadecimal(const Digest& digest) {
  std::string text;
  for (const std::byte byte : digest) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned>(byte) >> 4];
    text += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

TEST(Hmac, ShortKey) {
  EXPECT_EQ(hexadecimal(hmac_sha256(bytes_of("Jefe"), {bytes_of("what do ya want for nothing?")})),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Hmac, KeyOfBytesThatAreNoText) {
  const std::vector<std::byte> key(20, std::byte{0x0b});
  EXPECT_EQ(hexadecimal(hmac_sha256(key, {bytes_of("Hi There")})),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

TEST(Hmac, KeyLongerThanABlock) {
  const std::vector<std::byte> key(131, std::byte{0xaa});
  EXPECT_EQ(hexadecimal(hmac_sha256(
                key, {bytes_of("Test Using Larger Than Block-Size Key - Hash Key First")})),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, PartsCountAsTheirSequence) {
  EXPECT_EQ(hmac_sha256(bytes_of("key"), {bytes_of("ab"), {}, bytes_of("c")}),
            hmac_sha256(bytes_of("key"), {bytes_of("abc")}));
}

TEST(Hmac, OneBitMakesADigestUnequal) {
  const Digest digest = hmac_sha256(bytes_of("key"), {bytes_of("abc")});
  EXPECT_TRUE(equal_in_constant_time(digest, Digest(digest)));
  for (std::size_t i = 0; i < digest.size(); ++i) {
    Digest other = digest;
    other[i] ^= std::byte{0x80};
    EXPECT_FALSE(equal_in_constant_time(digest, other));
  }
}

}  // namespace
}  // namespace lintel::transport
