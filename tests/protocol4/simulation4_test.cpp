// Many processes, each pair with random operations over a network that reorders what it may, in
// some runs with little room: puts, gets, atomics, fetching atomics, swaps, triggered operations,
// all kinds of ack, receives before and after their messages, searches.
//
// Every operation ends exactly once on both sides. The messages of a pair match its receives in the
// order of the calls. Sums, tickets and swaps are right. Counters add up. Messages without a match
// are counted exactly. Every byte is right. One-sided operations carry their serial number as match
// bits, which their entries ignore. Messages to receives carry it as header data, and the sender's
// rank as match bits.

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/protocol4/portals4_test.h"
#include "tests/sanitized.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kProcesses = 24;
constexpr std::size_t kOperations = 5000;
constexpr std::size_t kLongest = 3000;
constexpr std::size_t kRoom = 1 << 20;  // destination of puts
constexpr std::size_t kBlock = 1 << 14;
constexpr std::size_t kBlocks = 12;
constexpr std::size_t kWords = 8;

// kNobody: a portal without entries
enum Place : ptl_pt_index_t { kPuts, kGets, kSums, kTickets, kSwaps, kReceives, kNobody, kPlaces };
constexpr ptl_pt_index_t kNoPortal = 40;

enum class IssuedKind { kPut, kMessage, kGet, kSum, kTicket, kSwap, kDroppedPut, kDroppedGet };
constexpr std::size_t kKinds = 8;

struct Issued {
  IssuedKind kind = IssuedKind::kPut;
  std::size_t from = 0;
  std::size_t to = 0;
  ptl_ack_req_t ack = PTL_NO_ACK_REQ;
  bool silent = false;       // its MD reports no success
  ptl_size_t offset = 0;     // at the target
  std::uint64_t number = 0;  // of a message: its number in this pair
  Bytes buffer;              // what is sent, or the destination
  std::uint64_t word = 0;    // the value that a ticket or a swap brings
  std::uint64_t fetched = 0;
};

struct Receive {
  std::size_t from;
  std::uint64_t number;
  Bytes memory;
  ptl_handle_me_t handle = PTL_INVALID_HANDLE;
  bool met = false;
};

struct Node {
  Bytes landing = Bytes(kRoom);
  Bytes readable;
  std::array<std::uint64_t, kWords> sums{}, expected_sums{};
  std::uint64_t tickets = 0;
  std::uint64_t swapped = 0;
  std::deque<Bytes> blocks;
  std::deque<Receive> receives;
  std::array<std::uint64_t, kProcesses> posted{};    // receives posted for each sender
  std::array<std::uint64_t, kProcesses> messages{};  // messages sent by each sender
  std::size_t landed = 0;                            // bytes of `landing` already handed out
  // puts that count at kPuts whether triggered operations start or not
  std::size_t untriggered_puts = 0;
  std::uint64_t puts = 0;
  std::uint64_t triggered_ticks = 0;
  ptl_handle_eq_t targets = PTL_EQ_NONE, initiators = PTL_EQ_NONE;
  ptl_handle_ct_t arrivals = PTL_CT_NONE, ticks = PTL_CT_NONE;
  std::array<ptl_handle_md_t, 2> mds{};  // one with all events, one without
  std::array<ptl_handle_ct_t, 2> done{};
  std::array<ptl_ct_event_t, 2> expected_done{};
  int expected_drops = 0;
  Events seen;  // events of the target's side so far
};

