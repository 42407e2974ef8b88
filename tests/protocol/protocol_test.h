#pragma once
// ProtocolTest: helpers for the protocol tests of Portals 3.
//
// Process 0 starts operations and process 1 is their target. Both have an event queue, which the
// helpers use. A test arranges the objects, does one thing, and checks the sequence of events, the
// drop count and the memory. Sequences of events are compared as text: kinds() gives "PUT_START
// PUT_END", story() gives "PUT_START 5/9@2 PUT_END 5/9@2" (manipulated / requested length @
// offset). An event whose ni_fail_type is not PTL_NI_OK has "!PEER_DEAD" and the like after its
// kind.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/protocol/pattern.h"
#include "tests/protocol/simulated_job.h"

namespace lintel::testing {

using namespace std::chrono_literals;

using Events = std::vector<ptl_event_t>;

std::string kinds(const Events& events);
std::string story(const Events& events);

inline constexpr ptl_process_id_t kAnyone{PTL_NID_ANY, PTL_PID_ANY};
inline constexpr ptl_pt_index_t kPortal = 4;
inline constexpr ptl_match_bits_t kBits = 0x1122334455667788;

inline constexpr unsigned kPut = PTL_MD_OP_PUT;
inline constexpr unsigned kGet = PTL_MD_OP_GET;
inline constexpr unsigned kBoth = PTL_MD_OP_PUT | PTL_MD_OP_GET;
inline constexpr int kForever = PTL_MD_THRESH_INF;

// How a match entry is made. The defaults accept every message with kBits, at the tail of kPortal.
struct EntryRules {
  ptl_pt_index_t portal = kPortal;
  ptl_process_id_t from = kAnyone;
  ptl_match_bits_t bits = kBits;
  ptl_match_bits_t ignore = 0;
  ptl_unlink_t unlink = PTL_RETAIN;
  ptl_ins_pos_t position = PTL_INS_AFTER;
};

struct MdRules {
  unsigned options = 0;
  int threshold = kForever;
  ptl_unlink_t unlink = PTL_RETAIN;
  ptl_size_t max_size = 0;
  void* user = nullptr;
  bool quiet = false;  // no event queue
};

struct Entry {
  ptl_handle_me_t me = PTL_INVALID_HANDLE;
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
};

// The arguments of an operation.
struct Call {
  std::size_t to = 1;
  bool ack = false;
  ptl_pt_index_t portal = kPortal;
  ptl_ac_index_t cookie = 0;
  ptl_match_bits_t bits = kBits;
  ptl_size_t offset = 0;
  ptl_hdr_data_t hdr_data = 0;
};

class ProtocolTest : public ::testing::Test {
 protected:
  explicit ProtocolTest(JobOptions options = {}) { start(std::move(options)); }
  // Starts new processes with other options.
  void start(JobOptions options);
  // The processes end before the memory that a fixture has lent them. The network stays for others
  // that use it.
  void TearDown() override {
    if (job) job->close();
  }

  // ---- Arrange. Each helper acts as `rank` and leaves process 0 current.
  ptl_handle_eq_t queue(std::size_t rank) const { return queues_[rank]; }
  ptl_handle_me_t entry(const EntryRules& rules = {}, std::size_t rank = 1);
  ptl_md_t md(Bytes& memory, const MdRules& rules, std::size_t rank) const;
  // The list of pieces is kept until the test ends.
  ptl_md_t iovec_md(std::vector<Bytes>& pieces, const MdRules& rules, std::size_t rank);
  Entry attach(const ptl_md_t& md, const EntryRules& rules = {}, ptl_unlink_t unlink = PTL_RETAIN,
               std::size_t rank = 1);
  Entry target(Bytes& memory, const MdRules& rules, const EntryRules& entry = {},
               std::size_t rank = 1);
  ptl_handle_md_t bind(const ptl_md_t& md, ptl_unlink_t unlink = PTL_RETAIN, std::size_t rank = 0);
  ptl_handle_md_t source(Bytes& memory, const MdRules& rules = {}, std::size_t rank = 0);

  // ---- Act. Calls of process `from`. They return the code and let the network run until it is
  // idle.
  int put(ptl_handle_md_t md, const Call& call = {}, std::size_t from = 0);
  int get(ptl_handle_md_t md, const Call& call = {}, std::size_t from = 0);
  int get_put(ptl_handle_md_t to, ptl_handle_md_t out, const Call& call = {}, std::size_t from = 0);
  // The same, without letting the network run.
  int post_put(ptl_handle_md_t md, const Call& call = {}, std::size_t from = 0);
  int post_get(ptl_handle_md_t md, const Call& call = {}, std::size_t from = 0);
  int unlink_md(ptl_handle_md_t md, std::size_t rank);
  int unlink_me(ptl_handle_me_t me, std::size_t rank = 1);
  int update(ptl_handle_md_t md, ptl_md_t fresh, ptl_handle_eq_t test_queue, std::size_t rank = 1);

  // ---- Expect
  Events take(std::size_t rank);
  std::string kinds(std::size_t rank) { return testing::kinds(take(rank)); }
  std::string story(std::size_t rank) { return testing::story(take(rank)); }
  static std::string kinds(const Events& events) { return testing::kinds(events); }
  // Delivers messages one by one until rank 1 has taken PUT_START and no other event. Returns false
  // if none came.
  bool run_until_put_starts() {
    while (kinds(1) != "PUT_START") {
      if (!job->network().advance_to_next()) return false;
      job->settle(0ns);
    }
    return true;
  }
  static std::string story(const Events& events) { return testing::story(events); }
  // Returns the only event of that kind in `events`. The test fails if there is none.
  static ptl_event_t only(const Events& events, ptl_event_kind_t kind);
  std::uint64_t status(std::size_t rank, ptl_sr_index_t reg);
  std::uint64_t drops(std::size_t rank) { return status(rank, PTL_SR_DROP_COUNT); }
  bool alive(ptl_handle_any_t handle, std::size_t rank);
  ptl_md_t state_of(ptl_handle_md_t md, std::size_t rank);

  std::unique_ptr<SimulatedJob> job;

 private:
  std::vector<ptl_handle_eq_t> queues_;
  std::vector<std::unique_ptr<std::vector<ptl_md_iovec_t>>> lists_;
};

}  // namespace lintel::testing
