#pragma once
// BusinessCard: what a process of a job tells all others at start-up: a value, and the text that
// carries it.
//
// The text is one line of six pairs, one blank between them, in this order, all of them there:
//   lintel=0.1.0 wire=1 provider=tcp;ofi_rxm id=127.0.0.1:34567 node=host/5f0c...
//   secret=00112233445566778899aabbccddeeff
// The first pair never changes, so that any version can tell which version has written a card; the
// others may change with the version of Lintel, which is the same in all processes of a job. In
// texts a "%", a blank and whatever is not printable ASCII are written as "%" and two hexadecimal
// digits.

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
  JobSecret secret_part;  // this process' part of the job's secret

  bool operator==(const BusinessCard&) const = default;
};

// The card of this process, on this node, with a secret part that is drawn for it. Fails without
// random numbers.
Outcome<BusinessCard> new_card(std::string lintel_version, std::uint32_t wire_version,
                               std::string provider, ProcessId id);

std::string encode(const BusinessCard& card);

// The version of Lintel that has written `text`. Fails, as decode() does, with what is wrong with
// the card as the end of a sentence.
Outcome<std::string> version_of_card(std::string_view text);

// Takes exactly what encode() gives.
Outcome<BusinessCard> decode_card(std::string_view text);

// "127.0.0.1:34567": a process for people.
std::string text_of(ProcessId id);

}  // namespace lintel::mpi
