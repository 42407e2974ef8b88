#pragma once
// Reads doc/wire_format.md: its hex blocks and its layout tables, so that tests can hold the code
// to them.
//
// A hex block starts with "```hex message put" or "```hex frame hello". Its lines are "offset
// bytes  # name = value  (note)", where the bytes of a long field go on in lines without a "#". A
//        layout table has the columns offset and size first and the field's name third.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lintel::test {

// One field of a hex block.
struct ExampleField {
  std::size_t offset = 0;  // of its first byte in the block
  std::size_t size = 0;
  std::string name;                    // empty: bytes without a value (padding)
  // Neither of them: the bytes have no other value than themselves.
  std::optional<std::uint64_t> value;  // a number or a nid in dotted form
  std::optional<std::string> text;     // a quoted value
};

struct Example {
  std::string layer;  // "message", "frame" or "stream"
  std::string name;   // "put", "announced-put", "hello", ...
  std::vector<std::byte> bytes;
  std::vector<ExampleField> fields;

  // The first field of that name; nullptr if there is none.
  const ExampleField* field(std::string_view name) const;
};

struct LayoutRow {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::string name;
};

struct Layout {
  std::string name;  // of the struct
  std::vector<LayoutRow> rows;
};

struct WireDocument {
  std::vector<Example> examples;
  std::vector<Layout> layouts;

  // Both throw std::out_of_range, with the name, if the document has no such thing.
  const Example& example(std::string_view layer, std::string_view name) const;
  const Layout& layout(std::string_view name) const;
};

// Throws std::runtime_error, naming the line, if the file cannot be read or a block or table is
// malformed.
WireDocument read_wire_document(const std::string& path);

}  // namespace lintel::test
