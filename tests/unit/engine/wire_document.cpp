#include "wire_document.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lintel::test {
namespace {

[[noreturn]] void malformed(std::size_t line_number, const std::string& line) {
  throw std::runtime_error("wire document, line " + std::to_string(line_number) +
                           ": cannot read '" + line + "'");
}

std::uint64_t number(const std::string& text) { return std::stoull(text, nullptr, 0); }

std::string between(const std::string& text, std::size_t from, std::size_t to) {
  return text.substr(from, to - from);
}

// "16", "0x0010", "10.0.0.1", "\"text\"", or "bytes", which have no other value than themselves.
void set_value(ExampleField& field, const std::string& shown) {
  if (shown == "bytes") return;
  if (shown.front() == '"') {
    field.text = between(shown, 1, shown.size() - 1);
    return;
  }
  std::uint64_t value = 0;
  std::istringstream parts(shown);
  for (std::string part; std::getline(parts, part, '.');) value = value << 8 | number(part);
  field.value = value;
}

void read_comment(ExampleField& field, const std::string& comment) {
  constexpr std::string_view kEquals = " = ";
  const std::size_t equals = comment.find(kEquals);
  if (equals == std::string::npos) return;
  field.name = comment.substr(0, equals);
  set_value(field, between(comment, equals + kEquals.size(),
                           std::min(comment.find("  (", equals), comment.size())));
}

void read_example_line(Example& example, std::size_t line_number, const std::string& line) {
  constexpr std::size_t kOffsetDigits = 4;
  if (line.size() < kOffsetDigits ||
      std::stoul(line.substr(0, kOffsetDigits), nullptr, 16) != example.bytes.size())
    malformed(line_number, line);
  const std::size_t comment = line.find("# ");
  if (comment != std::string::npos) {
    ExampleField& field = example.fields.emplace_back();
    field.offset = example.bytes.size();
    read_comment(field, line.substr(comment + 2));
  }
  if (example.fields.empty()) malformed(line_number, line);
  std::istringstream bytes(between(line, kOffsetDigits, std::min(comment, line.size())));
  for (std::string byte; bytes >> byte; ++example.fields.back().size) {
    if (byte.size() != 2) malformed(line_number, line);
    example.bytes.push_back(static_cast<std::byte>(std::stoul(byte, nullptr, 16)));
  }
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto from = cell.find_first_not_of(' ');
    all.push_back(
        from == std::string::npos ? "" : cell.substr(from, cell.find_last_not_of(' ') - from + 1));
  }
  return all;
}

}  // namespace

const ExampleField* Example::field(std::string_view wanted) const {
  for (const ExampleField& each : fields) {
    if (each.name == wanted) return &each;
  }
  return nullptr;
}

const Example& WireDocument::example(std::string_view layer, std::string_view name) const {
  for (const Example& each : examples) {
    if (each.layer == layer && each.name == name) return each;
  }
  throw std::out_of_range("the wire document has no example '" + std::string(layer) + " " +
                          std::string(name) + "'");
}

const Layout& WireDocument::layout(std::string_view name) const {
  for (const Layout& each : layouts) {
    if (each.name == name) return each;
  }
  throw std::out_of_range("the wire document has no layout '" + std::string(name) + "'");
}

WireDocument read_wire_document(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read the wire document '" + path + "'");
  constexpr std::string_view kHeading = "### ";
  constexpr std::string_view kBlock = "```hex ";
  WireDocument document;
  std::string heading;
  bool in_block = false;
  bool in_layout = false;
  std::size_t line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (in_block) {
      in_block = line != "```";
      if (in_block) read_example_line(document.examples.back(), line_number, line);
    } else if (line.starts_with(kBlock)) {
      in_block = true;
      Example& example = document.examples.emplace_back();
      std::istringstream(line.substr(kBlock.size())) >> example.layer >> example.name;
    } else if (line.starts_with(kHeading)) {
      heading = between(line, kHeading.size(),
                        std::min(line.find_first_of(" ,:", kHeading.size()), line.size()));
    } else if (line.starts_with("| offset | size | ")) {
      in_layout = true;
      const std::string title = cells(line)[2];
      document.layouts.push_back({title == "field" ? heading : title, {}});
    } else if (!line.starts_with("|")) {
      in_layout = false;
    } else if (in_layout && !line.starts_with("| ---")) {
      const auto row = cells(line);
      if (row.size() < 4) malformed(line_number, line);
      document.layouts.back().rows.push_back({number(row[0]), number(row[1]), row[2]});
    }
  }
  return document;
}

}  // namespace lintel::test
