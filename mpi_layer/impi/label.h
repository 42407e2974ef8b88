#pragma once
// Labels: what the clients of IMPI tell each other through the server during start-up, in ascending
// order.

#include <cstdint>
#include <span>
#include <string>

namespace lintel::mpi::impi {

// A signed number of 32 bits. A server forwards labels that it does not know.
using Label = std::int32_t;

inline constexpr Label kNoLabel = 0;
// One element from each client; for kVersion, one for each version that the client supports.
inline constexpr Label kVersion = 0x1000;
inline constexpr Label kClientHosts = 0x1100;
inline constexpr Label kClientProcs = 0x1200;
inline constexpr Label kDataLength = 0x1300;  // most data of a packet; PKTLEN in the draft
inline constexpr Label kTagUpperBound = 0x1400;
inline constexpr Label kCollectiveCrossoverSize = 0x1500;
inline constexpr Label kCollectiveMaxLinear = 0x1600;
// One element for each of its hosts.
inline constexpr Label kHostAddress = 0x2000;
inline constexpr Label kHostPort = 0x2100;
inline constexpr Label kHostProcs = 0x2200;
inline constexpr Label kHostAckmark = 0x2300;
inline constexpr Label kHostHiwater = 0x2400;
// One element for each of its processes, in the order of hosts.
inline constexpr Label kProcAddress = 0x3000;
inline constexpr Label kProcPid = 0x3100;

struct LabelRow {
  Label label;
  const char* name;  // the name in the specification
};

// All labels of IMPI 0.0, ascending. Every client sends every label.
std::span<const LabelRow> labels();

// "IMPI_C_NHOSTS (0x1100)"; for a label that is not in IMPI 0.0, its number.
std::string text_of_label(Label label);

}  // namespace lintel::mpi::impi
