#pragma once
// Probes: finds the unexpected message that a receive would get, and removes it for a matched
// probe.
//
// Owned by the messenger; the process' lock guards it. Borrows the parts that it is given; has no
// state of its own.
// Does not: wait, or watch the source. Messenger does both.

#include "mpi_layer/p2p/receives.h"

namespace lintel::mpi {

// `source` may be kAnySource, or kProcNull, which is found at once; `tag` may be kAnyTag.
struct ProbeArguments {
  std::int32_t source = kAnySource;
  std::uint32_t context = 0;
  std::int32_t tag = kAnyTag;
  // iprobe and improbe make a turn of progress before they search.
  bool drives = true;
};

class Probes {
 public:
  Probes(EngineAccess& engine, PeerTable& peers, Receives& receives,
         UnexpectedBlocks& unexpected_blocks)
      : engine_(engine),
        peers_(peers),
        receives_(receives),
        unexpected_blocks_(unexpected_blocks) {}
  Probes(const Probes&) = delete;
  Probes& operator=(const Probes&) = delete;

  // True if a receive with these arguments would get a message now; its source, tag and length are
  // in `envelope`. REQUIRES, as does take(): Receives::check() accepts the arguments.
  bool look(const ProbeArguments& arguments, MessageResult& envelope) LINTEL_REQUIRES(kLock);
  // The same, and moves the message to `message`. False also if there is no memory for its bytes.
  bool take(const ProbeArguments& arguments, MatchedMessage& message) LINTEL_REQUIRES(kLock);

 private:
  portals::UnexpectedMessage* find(const ProbeArguments& arguments) LINTEL_REQUIRES(kLock);

  EngineAccess& engine_;
  PeerTable& peers_;
  Receives& receives_;
  UnexpectedBlocks& unexpected_blocks_;
};

}  // namespace lintel::mpi