class Simulation4 : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override;
  void TearDown() override {
    if (job_) job_->close();
  }

  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }
  void open(std::size_t rank);
  void serve(Place portal, void* memory, std::size_t length, unsigned operations,
             ptl_handle_ct_t counter = PTL_CT_NONE);
  void issue(std::size_t serial);
  void start(Issued& operation, std::size_t serial);
  void receive(std::size_t rank, std::size_t from);
  std::optional<ptl_event_t> search(Node& node, std::size_t from, ptl_search_op_t how, void* user);
  void probe(std::size_t rank, std::size_t from);
  ptl_me_t from_one(std::size_t from, Bytes& memory, unsigned options) const;
  void drain(std::size_t rank);
  void meet(std::size_t rank, const ptl_event_t& event, std::string& seen);
  void check_targets();
  void check_initiators();
  void check_words();
  std::string expected_at_target(const Issued& operation) const;
  std::string expected_at_initiator(const Issued& operation) const;

  std::mt19937_64 random_{GetParam()};
  std::unique_ptr<SimulatedJob4> job_;
  std::array<Node, kProcesses> nodes_;
  std::vector<Issued> issued_ = std::vector<Issued>(kOperations);
};

void Simulation4::SetUp() {
  JobOptions4 options{.processes = kProcesses};
  if (GetParam() % 2 == 0) options.interface = PTL_NI_MATCHING | PTL_NI_LOGICAL;
  options.network.seed = GetParam();
  options.network.attributes.max_write_bytes = 1000;
  if (GetParam() % 3 == 0) {
    options.network.max_in_flight = 3;
    options.network.max_writes_in_flight = 2;
  }
  job_ = std::make_unique<SimulatedJob4>(options);
  for (std::size_t rank = 0; rank < kProcesses; ++rank) ASSERT_NO_FATAL_FAILURE(open(rank));
}

void Simulation4::open(std::size_t rank) {
  Node& node = nodes_[rank];
  node.readable = pattern(1 << 14, static_cast<std::uint8_t>(rank));
  job_->as(rank);
  ASSERT_EQ(PtlEQAlloc(job_->ni(), 1 << 14, &node.targets), PTL_OK);
  ASSERT_EQ(PtlEQAlloc(job_->ni(), 1 << 14, &node.initiators), PTL_OK);
  ASSERT_EQ(PtlCTAlloc(job_->ni(), &node.arrivals), PTL_OK);
  ASSERT_EQ(PtlCTAlloc(job_->ni(), &node.ticks), PTL_OK);
  for (const bool silent : {false, true}) {
    ASSERT_EQ(PtlCTAlloc(job_->ni(), &node.done[silent]), PTL_OK);
    const unsigned options = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY |
                             (silent ? PTL_MD_EVENT_SUCCESS_DISABLE : 0);
    const ptl_md_t everything{nullptr, PTL_SIZE_MAX, options, node.initiators, node.done[silent]};
    ASSERT_EQ(PtlMDBind(job_->ni(), &everything, &node.mds[silent]), PTL_OK);
  }
  for (ptl_pt_index_t place = 0; place < kPlaces; ++place) {
    ptl_pt_index_t made = PTL_PT_ANY;
    ASSERT_EQ(PtlPTAlloc(job_->ni(), 0, node.targets, place, &made), PTL_OK);
  }
  serve(kPuts, node.landing.data(), node.landing.size(), kPut, node.arrivals);
  serve(kGets, node.readable.data(), node.readable.size(), kGet);
  serve(kSums, node.sums.data(), sizeof node.sums, kPut);
  serve(kTickets, &node.tickets, sizeof node.tickets, kBoth);
  serve(kSwaps, &node.swapped, sizeof node.swapped, kBoth);
  for (std::size_t i = 0; i < kBlocks; ++i) {
    Bytes& block = node.blocks.emplace_back(kBlock);
    ptl_me_t me = from_one(0, block, kPut | PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_LINK_DISABLE);
    me.match_id = job_->anyone();
    me.ignore_bits = ~0ULL;
    me.min_free = kLongest;
    ptl_handle_me_t made = PTL_INVALID_HANDLE;
    ASSERT_EQ(PtlMEAppend(job_->ni(), kReceives, &me, PTL_OVERFLOW_LIST, &block, &made), PTL_OK);
  }
}

