#pragma once
// Pmi1Line: one command or answer on PMI-1's wire, "cmd=put kvsname=job key=card-0 value=6c69": a
// value.
//
// Such lines come from another program. parse_pmi1_line() takes what this grammar allows and
// refuses the rest:
//   line  = pair *(1*" " pair)   at most kMaxPmi1LineBytes, without its newline; blanks before and
//         after are passed over
//   pair  = key "=" text         key: letters, digits, "_", "-", "."; not twice in a line. text: no
//         blank, no control character; may be empty
// Free text follows the keys msg, message and error_msg: words without a "=" after one belong to
// it. One key is "cmd", and names what the line is.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lintel::mpi {

// MPICH's clients and launchers write at most 1024; hydra may answer with more.
inline constexpr std::size_t kMaxPmi1LineBytes = 4096;

class Pmi1Line {
 public:
  explicit Pmi1Line(std::string command) : command_(std::move(command)) {}

  const std::string& command() const { return command_; }
  // Null when the line has no such key. Lives as long as the line is not changed.
  const std::string* find(std::string_view key) const;
  // The text of `key` as a decimal number from 0 to `maximum`; nothing when it is absent or is
  // none.
  std::optional<unsigned> number(std::string_view key, unsigned maximum) const;

  // REQUIRES: key and text are as the grammar has them, and the key is new.
  Pmi1Line& add(std::string key, std::string text);
  Pmi1Line& add(std::string key, std::size_t number) {
    return add(std::move(key), std::to_string(number));
  }

  // As it travels, with its newline.
  std::string text() const;

  bool operator==(const Pmi1Line&) const = default;

 private:
  friend std::optional<Pmi1Line> parse_pmi1_line(std::string_view line, std::string& problem);

  std::string command_;
  std::vector<std::pair<std::string, std::string>> pairs_;  // without cmd, in their order
};

// `line` without its newline. When it is refused, `problem` says what is wrong with it, as the end
// of a sentence.
std::optional<Pmi1Line> parse_pmi1_line(std::string_view line, std::string& problem);

// A foreign line for a sentence: cut to a readable length, what cannot be printed replaced.
std::string quoted_pmi1(std::string_view line);

}  // namespace lintel::mpi
