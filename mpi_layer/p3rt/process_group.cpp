#include "mpi_layer/p3rt/process_group.h"

#include "mpi_layer/bootstrap/business_card.h"

namespace lintel::p3rt {
namespace {

std::string dotted(NodeId nid) {
  const std::string text = mpi::text_of({nid, Pid()});
  return text.substr(0, text.find(':'));
}

}  // namespace

GroupMismatch compare(const ProcessGroup& group, ProcessId self, std::string& sentence) {
  const auto differ = [&](const std::string& told, const std::string& real) {
    sentence = "the group has " + told + " for its rank " + std::to_string(group.rank) +
               ", and this process, which is that rank, has " + real;
  };
  if (group.nids && (*group.nids)[group.rank] != self.nid) {
    differ("nid " + dotted((*group.nids)[group.rank]),
           "nid " + dotted(self.nid) + "; expected the same (LINTEL_INTERFACE)");
    return GroupMismatch::kNid;
  }
  if (group.pids && (*group.pids)[group.rank] != self.pid) {
    differ("pid " + std::to_string((*group.pids)[group.rank].value),
           "pid " + std::to_string(self.pid.value) + "; expected the same");
    return GroupMismatch::kPid;
  }
  return GroupMismatch::kNone;
}

}  // namespace lintel::p3rt
