#pragma once
// Pmi1Line: one command or answer on PMI-1's wire, "cmd=put kvsname=job key=card-0 value=6c69": a
// value.
//
// Such lines come from another program. parse_pmi1_line() accepts what this grammar allows and
// refuses everything else:
//   line  = pair *(1*" " pair)   at most kMaxPmi1LineBytes, without its newline; blanks before and
//         after are ignored
//   pair  = key "=" text         key: letters, digits, "_", "-", "."; not twice in a line. text: no
//         blank, no control character; may be empty
// The values of the keys msg, message and error_msg are free text: words without a "=" that follow
// belong to the value. The key "cmd" is required, and names the command.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lintel::mpi {

// Clients and launchers of MPICH write at most 1024 bytes; hydra may answer with more.
inline constexpr std::size_t kMaxPmi1LineBytes = 4096;

class Pmi1Line {
 public:
  explicit Pmi1Line(std::string command) : command_(std::move(command)) {}

  const std::string& command() const { return command_; }
  // Null if the line has no such key. Valid until the line is changed.
  const std::string* find(std::string_view key) const;
  // The text of `key` as a decimal number from 0 to `maximum`; nothing if the key is absent or its
  // text is no such number.
  std::optional<unsigned> number(std::string_view key, unsigned maximum) const;

  // REQUIRES: the grammar allows key and text, and the line does not have the key yet.
  Pmi1Line& add(std::string key, std::string text);
  Pmi1Line& add(std::string key, std::size_t number) {
    return add(std::move(key), std::to_string(number));
  }

  // The encoded line, with its newline.
  std::string text() const;

  bool operator==(const Pmi1Line&) const = default;

 private:
  friend std::optional<Pmi1Line> parse_pmi1_line(std::string_view line, std::string& problem);

  std::string command_;
  std::vector<std::pair<std::string, std::string>> pairs_;  // without cmd, in order
};

// `line` without its newline. If it is refused, `problem` says what is wrong with it, as the end of
// a sentence.
std::optional<Pmi1Line> parse_pmi1_line(std::string_view line, std::string& problem);

// A foreign line for an error message: shortened, with unprintable characters replaced.
std::string quoted_pmi1(std::string_view line);

}  // namespace lintel::mpi
