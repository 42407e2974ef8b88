#pragma once
// Command: a message between client and server of IMPI during start-up: a word of four letters, a
// length, and that many bytes.
//
// Two messages at the beginning have no such header: the server's choice of an authentication
// mechanism, and a client's key. They are bare bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lintel::mpi::impi {

inline constexpr unsigned kMaxClients = 32;  // bits of a client mask

// Of one client's contribution to one label: 16 bytes for each of 65,536 processes.
inline constexpr std::size_t kMaxContributionBytes = 1U << 20;

enum class CommandWord : std::uint32_t {
  kAuth = 0x41555448,  // client: the mechanisms that it can use, a mask
  kImpi = 0x494D5049,  // client: its rank; server: how many clients there are
  kColl = 0x434F4C4C,  // client: label, contribution; server: label, mask of clients, their
                       // contributions in the order of their ranks
  kDone = 0x444F4E45,  // client: no more labels; server: nobody has more labels
  kFini = 0x46494E49,  // client: all its processes have ended well
};

struct Command {
  CommandWord word;
  std::string payload;

  bool operator==(const Command&) const = default;
};

// The command in IMPI's encoding.
std::string encode(CommandWord word, std::string_view payload);

// "AUTH" and so on. For a word that is no command: its printable characters and its number.
std::string text_of_word(std::uint32_t word);

enum class CommandSender { kClient, kServer };

// CommandReader: splits the bytes that `sender` has sent into commands. The bytes may arrive in any
// pieces.
//
// An invalid header is refused before its payload arrives. So the reader holds at most one command,
// and what was appended since next() last returned nothing. Does not read from sockets: its owner
// does.
class CommandReader {
 public:
  explicit CommandReader(CommandSender sender) : sender_(sender) {}

  void append(std::string_view bytes) { bytes_ += bytes; }

  // The word of the next command, as soon as its header has arrived; nothing until then. Nothing
  // also if the header is invalid; then `problem` says why, as the end of a sentence.
  std::optional<CommandWord> next_word(std::string& problem) const;

  // The next command; nothing if it has not all arrived, or is invalid as above.
  std::optional<Command> next(std::string& problem);

  // The next `size` bytes, which have no header; nothing if they have not all arrived.
  std::optional<std::string> next_bare(std::size_t size);

  // All bytes that were appended have been returned.
  bool is_empty() const { return bytes_.empty(); }

 private:
  std::string take(std::size_t size);

  CommandSender sender_;
  std::string bytes_;
};

}  // namespace lintel::mpi::impi
