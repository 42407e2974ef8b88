#include "run_description.h"

namespace lintel::perf {

std::string completion_name(Completion completion) {
  return completion == Completion::kRemote
             ? "remote (a put is done with its ACK: the target has the bytes)"
             : "local (a put is done with its SEND_END: its memory may be used again); the time ends when the target has all puts";
}

}  // namespace lintel::perf
