#include <portals4.h>

#include "soak_portals.h"

enum { PORTAL = 4, EVENTS = 16384, MOST_BOUND = 4 };

const int soak_api = 4;
uint64_t soak_given, soak_taken;

static ptl_handle_ni_t ni;
static ptl_handle_eq_t queue;
static ptl_handle_md_t bound_memory[MOST_BOUND];
static int bound_count, given, taken;

static void must(int code, const char* call) {
  if (code != PTL_OK) soak_fail(1, "%s gave the code %d, expected PTL_OK", call, code);
}

static ptl_process_t process(soak_name name) {
  return (ptl_process_t){.phys = {.nid = name.nid, .pid = name.pid}};
}

void soak_open(void) {
  ptl_pt_index_t portal;
  must(PtlInit(), "PtlInit");
  must(
      PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni),
      "PtlNIInit");
  must(PtlEQAlloc(ni, EVENTS, &queue), "PtlEQAlloc");
  must(PtlPTAlloc(ni, 0, queue, PORTAL, &portal), "PtlPTAlloc");
  given = soak_bind(&soak_given, sizeof soak_given);
  taken = soak_bind(&soak_taken, sizeof soak_taken);
}

void soak_close(void) {
  must(PtlNIFini(ni), "PtlNIFini");
  PtlFini();
}

soak_name soak_own_name(void) {
  ptl_process_t own;
  must(PtlGetPhysId(ni, &own), "PtlGetPhysId");
  return (soak_name){own.phys.nid, own.phys.pid};
}

void soak_expose(uint64_t match, void* memory, size_t bytes, soak_access access) {
  ptl_handle_me_t entry;
  ptl_me_t me = {.start = memory,
                 .length = bytes,
                 .ct_handle = PTL_CT_NONE,
                 .uid = PTL_UID_ANY,
                 .match_bits = match};
  me.options = PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE |
               (access != SOAK_REPORTED ? PTL_ME_EVENT_COMM_DISABLE : 0) |
               (access != SOAK_GOTTEN ? PTL_ME_OP_PUT : 0);
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  must(PtlMEAppend(ni, PORTAL, &me, PTL_PRIORITY_LIST, NULL, &entry), "PtlMEAppend");
}

int soak_bind(void* memory, size_t bytes) {
  if (bound_count == MOST_BOUND)
    soak_fail(1, "more memory to bind, expected at most %d pieces", MOST_BOUND);
  const ptl_md_t md = {
      .start = memory, .length = bytes, .eq_handle = queue, .ct_handle = PTL_CT_NONE};
  must(PtlMDBind(ni, &md, &bound_memory[bound_count]), "PtlMDBind");
  return bound_count++;
}

void soak_put(int bound, size_t place, size_t bytes, soak_name to, uint64_t match, size_t offset,
              uint64_t header) {
  must(PtlPut(bound_memory[bound], place, bytes, PTL_ACK_REQ, process(to), PORTAL, match, offset,
              NULL, header),
       "PtlPut");
}

void soak_get(int bound, size_t place, size_t bytes, soak_name from, uint64_t match,
              size_t offset) {
  must(PtlGet(bound_memory[bound], place, bytes, process(from), PORTAL, match, offset, NULL),
       "PtlGet");
}

void soak_swap(soak_name with, uint64_t match, size_t offset, uint64_t header) {
  must(PtlSwap(bound_memory[taken], 0, bound_memory[given], 0, sizeof soak_given, process(with),
               PORTAL, match, offset, NULL, header, NULL, PTL_SWAP, PTL_UINT64_T),
       "PtlSwap");
}

soak_event soak_next(unsigned milliseconds) {
  soak_event result = {.kind = SOAK_NOTHING};
  ptl_event_t event;
  unsigned which;
  const int code = PtlEQPoll(&queue, 1, milliseconds, &event, &which);
  if (code == PTL_EQ_EMPTY) return result;
  must(code, "PtlEQPoll");
  result.kind = SOAK_OTHER;
  result.failed = event.ni_fail_type != PTL_NI_OK;
  if (event.type == PTL_EVENT_ACK || event.type == PTL_EVENT_REPLY) result.kind = SOAK_ENDED;
  if (event.type == PTL_EVENT_SEND && result.failed) result.kind = SOAK_ENDED; /* no ACK comes */
  if (event.type == PTL_EVENT_PUT || event.type == PTL_EVENT_FETCH_ATOMIC) {
    result.kind = SOAK_ARRIVED;
    result.match = event.match_bits;
    result.header = event.hdr_data;
    result.bytes = event.mlength;
    result.from = (soak_name){event.initiator.phys.nid, event.initiator.phys.pid};
  }
  return result;
}
