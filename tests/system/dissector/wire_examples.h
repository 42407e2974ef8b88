#pragma once
// The examples of doc/wire_format.md.

#include "frame_bytes.h"
#include "wire_document.h"

namespace lintel::test {

inline const WireDocument& document() {
  static const WireDocument the_document = read_wire_document(LINTEL_WIRE_DOCUMENT);
  return the_document;
}

inline const Bytes& example_message(const char* name) {
  return document().example("message", name).bytes;
}
inline const Bytes& example_of_stream(const char* name) {
  return document().example("stream", name).bytes;
}

}  // namespace lintel::test
