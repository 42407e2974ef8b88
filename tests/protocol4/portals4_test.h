#pragma once
// Portals4Test: helpers for the protocol tests of Portals 4.
//
// Process 0 starts operations and process 1 is their target. Each process has an event queue for
// its MDs and portals, and has allocated portal kPortal with PTL_PT_ANY. A test arranges the
// objects, does one thing, and checks the sequence of events, the counters, the status registers
// and the memory. The interface is matching and physical unless a test starts another. Sequences of
// events are compared as text: kinds() gives "PUT AUTO_UNLINK", story() gives "PUT 5/9@2
// AUTO_UNLINK" (mlength / rlength @ remote_offset; "ACK 5@2" for REPLY and ACK; no numbers for
// others). An event whose ni_fail_type is not PTL_NI_OK has "!DROPPED" and the like after its kind.
// Helpers that act as a process leave process 0 current.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/protocol/pattern.h"
#include "tests/protocol4/simulated_job4.h"

namespace lintel::testing {

using namespace std::chrono_literals;

using Events = std::vector<ptl_event_t>;

std::string kinds(const Events& events);
std::string story(const Events& events);

inline constexpr ptl_pt_index_t kPortal = 0;
inline constexpr ptl_match_bits_t kBits = 0x1122334455667788;
inline constexpr unsigned kPut = PTL_ME_OP_PUT;
inline constexpr unsigned kGet = PTL_ME_OP_GET;
inline constexpr unsigned kBoth = PTL_ME_OP_PUT | PTL_ME_OP_GET;
inline constexpr unsigned kNoLink = PTL_ME_EVENT_LINK_DISABLE;

// The portal that each process starts with, and its queue.
struct PortalRules {
  unsigned options = 0;
  ptl_size_t queue_length = 4096;  // process 0's is always long
  bool quiet = false;              // no event queue for the portal
  bool made = true;
};

// A list entry: an ME, or an LE on a non-matching interface.
struct EntryRules {
  unsigned options = kPut;
  ptl_list_t list = PTL_PRIORITY_LIST;
  std::optional<ptl_process_t> from{};  // nothing: anyone
  ptl_match_bits_t bits = kBits;
  ptl_match_bits_t ignore = 0;
  ptl_size_t min_free = 0;
  ptl_uid_t uid = PTL_UID_ANY;
  ptl_handle_ct_t counter = PTL_CT_NONE;
  void* user = nullptr;
  ptl_pt_index_t portal = kPortal;
};

struct MdRules {
  unsigned options = 0;
  ptl_handle_ct_t counter = PTL_CT_NONE;
  bool quiet = false;  // no event queue
};

struct Md {
  ptl_handle_md_t handle = PTL_INVALID_HANDLE;
  ptl_size_t length = 0;  // in bytes
};

struct Trigger {
  ptl_handle_ct_t counter = PTL_CT_NONE;
  ptl_size_t threshold = 0;
};

// The arguments of an operation.
struct Call {
  std::size_t to = 1;
  ptl_ack_req_t ack = PTL_NO_ACK_REQ;
  ptl_pt_index_t portal = kPortal;
  ptl_match_bits_t bits = kBits;
  ptl_size_t offset = 0;               // at the target
  ptl_size_t local = 0;                // in the MD; of two MDs, in both
  std::optional<ptl_size_t> length{};  // default: the whole MD; of two MDs, the one that is sent
  ptl_hdr_data_t hdr_data = 0;
  void* user = nullptr;
  std::optional<Trigger> trigger{};  // set: calls the PtlTriggered function
};

class Portals4Test : public ::testing::Test {
 protected:
  explicit Portals4Test(const JobOptions4& options = {}, const PortalRules& portal = {}) {
    start(options, portal);
  }
  // Starts new processes with other options.
  void start(const JobOptions4& options, const PortalRules& portal = {});
  // The processes end before the memory that a test has lent them.
  void TearDown() override {
    if (job) job->close();
  }

  // ---- Arrange
  ptl_handle_eq_t queue(std::size_t rank) const { return queues_[rank]; }
  // PtlPTAlloc with the process's queue. Returns the code. Sets `made` only with PTL_OK.
  int allocate_portal(unsigned options, ptl_pt_index_t wanted, ptl_pt_index_t& made,
                      std::size_t rank = 1);
  ptl_handle_ct_t counter(std::size_t rank);
  // The description of an entry over `memory`. The test may change start and length before it
  // appends it.
  ptl_me_t me(Bytes& memory, const EntryRules& rules = {}) const;
  // Over a list of pieces, which is kept until the test ends.
  ptl_me_t iovec_me(std::vector<Bytes>& pieces, const EntryRules& rules = {});
  // PtlMEAppend, or PtlLEAppend on a non-matching interface. Returns the code. Uses only portal,
  // list and user of `rules`.
  int try_append(const ptl_me_t& me, const EntryRules& rules, ptl_handle_me_t& made,
                 std::size_t rank = 1);
  // The same, expecting PTL_OK, for `memory`.
  ptl_handle_me_t append(const ptl_me_t& me, const EntryRules& rules = {}, std::size_t rank = 1);
  ptl_handle_me_t append(Bytes& memory, const EntryRules& rules = {}, std::size_t rank = 1) {
    return append(me(memory, rules), rules, rank);
  }
  // Appends to the overflow list, whatever the rules say.
  ptl_handle_me_t append_overflow(Bytes& memory, EntryRules rules = {}, std::size_t rank = 1);
  ptl_md_t md(Bytes& memory, const MdRules& rules, std::size_t rank) const;
  Md bind(Bytes& memory, const MdRules& rules = {}, std::size_t rank = 0);
  // `length`: in bytes, for calls that do not give one.
  Md bind(const ptl_md_t& md, ptl_size_t length, std::size_t rank = 0);
  Md bind_iovec(std::vector<Bytes>& pieces, const MdRules& rules = {}, std::size_t rank = 0);

