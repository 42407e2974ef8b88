// Many processes, each pair with random operations over a network that reorders what it may.
//
// Nothing may be lost or come twice. Requests of a pair are matched in the order of their calls.
// Messages without a match are counted exactly. Every byte is right. Each process has, for each
// other one, a log of what it must see. hdr_data and match bits carry (initiator, number), so that
// the target's events alone identify what arrived.

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/protocol/protocol_test.h"
#include "tests/sanitized.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kProcesses = 64;
constexpr std::size_t kOperations = 6000;
constexpr ptl_pt_index_t kPutPortal = 3;
constexpr ptl_pt_index_t kGetPortal = 4;
constexpr ptl_pt_index_t kSwapPortal = 5;
constexpr ptl_pt_index_t kNobodysPortal = 6;
constexpr std::size_t kLongest = 3000;
constexpr std::size_t kSlots = 40;  // places for puts at each target, for each initiator

enum class SimulatedKind { kPut, kAckedPut, kGet, kGetPut, kDroppedPut, kDroppedGet };
constexpr std::size_t kKinds = 6;

struct Issued {
  SimulatedKind kind;
  std::size_t from;
  std::size_t to;
  std::size_t length;
  ptl_hdr_data_t number;  // counts all matching requests of this pair
  ptl_size_t offset = 0;
  Bytes buffer;  // what is sent, or the destination
  Bytes old;     // getput: destination of the old contents
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
};

class Simulation : public ProtocolTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  Simulation() : ProtocolTest(JobOptions{.processes = 0}), random_(GetParam()) {
    JobOptions options;
    options.processes = kProcesses;
    options.network.seed = GetParam();
    options.network.attributes.max_write_bytes = 1000;
    job = std::make_unique<SimulatedJob>(options);
    for (std::size_t rank = 0; rank < kProcesses; ++rank) open(rank);
  }

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  void open(std::size_t rank) {
    Node& node = nodes_[rank];
    node.landing.resize(kProcesses * kSlots * kLongest / 8);
    node.readable = pattern(1 << 14, static_cast<std::uint8_t>(rank));
    node.swapped.assign(256, 0);
    job->as(rank);
    ASSERT_EQ(PtlEQAlloc(job->ni(), 1 << 14, PTL_EQ_HANDLER_NONE, &node.targets), PTL_OK);
    ASSERT_EQ(PtlEQAlloc(job->ni(), 1 << 14, PTL_EQ_HANDLER_NONE, &node.initiators), PTL_OK);
    serve(kPutPortal, node.landing, kPut, node.targets);
    serve(kGetPortal, node.readable, kGet, node.targets);
    serve(kSwapPortal, node.swapped, kBoth, node.targets);
  }
  void serve(ptl_pt_index_t portal, Bytes& memory, unsigned operations, ptl_handle_eq_t eq) {
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    ASSERT_EQ(PtlMEAttach(job->ni(), portal, kAnyone, 0, ~0ULL, PTL_RETAIN, PTL_INS_AFTER, &me),
              PTL_OK);
    ASSERT_EQ(PtlMDAttach(me,
                          {memory.data(), memory.size(), kForever, 0,
                           operations | PTL_MD_MANAGE_REMOTE, nullptr, eq},
                          PTL_RETAIN, &md),
              PTL_OK);
  }

  void issue(std::size_t serial);
  void check_targets();
  void check_initiators();

  struct Node {
    Bytes landing;
    Bytes readable;
    Bytes swapped;
    ptl_handle_eq_t targets = PTL_EQ_NONE;
    ptl_handle_eq_t initiators = PTL_EQ_NONE;
    std::size_t landed = 0;  // bytes of `landing` already handed out
    std::uint64_t expected_drops = 0;
    std::uint64_t expected_dropped_bytes = 0;
  };
  std::mt19937_64 random_;
  std::array<Node, kProcesses> nodes_;
  std::vector<Issued> issued_;
  std::array<std::array<ptl_hdr_data_t, kProcesses>, kProcesses> next_number_{};
};

