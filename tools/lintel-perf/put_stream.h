#pragma once
// A stream of puts one way: what put bandwidth and message rate have in common.

#include "row.h"
#include "session.h"
#include "settings.h"

namespace lintel::perf {

struct PutStream {
  std::vector<double> seconds;  // of each repeat, for row.iterations messages
  Row row;                      // without metrics
};

// Timed from the first PtlPut until the target has all messages: each acknowledged (remote completion), or each with its SEND_END here and the target's word
// that it counted all of them (local completion).
PutStream run_put_stream(Session& session, const Settings& settings, std::uint64_t size);

}  // namespace lintel::perf
