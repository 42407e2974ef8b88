#pragma once
// What a process of a chain does, from its first call of Portals to its end. The way into the library lintel_perf_api4; knows no API itself.

#include "chain_kind.h"
#include "seam.h"

namespace lintel::perf {

// Obeys the messages that come through the socket `link`, which it owns (chain_link.h), and returns when told to end, or when the other end is gone.
// A failure is told there, and ends the process. REQUIRES: nothing of Portals has been called in this process.
LINTEL_PERF_SEAM void serve_chain_rank(ChainKind kind, unsigned rank, unsigned processes, int link) noexcept;

}  // namespace lintel::perf