void Simulation4::serve(Place portal, void* memory, std::size_t length, unsigned operations,
                        ptl_handle_ct_t counter) {
  const unsigned counting = counter == PTL_CT_NONE ? 0 : PTL_ME_EVENT_CT_COMM;
  const ptl_me_t me{memory,
                    length,
                    counter,
                    PTL_UID_ANY,
                    operations | counting | PTL_ME_EVENT_LINK_DISABLE,
                    job_->anyone(),
                    0,
                    ~0ULL,
                    0};
  ptl_handle_me_t made = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlMEAppend(job_->ni(), portal, &me, PTL_PRIORITY_LIST, nullptr, &made), PTL_OK);
}

// For the messages of one sender.
ptl_me_t Simulation4::from_one(std::size_t from, Bytes& memory, unsigned options) const {
  return {
      memory.data(), memory.size(), PTL_CT_NONE, PTL_UID_ANY, options, job_->id(from), from, 0, 0};
}

// ---- What the processes do

void Simulation4::issue(std::size_t serial) {
  Issued& operation = issued_[serial];
  operation.kind = static_cast<IssuedKind>(below(kKinds));
  operation.from = below(kProcesses);
  operation.to = below(kProcesses);
  operation.ack = std::array{PTL_NO_ACK_REQ, PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}[below(4)];
  operation.silent = below(3) == 0;
  operation.word = serial + 1;
  const std::size_t length = below(10) == 0 ? 0 : below(3) == 0 ? below(kLongest) : below(64);
  operation.buffer = pattern(length, static_cast<std::uint8_t>(serial));
  start(operation, serial);
}

