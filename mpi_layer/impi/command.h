#pragma once
// Command: what client and server of IMPI say to each other during start-up: a word of four
// letters, a length, and so many bytes.
//
// Two things that are said at the beginning have no such header: the server's choice of an
// authentication mechanism, and a client's key. They are bare bytes.

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

// As it travels.
std::string encode(CommandWord word, std::string_view payload);

// "AUTH"; of a word that is no command what can be printed of it, and its number.
std::string text_of_word(std::uint32_t word);

enum class Side { kClient, kServer };

// CommandReader: cuts the bytes that `sender` has sent into commands, in whatever pieces they come.
//
// A header that no sender of IMPI writes is refused before its bytes are waited for. So what is
// held is one command at most, beyond what was appended since next() last gave nothing. Does not
// read: its owner does, and appends.
class CommandReader {
 public:
  explicit CommandReader(Side sender) : sender_(sender) {}

  void append(std::string_view bytes) { bytes_ += bytes; }

  // The word of the next command, as soon as its header is there. Nothing until then, and when the
  // header is refused: `problem` says why then, as the end of a sentence.
  std::optional<CommandWord> next_word(std::string& problem) const;

  // The next command; nothing when it has not all come, or is refused as above.
  std::optional<Command> next(std::string& problem);

  // The next `size` bytes, which have no header; nothing when they have not all come.
  std::optional<std::string> next_bare(std::size_t size);

  // Nothing is there that has not been given.
  bool is_empty() const { return bytes_.empty(); }

 private:
  std::string take(std::size_t size);

  Side sender_;
  std::string bytes_;
};

}  // namespace lintel::mpi::impi
