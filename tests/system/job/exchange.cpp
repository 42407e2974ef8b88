#include "tests/system/job/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

// Mostly small, some around the eager limit, some far above it.
std::size_t message_size(std::size_t number, Sizes sizes) {
  constexpr std::size_t kAll[] = {0, 1, 8, 100, 1024, 4000, 16384, 65537, 7, 90000, 300, 8};
  constexpr std::size_t kSmall[] = {0, 1, 8, 100, 1024, 7, 300};
  return sizes == Sizes::kAll ? kAll[number % std::size(kAll)] : kSmall[number % std::size(kSmall)];
}

std::size_t place_of(std::size_t number, Sizes sizes) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < number; ++i) place += message_size(i, sizes);
  return place;
}

std::uint64_t seed_of(std::size_t from, std::size_t to) { return from * 100 + to + 1; }

}  // namespace

// The match bits name the sender.
void exchange_with_all(Rank& rank, std::size_t messages, Sizes sizes) {
  const ptl_handle_ni_t ni = open_interface(rank);
  const std::size_t total = place_of(messages, sizes);
  std::vector<std::vector<std::byte>> landings(rank.size, std::vector<std::byte>(total));
  std::vector<ptl_handle_eq_t> arrivals(rank.size);
  for (std::size_t from = 0; from < rank.size; ++from) {
    arrivals[from] = make_queue(ni, 2 * messages + 8);
    expose(ni, from,
           describe(landings[from], arrivals[from], PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));
  }
  rank.barrier();
  const ptl_handle_eq_t sent = make_queue(ni, 4 * messages * rank.size);
  std::vector<std::vector<std::byte>> sources;
  for (std::size_t to = 0; to < rank.size; ++to)
    sources.push_back(patterned(total, seed_of(rank.number, to)));
  std::vector<ptl_handle_md_t> mds;
  for (std::vector<std::byte>& source : sources) mds.push_back(bind(ni, describe(source, sent)));
  std::size_t place = 0;
  for (std::size_t i = 0; i < messages; ++i) {
    for (std::size_t to = 0; to < rank.size; ++to) {
      if (to == rank.number) continue;
      LINTEL_MUST(PtlPutRegion(mds[to], place, message_size(i, sizes), PTL_ACK_REQ,
                               rank.board.id(to), kPortal, 0, rank.number, place, i));
    }
    place += message_size(i, sizes);
  }
  std::size_t acks = 0;
  for (const ptl_event_t& event : next_events(sent, 2 * messages * (rank.size - 1))) {
    EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
    EXPECT_EQ(event.mlength, event.rlength);
    acks += event.type == PTL_EVENT_ACK ? 1 : 0;
  }
  EXPECT_EQ(acks, messages * (rank.size - 1));
  for (std::size_t from = 0; from < rank.size; ++from) {
    if (from == rank.number) continue;
    std::uint64_t next_start = 0;
    std::vector<bool> ended(messages);
    for (const ptl_event_t& event : next_events(arrivals[from], 2 * messages)) {
      EXPECT_EQ(event.initiator.pid, rank.board.id(from).pid);
      EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
      if (event.type == PTL_EVENT_PUT_START) {
        EXPECT_EQ(event.hdr_data, next_start++) << "matched out of order, from rank " << from;
      } else {
        ASSERT_LT(event.hdr_data, messages);
        EXPECT_FALSE(ended[event.hdr_data]) << "message " << event.hdr_data << " ended twice";
        ended[event.hdr_data] = true;
      }
    }
    EXPECT_EQ(std::count(ended.begin(), ended.end(), true), static_cast<std::ptrdiff_t>(messages));
    EXPECT_TRUE(holds_pattern(landings[from], seed_of(from, rank.number))) << "from rank " << from;
  }
  ptl_sr_value_t dropped = 1;
  LINTEL_MUST(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &dropped));
  EXPECT_EQ(dropped, 0U);
  rank.barrier();
  PtlFini();
}

}  // namespace lintel::testing
