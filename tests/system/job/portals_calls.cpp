#include "tests/system/job/portals_calls.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace lintel::testing {
namespace {

// With LINTEL_DUMP_SIGNAL=USR1 in the environment, dumps the state of the process first.
[[noreturn]] void give_up() {
  if (std::getenv("LINTEL_DUMP_SIGNAL") != nullptr) {
    ::raise(SIGUSR1);
    ::usleep(300'000);
  }
  std::fflush(nullptr);
  std::_Exit(2);
}

}  // namespace

void must(int code, const char* call, const char* file, int line) {
  if (code == PTL_OK) return;
  std::fprintf(stderr, "%s:%d: process %d: %s gave %s\n", file, line, ::getpid(), call,
               PtlErrorStr(static_cast<unsigned>(code)));
  give_up();
}

ptl_handle_ni_t open_interface(ptl_pid_t pid) {
  int interfaces = 0;
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  LINTEL_MUST(PtlInit(&interfaces));
  LINTEL_MUST(PtlNIInit(PTL_IFACE_DEFAULT, pid, nullptr, nullptr, &ni));
  return ni;
}

ptl_handle_ni_t open_interface(Rank& rank, ptl_pid_t pid) {
  const ptl_handle_ni_t ni = open_interface(pid);
  rank.board.publish(rank.number, own_id(ni));
  return ni;
}

ptl_process_id_t own_id(ptl_handle_ni_t ni) {
  ptl_process_id_t id{};
  LINTEL_MUST(PtlGetId(ni, &id));
  return id;
}

ptl_handle_eq_t make_queue(ptl_handle_ni_t ni, ptl_size_t events) {
  ptl_handle_eq_t queue = PTL_EQ_NONE;
  LINTEL_MUST(PtlEQAlloc(ni, events, PTL_EQ_HANDLER_NONE, &queue));
  return queue;
}

ptl_md_t describe(std::span<std::byte> memory, ptl_handle_eq_t queue, unsigned options) {
  return {memory.data(), memory.size(), PTL_MD_THRESH_INF, 0, options, nullptr, queue};
}

ptl_md_t describe(std::vector<ptl_md_iovec_t>& pieces, ptl_handle_eq_t queue, unsigned options) {
  return {pieces.data(), pieces.size(), PTL_MD_THRESH_INF, 0, options | PTL_MD_IOVEC,
          nullptr,       queue};
}

ptl_handle_md_t expose(ptl_handle_ni_t ni, ptl_match_bits_t bits, const ptl_md_t& md) {
  ptl_handle_me_t entry = PTL_INVALID_HANDLE;
  ptl_handle_md_t handle = PTL_INVALID_HANDLE;
  LINTEL_MUST(PtlMEAttach(ni, kPortal, kAnyone, bits, 0, PTL_UNLINK, PTL_INS_AFTER, &entry));
  LINTEL_MUST(PtlMDAttach(entry, md, PTL_RETAIN, &handle));
  return handle;
}

ptl_handle_md_t bind(ptl_handle_ni_t ni, const ptl_md_t& md) {
  ptl_handle_md_t handle = PTL_INVALID_HANDLE;
  LINTEL_MUST(PtlMDBind(ni, md, PTL_RETAIN, &handle));
  return handle;
}

ptl_event_t next_event(ptl_handle_eq_t queue, std::chrono::milliseconds timeout) {
  ptl_event_t event;
  int which = 0;
  const int code = PtlEQPoll(&queue, 1, static_cast<ptl_time_t>(timeout.count()), &event, &which);
  if (code != PTL_OK) {
    std::fprintf(stderr, "process %d: no event within %lld ms: %s\n", ::getpid(),
                 static_cast<long long>(timeout.count()), PtlErrorStr(static_cast<unsigned>(code)));
    give_up();
  }
  return event;
}

std::vector<ptl_event_t> next_events(ptl_handle_eq_t queue, std::size_t count,
                                     std::chrono::milliseconds timeout) {
  std::vector<ptl_event_t> events;
  while (events.size() < count) {
    events.push_back(next_event(queue, timeout));
    if (events.back().ni_fail_type == PTL_NI_OK) continue;
    std::fprintf(stderr, "process %d: %s with %s after %zu events\n", ::getpid(),
                 PtlEventKindStr(events.back().type),
                 PtlNIFailStr(PTL_INVALID_HANDLE, events.back().ni_fail_type), events.size() - 1);
    give_up();
  }
  return events;
}

ptl_event_t expect_event(ptl_handle_eq_t queue, ptl_event_kind_t kind) {
  const ptl_event_t event = next_event(queue);
  EXPECT_STREQ(PtlEventKindStr(event.type), PtlEventKindStr(kind));
  EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
  return event;
}

ptl_event_t expect_sent_and_acked(ptl_handle_eq_t queue) {
  ptl_event_t first = next_event(queue);
  ptl_event_t second = next_event(queue);
  if (first.type == PTL_EVENT_ACK) std::swap(first, second);
  EXPECT_STREQ(PtlEventKindStr(first.type), "PTL_EVENT_SEND_END");
  EXPECT_STREQ(PtlEventKindStr(second.type), "PTL_EVENT_ACK");
  EXPECT_EQ(first.ni_fail_type, PTL_NI_OK);
  EXPECT_EQ(second.ni_fail_type, PTL_NI_OK);
  return second;
}

}  // namespace lintel::testing