void Simulation::issue(std::size_t serial) {
  Issued& operation = issued_[serial];
  operation.kind = static_cast<SimulatedKind>(below(kKinds));
  operation.from = below(kProcesses);
  operation.to = below(kProcesses);
  operation.length = operation.kind == SimulatedKind::kGetPut ? 1 + below(200)
                     : below(10) == 0                         ? 0
                     : below(3) == 0                          ? below(kLongest)
                                                              : below(64);
  operation.buffer = pattern(operation.length, static_cast<std::uint8_t>(serial));
  operation.old.resize(operation.length);
  Node& from = nodes_[operation.from];
  Node& to = nodes_[operation.to];
  const bool matches =
      operation.kind != SimulatedKind::kDroppedPut && operation.kind != SimulatedKind::kDroppedGet;
  if (matches) operation.number = ++next_number_[operation.from][operation.to];
  job->as(operation.from);
  const ptl_process_id_t target = job->id(operation.to);
  const ptl_match_bits_t bits = operation.number;
  const auto make = [&](Bytes& memory) {
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    void* const tag = &operation;
    EXPECT_EQ(
        PtlMDBind(job->ni(), {memory.data(), memory.size(), kForever, 0, 0, tag, from.initiators},
                  PTL_RETAIN, &md),
        PTL_OK);
    return md;
  };
  operation.md = make(operation.buffer);
  switch (operation.kind) {
    case SimulatedKind::kPut:
    case SimulatedKind::kAckedPut:
      operation.offset = to.landed;
      to.landed += operation.length;
      ASSERT_LE(to.landed, to.landing.size());
      ASSERT_EQ(PtlPut(operation.md,
                       operation.kind == SimulatedKind::kAckedPut ? PTL_ACK_REQ : PTL_NO_ACK_REQ,
                       target, kPutPortal, 0, bits, operation.offset, operation.number),
                PTL_OK);
      break;
    case SimulatedKind::kGet:
      operation.offset = below(to.readable.size() - operation.length);
      std::fill(operation.buffer.begin(), operation.buffer.end(), std::uint8_t{0});
      ASSERT_EQ(PtlGet(operation.md, target, kGetPortal, 0, bits, operation.offset), PTL_OK);
      break;
    case SimulatedKind::kGetPut:
      ASSERT_EQ(PtlGetPut(make(operation.old), operation.md, target, kSwapPortal, 0, bits, 0,
                          operation.number),
                PTL_OK);
      break;
    case SimulatedKind::kDroppedPut:
    case SimulatedKind::kDroppedGet:
      ++to.expected_drops;
      to.expected_dropped_bytes += operation.length;
      ASSERT_EQ(operation.kind == SimulatedKind::kDroppedPut
                    ? PtlPut(operation.md, PTL_ACK_REQ, target, kNobodysPortal, 0, 0, 0, 0)
                    : PtlGet(operation.md, target, kNobodysPortal, 0, 0, 0),
                PTL_OK);
      break;
  }
}

// Every request that matches has one START and one END. The STARTs of a pair come in the order of
// their numbers without a gap. Every other request is counted as dropped, for its reason and with
// its length, and has no event.
void Simulation::check_targets() {
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    SCOPED_TRACE("target " + std::to_string(rank));
    job->as(rank);
    std::array<ptl_hdr_data_t, kProcesses> started{};
    std::array<std::set<ptl_match_bits_t>, kProcesses> ended;
    for (const ptl_event_t& event : job->events(nodes_[rank].targets)) {
      const std::size_t from = event.initiator.nid - job->id(0).nid;
      ASSERT_LT(from, kProcesses);
      ASSERT_EQ(event.ni_fail_type, PTL_NI_OK);
      const bool start = event.type == PTL_EVENT_PUT_START || event.type == PTL_EVENT_GET_START ||
                         event.type == PTL_EVENT_GETPUT_START;
      if (start) {
        ASSERT_EQ(event.match_bits, started[from] + 1) << "from " << from;
        ++started[from];
      } else {
        ASSERT_TRUE(ended[from].insert(event.match_bits).second)
            << "request " << event.match_bits << " from " << from << " ended twice";
        ASSERT_LE(event.match_bits, started[from]) << "ended before it started, from " << from;
      }
    }
    for (std::size_t from = 0; from < kProcesses; ++from) {
      EXPECT_EQ(started[from], next_number_[from][rank]) << "from " << from;
      EXPECT_EQ(ended[from].size(), next_number_[from][rank]) << "from " << from;
    }
    EXPECT_EQ(job->status(PTL_SR_DROP_COUNT), nodes_[rank].expected_drops);
    EXPECT_EQ(job->status(PTL_SR_DROP_NO_MATCH), nodes_[rank].expected_drops);
    EXPECT_EQ(job->status(PTL_SR_DROP_LENGTH), nodes_[rank].expected_dropped_bytes);
  }
}

