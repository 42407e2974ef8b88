#include "mpi_layer/impi/command.h"

#include <algorithm>
#include <cstdio>

#include "mpi_layer/impi/big_endian.h"

namespace lintel::mpi::impi {
namespace {

constexpr std::size_t kHeaderBytes = 8;
// Some versions of LAM sent FINI in the byte order of their machine.
constexpr std::uint32_t kSwappedFini = 0x494E4946;

struct Lengths {
  std::size_t least, most;
};

std::optional<Lengths> lengths_of(CommandWord word, CommandSender sender) {
  constexpr std::size_t kNumber = 4;
  const bool is_client = sender == CommandSender::kClient;
  switch (word) {
    case CommandWord::kAuth:
      return is_client ? std::optional(Lengths{kNumber, kNumber}) : std::nullopt;
    case CommandWord::kImpi: return Lengths{kNumber, kNumber};
    case CommandWord::kColl:
      return is_client ? Lengths{kNumber, kNumber + kMaxContributionBytes}
                       : Lengths{2 * kNumber, 2 * kNumber + kMaxClients * kMaxContributionBytes};
    case CommandWord::kDone: return Lengths{0, 0};
    case CommandWord::kFini: return is_client ? std::optional(Lengths{0, 0}) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string encode(CommandWord word, std::string_view payload) {
  std::string bytes;
  bytes.reserve(kHeaderBytes + payload.size());
  append_number(bytes, static_cast<std::uint32_t>(word));
  append_number(bytes, static_cast<std::uint32_t>(payload.size()));
  return bytes.append(payload);
}

std::string text_of_word(std::uint32_t word) {
  std::string letters;
  append_number(letters, word);
  if (lengths_of(static_cast<CommandWord>(word), CommandSender::kClient)) return letters;
  std::replace_if(
      letters.begin(), letters.end(), [](char c) { return c < 0x20 || c > 0x7e || c == '"'; }, '?');
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", static_cast<unsigned>(word));
  return std::string(number) + " (\"" + letters + "\")";
}

std::optional<CommandWord> CommandReader::next_word(std::string& problem) const {
  if (bytes_.size() < kHeaderBytes) return std::nullopt;
  auto number = number_at<std::uint32_t>(bytes_, 0);
  if (number == kSwappedFini && sender_ == CommandSender::kClient)
    number = static_cast<std::uint32_t>(CommandWord::kFini);
  const auto word = static_cast<CommandWord>(number);
  const auto lengths = lengths_of(word, sender_);
  if (!lengths) {
    problem = "it sent " + text_of_word(number) + "; expected " +
              (sender_ == CommandSender::kClient ? "AUTH, IMPI, COLL, DONE or FINI"
                                                 : "IMPI, COLL or DONE");
    return std::nullopt;
  }
  const std::size_t length = number_at<std::uint32_t>(bytes_, 4);
  if (length < lengths->least || length > lengths->most) {
    problem = "it sent " + text_of_word(number) + " with " + std::to_string(length) +
              " bytes; expected " + std::to_string(lengths->least);
    if (lengths->most > lengths->least) problem += " to " + std::to_string(lengths->most);
    return std::nullopt;
  }
  return word;
}

std::optional<Command> CommandReader::next(std::string& problem) {
  const auto word = next_word(problem);
  if (!word) return std::nullopt;
  const std::size_t length = number_at<std::uint32_t>(bytes_, 4);
  if (bytes_.size() - kHeaderBytes < length) return std::nullopt;
  std::string whole = take(kHeaderBytes + length);
  whole.erase(0, kHeaderBytes);
  return Command{*word, std::move(whole)};
}

std::optional<std::string> CommandReader::next_bare(std::size_t size) {
  if (bytes_.size() < size) return std::nullopt;
  return take(size);
}

std::string CommandReader::take(std::size_t size) {
  std::string taken = bytes_.substr(0, size);
  bytes_.erase(0, size);
  return taken;
}

}  // namespace lintel::mpi::impi
