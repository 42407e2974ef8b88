#pragma once
// The results, as a table for people and as one JSON document for programs.

#include <cstdio>
#include <string>

#include "bench/raw/options.h"
#include "bench/raw/session.h"

namespace lintel::bench {

// MB/s are 1e6 bytes a second; latency is half the round trip.
void print_table(std::FILE* out, const RawOptions& options, const RawSession& session);
// A complete JSON text, ending in a newline.
std::string to_json(const RawOptions& options, const RawSession& session);

}  // namespace lintel::bench