void Simulation4::start(Issued& operation, std::size_t serial) {
  Node& from = nodes_[operation.from];
  Node& to = nodes_[operation.to];
  // triggered messages have no order
  const bool triggered = operation.kind != IssuedKind::kMessage && below(6) == 0;
  const ptl_size_t threshold = triggered ? below(from.untriggered_puts + 1) : 0;
  job_->as(operation.from);
  const ptl_process_t target = job_->id(operation.to);
  const ptl_handle_md_t md = from.mds[operation.silent];
  const ptl_size_t here = reinterpret_cast<ptl_size_t>(operation.buffer.data());
  const ptl_size_t length = operation.buffer.size();
  const ptl_size_t word = reinterpret_cast<ptl_size_t>(&operation.word);
  const ptl_size_t fetched = reinterpret_cast<ptl_size_t>(&operation.fetched);
  ptl_ct_event_t& expected = from.expected_done[operation.silent];
  const bool drops =
      operation.kind == IssuedKind::kDroppedPut || operation.kind == IssuedKind::kDroppedGet;
  to.expected_drops += drops;
  const auto put = [&](ptl_pt_index_t portal, ptl_match_bits_t bits) {
    expected.success += 1;  // SEND
    if (operation.ack != PTL_NO_ACK_REQ) ++(drops ? expected.failure : expected.success);
    ASSERT_EQ(triggered
                  ? PtlTriggeredPut(md, here, length, operation.ack, target, portal, bits,
                                    operation.offset, &operation, serial, from.arrivals, threshold)
                  : PtlPut(md, here, length, operation.ack, target, portal, bits, operation.offset,
                           &operation, serial),
              PTL_OK);
  };
  const auto get = [&](ptl_pt_index_t portal) {
    ++(drops ? expected.failure : expected.success);
    ASSERT_EQ(triggered
                  ? PtlTriggeredGet(md, here, length, target, portal, serial, operation.offset,
                                    &operation, from.arrivals, threshold)
                  : PtlGet(md, here, length, target, portal, serial, operation.offset, &operation),
              PTL_OK);
  };
  const ptl_pt_index_t nobody = below(2) == 0 ? ptl_pt_index_t{kNobody} : kNoPortal;
  switch (operation.kind) {
    case IssuedKind::kPut:
      operation.offset = to.landed;
      to.landed += length;
      ASSERT_LE(to.landed, to.landing.size());
      ++to.puts;
      to.untriggered_puts += !triggered;
      return put(kPuts, serial);
    case IssuedKind::kMessage:
      operation.number = ++to.messages[operation.from];
      return put(kReceives, operation.from);
    case IssuedKind::kGet:
      operation.offset = below(to.readable.size() - length);
      std::ranges::fill(operation.buffer, std::uint8_t{0});
      return get(kGets);
    case IssuedKind::kSum: {
      const std::size_t first = below(kWords);
      std::vector<std::uint64_t> terms(1 + below(kWords - first));
      for (std::size_t i = 0; i < terms.size(); ++i)
        to.expected_sums[first + i] += terms[i] = random_();
      operation.buffer.resize(8 * terms.size());
      std::memcpy(operation.buffer.data(), terms.data(), operation.buffer.size());
      operation.offset = 8 * first;
      expected.success += operation.ack == PTL_NO_ACK_REQ ? 1 : 2;
      const ptl_size_t terms_here = reinterpret_cast<ptl_size_t>(operation.buffer.data());
      const ptl_size_t bytes = operation.buffer.size();
      ASSERT_EQ(triggered ? PtlTriggeredAtomic(md, terms_here, bytes, operation.ack, target, kSums,
                                               serial, operation.offset, &operation, 0, PTL_SUM,
                                               PTL_UINT64_T, from.arrivals, threshold)
                          : PtlAtomic(md, terms_here, bytes, operation.ack, target, kSums, serial,
                                      operation.offset, &operation, 0, PTL_SUM, PTL_UINT64_T),
                PTL_OK);
      return;
    }
    case IssuedKind::kTicket:
      operation.word = 1;
      expected.success += 2;
      ASSERT_EQ(triggered ? PtlTriggeredFetchAtomic(md, fetched, md, word, 8, target, kTickets,
                                                    serial, 0, &operation, 0, PTL_SUM, PTL_UINT64_T,
                                                    from.arrivals, threshold)
                          : PtlFetchAtomic(md, fetched, md, word, 8, target, kTickets, serial, 0,
                                           &operation, 0, PTL_SUM, PTL_UINT64_T),
                PTL_OK);
      return;
    case IssuedKind::kSwap:
      expected.success += 2;
      ASSERT_EQ(triggered ? PtlTriggeredSwap(md, fetched, md, word, 8, target, kSwaps, serial, 0,
                                             &operation, 0, nullptr, PTL_SWAP, PTL_UINT64_T,
                                             from.arrivals, threshold)
                          : PtlSwap(md, fetched, md, word, 8, target, kSwaps, serial, 0, &operation,
                                    0, nullptr, PTL_SWAP, PTL_UINT64_T),
                PTL_OK);
      return;
    case IssuedKind::kDroppedPut: return put(nobody, serial);
    case IssuedKind::kDroppedGet: return get(nobody);
  }
}

// The next receive for messages of that sender: an entry, or a search that takes the message if it
// has arrived.
void Simulation4::receive(std::size_t rank, std::size_t from) {
  Node& node = nodes_[rank];
  job_->as(rank);
  Receive& made = node.receives.emplace_back(Receive{from, ++node.posted[from], Bytes(kLongest)});
  if (below(4) == 0) {
    const auto result = search(node, from, PTL_SEARCH_DELETE, &made);
    if (!result) return;  // claimed; its event may come later, when the data have landed
    ASSERT_EQ(result->ni_fail_type, PTL_NI_NO_MATCH);
  }
  const ptl_me_t me =
      from_one(from, made.memory, kPut | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE);
  ASSERT_EQ(PtlMEAppend(job_->ni(), kReceives, &me, PTL_PRIORITY_LIST, &made, &made.handle),
            PTL_OK);
}

