#include "mpi_layer/bootstrap/pmi1_line.h"

#include <algorithm>

#include "base/assert.h"
#include "base/quantity.h"

namespace lintel::mpi {
namespace {

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

bool is_control_character(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool holds_free_text(std::string_view key) {
  return key == "msg" || key == "message" || key == "error_msg";
}

bool is_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), is_key_character);
}

// The end of the text that begins at `start`.
std::size_t text_end(std::string_view line, std::size_t start, bool free_text) {
  std::size_t end = std::min(line.find(' ', start), line.size());
  while (free_text && end < line.size()) {
    const std::size_t next = std::min(line.find(' ', end + 1), line.size());
    if (line.substr(end, next - end).find('=') != std::string_view::npos) break;
    end = next;
  }
  return end;
}

bool is_text(std::string_view key, std::string_view text) {
  return std::none_of(text.begin(), text.end(), is_control_character) &&
         text_end(text, 0, holds_free_text(key)) == text.size();
}

}  // namespace

const std::string* Pmi1Line::find(std::string_view key) const {
  const auto found = std::find_if(pairs_.begin(), pairs_.end(),
                                  [key](const auto& pair) { return pair.first == key; });
  return found == pairs_.end() ? nullptr : &found->second;
}

std::optional<unsigned> Pmi1Line::number(std::string_view key, unsigned maximum) const {
  const std::string* text = find(key);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_integer(*text);
  if (!number || *number > maximum) return std::nullopt;
  return static_cast<unsigned>(*number);
}

Pmi1Line& Pmi1Line::add(std::string key, std::string text) {
  LINTEL_ASSERT(is_key(key) && key != "cmd" && find(key) == nullptr && is_text(key, text));
  pairs_.emplace_back(std::move(key), std::move(text));
  return *this;
}

std::string Pmi1Line::text() const {
  std::string line = "cmd=" + command_;
  for (const auto& [key, text] : pairs_) line += " " + key + "=" + text;
  return line + "\n";
}

std::optional<Pmi1Line> parse_pmi1_line(std::string_view line, std::string& problem) {
  if (line.size() > kMaxPmi1LineBytes) {
    problem = "it has " + std::to_string(line.size()) + " bytes; expected at most " +
              std::to_string(kMaxPmi1LineBytes);
    return std::nullopt;
  }
  if (std::any_of(line.begin(), line.end(), is_control_character)) {
    problem = "it has a control character; expected printable text";
    return std::nullopt;
  }
  std::optional<std::string> command;
  Pmi1Line parsed("");
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) break;
    const std::size_t equals = line.find('=');
    const std::string_view key = line.substr(0, std::min({equals, line.find(' '), line.size()}));
    if (!is_key(key) || key.size() != equals) {
      problem =
          "'" + quoted_pmi1(key) + "' is no key with a value; expected pairs such as key=text";
      return std::nullopt;
    }
    const std::size_t end = text_end(line, equals, holds_free_text(key));
    const std::string_view text = line.substr(equals + 1, end - equals - 1);
    line.remove_prefix(end);
    if (key == "cmd" ? command.has_value() : parsed.find(key) != nullptr) {
      problem = "the key '" + std::string(key) + "' is there twice";
      return std::nullopt;
    }
    if (key == "cmd") {
      command = text;
    } else {
      parsed.add(std::string(key), std::string(text));
    }
  }
  if (!command || command->empty()) {
    problem = "it names no command; expected cmd= with a name";
    return std::nullopt;
  }
  Pmi1Line whole(*command);
  whole.pairs_ = std::move(parsed.pairs_);
  return whole;
}

std::string quoted_pmi1(std::string_view line) {
  constexpr std::size_t kReadable = 120;
  while (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  std::string text(line.substr(0, kReadable));
  std::replace_if(text.begin(), text.end(), is_control_character, '?');
  if (line.size() > kReadable) text += "...";
  return text;
}

}  // namespace lintel::mpi
