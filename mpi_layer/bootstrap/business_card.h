#pragma once
// BusinessCard: what a process of a job tells all others at start-up: a value, and its encoding as
// text.
//
// The text is one line of six pairs, separated by one blank, all of them required, in this order:
//   lintel=0.1.0 wire=1 provider=tcp;ofi_rxm id=127.0.0.1:34567 node=host/5f0c...
//   secret=00112233445566778899aabbccddeeff
// The first pair never changes, so that every version can tell which version wrote a card. The
// others may change with the version of Lintel, which is the same in all processes of a job. A "%",
// a blank and every byte that is not printable ASCII are written as "%" and two hexadecimal digits.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "mpi_layer/bootstrap/job_secret.h"
#include "mpi_layer/bootstrap/outcome.h"

namespace lintel::mpi {

struct BusinessCard {
  std::string lintel_version;      // lintel_version()
  std::uint32_t wire_version = 0;  // of the engine's messages, doc/wire_format.md
  std::string provider;            // of libfabric, by its name
  ProcessId id;
  std::string node;       // node_name()
  JobSecret secret_part;  // the part of this process in the job's secret

  bool operator==(const BusinessCard&) const = default;
};

// A card of this process on this node, with a new random secret part. Fails if the system has no
// random numbers.
Outcome<BusinessCard> new_card(std::string lintel_version, std::uint32_t wire_version,
                               std::string provider, ProcessId id);

std::string encode(const BusinessCard& card);

// The version of Lintel that wrote `text`. If it fails, as decode_card() may, the message is the
// end of a sentence that says what is wrong with the card.
Outcome<std::string> version_of_card(std::string_view text);

// Accepts exactly the texts that encode() returns.
Outcome<BusinessCard> decode_card(std::string_view text);

// "127.0.0.1:34567", for messages.
std::string text_of(ProcessId id);

}  // namespace lintel::mpi
