#include "tests/mpi_layer/p2p/parts_fixture.h"

#include <string>

#include "base/assert.h"

namespace lintel::testing {
namespace {

constexpr std::uint64_t kUnexpectedBytes = std::uint64_t{1} << 20;
constexpr std::uint32_t kHeaders = 4;

}  // namespace

PartsTest::Side::Side(portals::Process& process)
    : engine(process),
      credit(deferred_work),
      controls(engine, deferred_work),
      watch(engine, peers, controls, kContactAfter, true),
      unexpected_blocks(engine),
      placement(engine, controls),
      ends(watch, deferred_work, true),
      sends(shared()),
      receives(shared(), unexpected_blocks, kMostPosted),
      probes(engine, peers, receives, unexpected_blocks) {
  kLock.is_held();
  std::string explanation;
  const bool opened = engine.open(100, 100, explanation) && engine.set_up();
  LINTEL_ASSERT(opened);
  portals::DescriptorRules control;
  control.described.options =
      portals::option::kPut | portals::option::kStartDisable | portals::option::kLinkDisable;
  SlotId entry;
  const portals::Status appended =
      engine.append(mpi::kControlPortal, portals::PortalList::kPriority,
                    {mpi::kAnyProcess, 0, ~0ULL}, control, false, entry);
  LINTEL_ASSERT(appended == portals::Status::kOk);
  const std::uint64_t longest = mpi::UnexpectedBlocks::longest(kUnexpectedBytes, kEager);
  const portals::Status landed = unexpected_blocks.open(kUnexpectedBytes, longest);
  LINTEL_ASSERT(landed == portals::Status::kOk);
  credit.set_window({mpi::UnexpectedBlocks::window(kUnexpectedBytes, longest), kHeaders}, 1);
  controls.set_window(kHeaders);
  sends.set_eager_limit(kEager);
}

std::vector<portals::Event> PartsTest::Side::take_events() {
  std::vector<portals::Event> events;
  while (const portals::Event* const event = engine.take_event()) events.push_back(*event);
  return events;
}

void PartsTest::Side::drain() {
  for (const portals::Event& event : take_events()) {
    switch (event.kind) {
      case portals::EventKind::kPutEnd:
      case portals::EventKind::kPutOverflow:
        if (event.portal_index == mpi::kMessagePortal) receives.on_message(event);
        break;
      case portals::EventKind::kAck: sends.on_ack(event); break;
      case portals::EventKind::kGetEnd: sends.on_rest_pulled(event); break;
      case portals::EventKind::kReplyEnd: receives.on_pulled(event); break;
      default: break;
    }
  }
}

PartsTest::PartsTest()
    : processes({.processes = 2, .endpoint = {.eager_limit = kEager, .max_operations = 4096}}),
      sides{std::make_unique<Side>(processes.process(0)),
            std::make_unique<Side>(processes.process(1))},
      here(*sides[0]),
      there(*sides[1]) {
  kLock.is_held();
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Side& side = *sides[rank];
    side.peer = &side.peers.add(SimulatedProcesses::name(1 - rank));
    side.credit.open(*side.peer, 1);
    side.watch.open(*side.peer);
  }
}

}  // namespace lintel::testing