// The call may handle incoming messages, so there may be other events.
std::optional<ptl_event_t> Simulation4::search(Node& node, std::size_t from, ptl_search_op_t how,
                                               void* user) {
  Bytes none;
  const ptl_me_t me = from_one(from, none, kPut | PTL_ME_USE_ONCE);
  EXPECT_EQ(PtlMESearch(job_->ni(), kReceives, &me, how, user), PTL_OK);
  std::optional<ptl_event_t> result;
  for (const ptl_event_t& event : SimulatedJob4::events(node.targets)) {
    if (event.type == PTL_EVENT_SEARCH) {
      EXPECT_FALSE(result.has_value());
      result = event;
    } else {
      node.seen.push_back(event);
    }
  }
  return result;
}

// A search may only find the first message for which there is no receive.
void Simulation4::probe(std::size_t rank, std::size_t from) {
  job_->as(rank);
  const auto found = search(nodes_[rank], from, PTL_SEARCH_ONLY, nullptr);
  ASSERT_TRUE(found.has_value());
  if (found->ni_fail_type == PTL_NI_NO_MATCH) return;
  ASSERT_EQ(found->ni_fail_type, PTL_NI_OK);
  ASSERT_LT(found->hdr_data, issued_.size());
  EXPECT_EQ(issued_[found->hdr_data].number, nodes_[rank].posted[from] + 1);
}

void Simulation4::drain(std::size_t rank) {
  job_->as(rank);
  const Events events = SimulatedJob4::events(nodes_[rank].targets);
  nodes_[rank].seen.insert(nodes_[rank].seen.end(), events.begin(), events.end());
}

// ---- What they must see

std::string Simulation4::expected_at_target(const Issued& operation) const {
  switch (operation.kind) {
    case IssuedKind::kPut: return "PUT";
    case IssuedKind::kGet: return "GET";
    case IssuedKind::kSum: return "ATOMIC";
    case IssuedKind::kTicket:
    case IssuedKind::kSwap: return "FETCH_ATOMIC";
    case IssuedKind::kMessage:  // see meet()
    case IssuedKind::kDroppedPut:
    case IssuedKind::kDroppedGet: break;
  }
  return "";
}

// A message has matched a receive: it must be the one with its number, and its bytes must be where
// the event says.
void Simulation4::meet(std::size_t rank, const ptl_event_t& event, std::string& seen) {
  ASSERT_LT(event.hdr_data, issued_.size());
  const Issued& message = issued_[event.hdr_data];
  seen = (seen.empty() ? "" : seen + " ") + kinds({event});
  ASSERT_EQ(message.kind, IssuedKind::kMessage);
  ASSERT_EQ(message.to, rank);
  ASSERT_EQ(event.match_bits, message.from);
  ASSERT_EQ(event.rlength, message.buffer.size());
  ASSERT_EQ(event.mlength, message.buffer.size());
  const auto* bytes = static_cast<const std::uint8_t*>(event.start);
  ASSERT_TRUE(std::equal(message.buffer.begin(), message.buffer.end(), bytes))
      << "message " << event.hdr_data;
  if (event.type == PTL_EVENT_PUT && event.ptl_list == PTL_OVERFLOW_LIST) return;
  auto& receive = *static_cast<Receive*>(event.user_ptr);
  ASSERT_EQ(receive.from, message.from);
  ASSERT_EQ(receive.number, message.number);
  ASSERT_FALSE(receive.met);
  receive.met = true;
}