  // ---- Act. Calls of process `from`. They return the code and let the network run until it is
  // idle. Those named post_ do not let it run.
  int put(const Md& md, const Call& call = {}, std::size_t from = 0) {
    return settled(post_put(md, call, from));
  }
  int get(const Md& md, const Call& call = {}, std::size_t from = 0) {
    return settled(post_get(md, call, from));
  }
  int atomic(const Md& md, ptl_op_t op, ptl_datatype_t type, const Call& call = {},
             std::size_t from = 0) {
    return settled(post_atomic(md, op, type, call, from));
  }
  int fetch_atomic(const Md& get_md, const Md& put_md, ptl_op_t op, ptl_datatype_t type,
                   const Call& call = {}, std::size_t from = 0) {
    return settled(post_fetch_atomic(get_md, put_md, op, type, call, from));
  }
  int swap(const Md& get_md, const Md& put_md, const void* operand, ptl_op_t op,
           ptl_datatype_t type, const Call& call = {}, std::size_t from = 0) {
    return settled(post_swap(get_md, put_md, operand, op, type, call, from));
  }
  int post_put(const Md& md, const Call& call = {}, std::size_t from = 0);
  int post_get(const Md& md, const Call& call = {}, std::size_t from = 0);
  int post_atomic(const Md& md, ptl_op_t op, ptl_datatype_t type, const Call& call = {},
                  std::size_t from = 0);
  int post_fetch_atomic(const Md& get_md, const Md& put_md, ptl_op_t op, ptl_datatype_t type,
                        const Call& call = {}, std::size_t from = 0);
  int post_swap(const Md& get_md, const Md& put_md, const void* operand, ptl_op_t op,
                ptl_datatype_t type, const Call& call = {}, std::size_t from = 0);
  // Puts one message and runs until the portal of rank 1 has accepted it, while its data are still
  // under way. REQUIRES: more than the eager limit.
  void put_until_landing(const Md& md, const Call& call = {});
  int search(ptl_search_op_t op, const EntryRules& rules = {}, std::size_t rank = 1);
  // PtlMEUnlink, or PtlLEUnlink on a non-matching interface.
  int unlink(ptl_handle_me_t entry, std::size_t rank = 1);
  int release(const Md& md, std::size_t rank = 0);
  int enable(ptl_pt_index_t portal = kPortal, std::size_t rank = 1);
  int disable(ptl_pt_index_t portal = kPortal, std::size_t rank = 1);
  int free_portal(ptl_pt_index_t portal = kPortal, std::size_t rank = 1);
  int set_counter(ptl_handle_ct_t counter, ptl_ct_event_t value, std::size_t rank);
  int increment(ptl_handle_ct_t counter, ptl_ct_event_t by, std::size_t rank);

  // ---- Expect
  Events take(std::size_t rank);
  std::string kinds(std::size_t rank) { return testing::kinds(take(rank)); }
  std::string story(std::size_t rank) { return testing::story(take(rank)); }
  static std::string kinds(const Events& events) { return testing::kinds(events); }
  static std::string story(const Events& events) { return testing::story(events); }
  // Returns the only event of that kind in `events`. The test fails unless there is exactly one.
  static ptl_event_t only(const Events& events, ptl_event_kind_t kind);
  static std::size_t how_many(const Events& events, ptl_event_kind_t kind);
  // The values of a counter as "success+failure".
  std::string count(ptl_handle_ct_t counter, std::size_t rank);
  int status(std::size_t rank, ptl_sr_index_t reg);
  int drops(std::size_t rank) { return status(rank, PTL_SR_DROP_COUNT); }
  bool alive(ptl_handle_any_t handle, std::size_t rank);

  std::unique_ptr<SimulatedJob4> job;

 private:
  int settled(int code) {
    job->settle();
    return code;
  }
  ptl_iovec_t* list_of(std::vector<Bytes>& pieces);

  std::vector<ptl_handle_eq_t> queues_;
  std::vector<std::unique_ptr<std::vector<ptl_iovec_t>>> lists_;
};

}  // namespace lintel::testing
