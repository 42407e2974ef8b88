#pragma once
// The few Portals calls that every system test makes, with defaults. A call that fails ends the
// process with a message. Tests of errors call Portals themselves.

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "portals3.h"
#include "tests/system/job/process_group.h"

#define LINTEL_MUST(call) ::lintel::testing::must((call), #call, __FILE__, __LINE__)

namespace lintel::testing {

inline constexpr ptl_process_id_t kAnyone{PTL_NID_ANY, PTL_PID_ANY};
inline constexpr ptl_pt_index_t kPortal = 4;
inline constexpr std::chrono::milliseconds kTimeout{30'000};

// Ends the process unless `code` is PTL_OK.
void must(int code, const char* call, const char* file, int line);

// PtlInit and PtlNIInit.
ptl_handle_ni_t open_interface(ptl_pid_t pid = PTL_PID_ANY);
// The same, and publishes the address.
ptl_handle_ni_t open_interface(Rank& rank, ptl_pid_t pid = PTL_PID_ANY);
ptl_process_id_t own_id(ptl_handle_ni_t ni);

ptl_handle_eq_t make_queue(ptl_handle_ni_t ni, ptl_size_t events = 1024);

// A description of memory. The threshold is infinite, and START events are disabled unless
// `options` is given.
ptl_md_t describe(std::span<std::byte> memory, ptl_handle_eq_t queue,
                  unsigned options = PTL_MD_EVENT_START_DISABLE);
ptl_md_t describe(std::vector<ptl_md_iovec_t>& pieces, ptl_handle_eq_t queue,
                  unsigned options = PTL_MD_EVENT_START_DISABLE);

inline constexpr unsigned kOpen =
    PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE;
// Requests to kPortal with `bits` land in what `md` describes.
ptl_handle_md_t expose(ptl_handle_ni_t ni, ptl_match_bits_t bits, const ptl_md_t& md);
ptl_handle_md_t bind(ptl_handle_ni_t ni, const ptl_md_t& md);

// Returns the next event. Ends the process if none comes in time or one was lost.
ptl_event_t next_event(ptl_handle_eq_t queue, std::chrono::milliseconds timeout = kTimeout);
// The same `count` times. Ends the process if an event reports a failure.
std::vector<ptl_event_t> next_events(ptl_handle_eq_t queue, std::size_t count,
                                     std::chrono::milliseconds timeout = kTimeout);
// Takes one event and expects its kind and success.
ptl_event_t expect_event(ptl_handle_eq_t queue, ptl_event_kind_t kind);
// Takes the SEND_END and the ACK of one put, in either order, and expects success. Returns the ACK.
ptl_event_t expect_sent_and_acked(ptl_handle_eq_t queue);

}  // namespace lintel::testing