void Simulation4::check_targets() {
  std::size_t unexpected = 0, expected = 0;
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    SCOPED_TRACE("target " + std::to_string(rank));
    drain(rank);
    Node& node = nodes_[rank];
    std::map<std::size_t, std::string> seen;
    std::map<const void*, std::string> ends;  // of receives and blocks
    for (const ptl_event_t& event : node.seen) {
      ASSERT_EQ(event.ni_fail_type, PTL_NI_OK);
      if (event.type == PTL_EVENT_AUTO_UNLINK || event.type == PTL_EVENT_AUTO_FREE) {
        std::string& so_far = ends[event.user_ptr];
        so_far += (so_far.empty() ? "" : " ") + kinds({event});
      } else if (event.pt_index == kReceives) {
        ASSERT_NO_FATAL_FAILURE(meet(rank, event, seen[event.hdr_data]));
      } else {
        ASSERT_LT(event.match_bits, issued_.size());
        ASSERT_EQ(issued_[event.match_bits].to, rank);
        seen[event.match_bits] += kinds({event});
      }
    }
    for (std::size_t serial = 0; serial < issued_.size(); ++serial) {
      if (issued_[serial].to != rank) continue;
      SCOPED_TRACE("operation " + std::to_string(serial));
      if (issued_[serial].kind != IssuedKind::kMessage) {
        ASSERT_EQ(seen[serial], expected_at_target(issued_[serial]));
        continue;
      }
      const bool came_early = seen[serial] == "PUT PUT_OVERFLOW";
      ASSERT_TRUE(came_early || seen[serial] == "PUT") << seen[serial];
      ++(came_early ? unexpected : expected);
    }
    for (Receive& receive : node.receives) {
      ASSERT_EQ(receive.met, receive.number <= node.messages[receive.from])
          << receive.number << " from " << receive.from;
      // A receive that a search satisfied has no entry. A receive without a message still has one.
      EXPECT_EQ(ends[&receive],
                receive.met && receive.handle != PTL_INVALID_HANDLE ? "AUTO_UNLINK" : "");
      if (receive.handle == PTL_INVALID_HANDLE) continue;
      EXPECT_EQ(PtlMEUnlink(receive.handle), receive.met ? PTL_ARG_INVALID : PTL_OK);
    }
    // Every message has been claimed, so a full block is free.
    for (const Bytes& block : node.blocks)
      EXPECT_TRUE(ends[&block].empty() || ends[&block] == "AUTO_UNLINK AUTO_FREE") << ends[&block];
    EXPECT_EQ(job_->status(PTL_SR_DROP_COUNT), node.expected_drops);
    EXPECT_EQ(job_->status(PTL_SR_OPERATION_VIOLATIONS), 0);
  }
  EXPECT_GT(unexpected, issued_.size() / 100);
  EXPECT_GT(expected, issued_.size() / 100);
}

std::string Simulation4::expected_at_initiator(const Issued& operation) const {
  const std::string send = operation.silent ? "" : "SEND";
  switch (operation.kind) {
    case IssuedKind::kPut:
    case IssuedKind::kMessage:
    case IssuedKind::kSum:
      return operation.silent ? "" : operation.ack == PTL_ACK_REQ ? "SEND ACK" : "SEND";
    case IssuedKind::kGet: return operation.silent ? "" : "REPLY";
    case IssuedKind::kTicket:
    case IssuedKind::kSwap: return operation.silent ? "" : "SEND REPLY";
    case IssuedKind::kDroppedPut:
      return operation.ack != PTL_ACK_REQ ? send
             : send.empty()               ? "ACK!DROPPED"
                                          : "SEND ACK!DROPPED";
    case IssuedKind::kDroppedGet: return "REPLY!DROPPED";
  }
  return "";
}