// Each operation has exactly its events and its bytes.
void Simulation::check_initiators() {
  std::vector<std::string> seen(issued_.size());
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    job->as(rank);
    for (const ptl_event_t& event : job->events(nodes_[rank].initiators)) {
      ASSERT_EQ(event.ni_fail_type, PTL_NI_OK);
      const auto serial =
          static_cast<std::size_t>(static_cast<const Issued*>(event.md.user_ptr) - issued_.data());
      ASSERT_LT(serial, issued_.size());
      seen[serial] += (seen[serial].empty() ? "" : " ") + kinds({event});
    }
  }
  std::array<std::vector<const Issued*>, kProcesses> swaps;
  for (std::size_t serial = 0; serial < issued_.size(); ++serial) {
    const Issued& operation = issued_[serial];
    const Node& to = nodes_[operation.to];
    SCOPED_TRACE("operation " + std::to_string(serial));
    switch (operation.kind) {
      case SimulatedKind::kPut:
      case SimulatedKind::kAckedPut:
        ASSERT_EQ(seen[serial], operation.kind == SimulatedKind::kPut ? "SEND_START SEND_END"
                                                                      : "SEND_START SEND_END ACK");
        ASSERT_EQ(part(to.landing, operation.offset, operation.length), operation.buffer);
        break;
      case SimulatedKind::kGet:
        ASSERT_EQ(seen[serial], "REPLY_START REPLY_END");
        ASSERT_EQ(operation.buffer, part(to.readable, operation.offset, operation.length));
        break;
      case SimulatedKind::kGetPut:
        ASSERT_EQ(seen[serial], "SEND_START SEND_END REPLY_START REPLY_END");
        swaps[operation.to].push_back(&operation);
        break;
      case SimulatedKind::kDroppedPut: ASSERT_EQ(seen[serial], "SEND_START SEND_END"); break;
      case SimulatedKind::kDroppedGet: ASSERT_EQ(seen[serial], ""); break;
    }
  }
  // Swaps of one place are serial. Each finds what another one left, or the initial zeros. So the
  // initial bytes and the bytes brought are the same multiset as the bytes found and the final
  // bytes.
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    std::vector<std::uint8_t> brought{0}, found{nodes_[rank].swapped[0]};
    for (const Issued* swap : swaps[rank]) {
      brought.push_back(swap->buffer[0]);
      found.push_back(swap->old[0]);
    }
    std::ranges::sort(brought);
    std::ranges::sort(found);
    EXPECT_EQ(brought, found) << "swaps at " << rank;
  }
}

TEST_P(Simulation, NothingIsLostNothingComesTwiceAndPairsKeepTheirOrder) {
  issued_.resize(kOperations);
  for (std::size_t serial = 0; serial < kOperations; ++serial) {
    issue(serial);
    if (HasFatalFailure()) return;
    if (below(64) != 0) continue;
    // time passes while others continue to issue operations
    for (std::size_t rank = 0; rank < kProcesses; ++rank) job->poll(rank);
    job->network().advance_to_next();
  }
  job->settle(1s);
  check_targets();
  check_initiators();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Simulation, ::testing::Range<std::uint64_t>(1, kSanitized ? 2 : 5));

}  // namespace
}  // namespace lintel::testing
