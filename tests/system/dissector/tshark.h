#pragma once
// Runs tshark with both dissectors of tools/wireshark/ over a capture.

#include <map>
#include <string>
#include <vector>

namespace lintel::test {

// A packet's fields by name; each field's values in order, as tshark prints them. A field that the
// packet does not have is empty.
using DecodedPacket = std::map<std::string, std::vector<std::string>>;

// The packets in which a message of Lintel, of the framing around it, or of IMPI ends, each with
// these fields. `options`: more arguments for tshark, as the shell reads them. Throws
// std::runtime_error with tshark's message if it fails.
std::vector<DecodedPacket> decode(const std::string& capture,
                                  const std::vector<std::string>& fields,
                                  const std::string& options = "");

// All of tshark's output about the capture, including errors of the script.
std::string decode_verbosely(const std::string& capture, const std::string& options = "");

}  // namespace lintel::test