void Simulation4::check_initiators() {
  std::vector<std::string> seen(issued_.size());
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    SCOPED_TRACE("initiator " + std::to_string(rank));
    Node& node = nodes_[rank];
    job_->as(rank);
    for (const ptl_event_t& event : SimulatedJob4::events(node.initiators)) {
      const auto serial =
          static_cast<std::size_t>(static_cast<const Issued*>(event.user_ptr) - issued_.data());
      ASSERT_LT(serial, issued_.size());
      ASSERT_EQ(issued_[serial].from, rank);
      seen[serial] += (seen[serial].empty() ? "" : " ") + kinds({event});
    }
    const auto expect_count = [](ptl_handle_ct_t counter, const ptl_ct_event_t& expected,
                                 const char* name) {
      ptl_ct_event_t value{};
      EXPECT_EQ(PtlCTGet(counter, &value), PTL_OK);
      EXPECT_EQ(value.success, expected.success) << name;
      EXPECT_EQ(value.failure, expected.failure) << name;
    };
    expect_count(node.done[0], node.expected_done[0], "of the MD that tells all");
    expect_count(node.done[1], node.expected_done[1], "of the silent MD");
    expect_count(node.arrivals, {node.puts, 0}, "of arrivals");
    expect_count(node.ticks, {node.triggered_ticks, 0}, "of what triggers increment");
  }
  for (std::size_t serial = 0; serial < issued_.size(); ++serial) {
    const Issued& operation = issued_[serial];
    const Node& to = nodes_[operation.to];
    SCOPED_TRACE("operation " + std::to_string(serial));
    ASSERT_EQ(seen[serial], expected_at_initiator(operation));
    if (operation.kind != IssuedKind::kPut && operation.kind != IssuedKind::kGet) continue;
    ASSERT_EQ(operation.buffer, part(operation.kind == IssuedKind::kPut ? to.landing : to.readable,
                                     operation.offset, operation.buffer.size()));
  }
}

// Sums equal the sum of their terms. Tickets are 0, 1, 2 and so on, each given once. For swaps of
// one word, the values brought and the first content are the same multiset as the values found and
// the last content.
void Simulation4::check_words() {
  std::array<std::vector<std::uint64_t>, kProcesses> tickets, brought, found;
  for (const Issued& operation : issued_) {
    if (operation.kind == IssuedKind::kTicket) tickets[operation.to].push_back(operation.fetched);
    if (operation.kind != IssuedKind::kSwap) continue;
    brought[operation.to].push_back(operation.word);
    found[operation.to].push_back(operation.fetched);
  }
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    SCOPED_TRACE("target " + std::to_string(rank));
    EXPECT_EQ(nodes_[rank].sums, nodes_[rank].expected_sums);
    EXPECT_EQ(nodes_[rank].tickets, tickets[rank].size());
    std::ranges::sort(tickets[rank]);
    for (std::size_t i = 0; i < tickets[rank].size(); ++i) ASSERT_EQ(tickets[rank][i], i);
    brought[rank].push_back(0);
    found[rank].push_back(nodes_[rank].swapped);
    std::ranges::sort(brought[rank]);
    std::ranges::sort(found[rank]);
    EXPECT_EQ(brought[rank], found[rank]);
  }
}

TEST_P(Simulation4, EveryOperationEndsOnceAndNothingIsLost) {
  for (std::size_t serial = 0; serial < kOperations; ++serial) {
    ASSERT_NO_FATAL_FAILURE(issue(serial));
    const std::size_t rank = below(kProcesses), from = below(kProcesses);
    Node& node = nodes_[rank];
    switch (below(8)) {
      case 0:
      case 1:
        if (node.posted[from] > node.messages[from] + 1) break;  // not too far ahead
        ASSERT_NO_FATAL_FAILURE(receive(rank, from));
        break;
      case 2: ASSERT_NO_FATAL_FAILURE(probe(rank, from)); break;
      case 3:
        job_->as(rank);
        ASSERT_EQ(
            PtlTriggeredCTInc(node.ticks, {1, 0}, node.arrivals, below(node.untriggered_puts + 1)),
            PTL_OK);
        ++node.triggered_ticks;
        break;
      default: break;
    }
    if (below(16) != 0) continue;
    // time passes while others continue to issue operations
    for (std::size_t other = 0; other < kProcesses; ++other) job_->poll(other);
    job_->network().advance_to_next();
  }
  job_->settle(1s);
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    for (std::size_t from = 0; from < kProcesses; ++from) {
      while (nodes_[rank].posted[from] < nodes_[rank].messages[from])
        ASSERT_NO_FATAL_FAILURE(receive(rank, from));
    }
  }
  job_->settle(1s);
  check_targets();
  check_initiators();
  check_words();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Simulation4,
                         ::testing::Range<std::uint64_t>(1, kSanitized ? 4 : 7));

}  // namespace
}  // namespace lintel::testing
