#pragma once
// Reads a file with a secret, such as LINTEL_SECRET_FILE names.

#include <cstddef>
#include <string>
#include <vector>

namespace lintel {

// A secret has at least so many bytes: 128 bits.
inline constexpr std::size_t kLeastSecretBytes = 16;
inline constexpr std::size_t kMostSecretBytes = 4096;

struct SecretReading {
  std::vector<std::byte> secret;  // all bytes of the file
  std::string problem;            // a sentence that names the file and what was expected; or empty
};
// Does not block. Refuses what others could have read or written: anything but a regular file that
// belongs to the effective user and gives its group and all others no rights.
SecretReading read_secret_file(const std::string& path);

}  // namespace lintel
