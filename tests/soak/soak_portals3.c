#include <portals3.h>

#include "soak_portals.h"

enum { PORTAL = 4, EVENTS = 16384, MOST_BOUND = 4 };

const int soak_api = 3;
uint64_t soak_given, soak_taken;

static ptl_handle_ni_t ni;
static ptl_handle_eq_t queue;
static ptl_handle_md_t bound_memory[MOST_BOUND];
static int bound_count, given, taken;

static void must(int code, const char* call) {
  if (code != PTL_OK)
    soak_fail(1, "%s gave %s, expected PTL_OK", call, PtlErrorStr((unsigned)code));
}

static ptl_process_id_t process(soak_name name) {
  return (ptl_process_id_t){.nid = name.nid, .pid = name.pid};
}

void soak_open(void) {
  int interfaces;
  must(PtlInit(&interfaces), "PtlInit");
  must(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, NULL, NULL, &ni), "PtlNIInit");
  must(PtlEQAlloc(ni, EVENTS, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
  given = soak_bind(&soak_given, sizeof soak_given);
  taken = soak_bind(&soak_taken, sizeof soak_taken);
}

void soak_close(void) {
  must(PtlNIFini(ni), "PtlNIFini");
  PtlFini();
}

soak_name soak_own_name(void) {
  ptl_process_id_t own;
  must(PtlGetId(ni, &own), "PtlGetId");
  return (soak_name){own.nid, own.pid};
}

void soak_expose(uint64_t match, void* memory, size_t bytes, soak_access access) {
  const ptl_process_id_t anyone = {PTL_NID_ANY, PTL_PID_ANY};
  ptl_handle_me_t entry;
  ptl_handle_md_t descriptor;
  ptl_md_t md = {.start = memory,
                 .length = bytes,
                 .threshold = PTL_MD_THRESH_INF,
                 .eq_handle = access == SOAK_REPORTED ? queue : PTL_EQ_NONE};
  md.options = PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE | PTL_MD_OP_GET |
               (access != SOAK_GOTTEN ? PTL_MD_OP_PUT : 0);
  must(PtlMEAttach(ni, PORTAL, anyone, match, 0, PTL_RETAIN, PTL_INS_AFTER, &entry), "PtlMEAttach");
  must(PtlMDAttach(entry, md, PTL_RETAIN, &descriptor), "PtlMDAttach");
}

int soak_bind(void* memory, size_t bytes) {
  if (bound_count == MOST_BOUND)
    soak_fail(1, "more memory to bind, expected at most %d pieces", MOST_BOUND);
  const ptl_md_t md = {.start = memory,
                       .length = bytes,
                       .threshold = PTL_MD_THRESH_INF,
                       .options = PTL_MD_EVENT_START_DISABLE,
                       .eq_handle = queue};
  must(PtlMDBind(ni, md, PTL_RETAIN, &bound_memory[bound_count]), "PtlMDBind");
  return bound_count++;
}

void soak_put(int bound, size_t place, size_t bytes, soak_name to, uint64_t match, size_t offset,
              uint64_t header) {
  must(PtlPutRegion(bound_memory[bound], place, bytes, PTL_ACK_REQ, process(to), PORTAL, 0, match,
                    offset, header),
       "PtlPutRegion");
}

void soak_get(int bound, size_t place, size_t bytes, soak_name from, uint64_t match,
              size_t offset) {
  must(PtlGetRegion(bound_memory[bound], place, bytes, process(from), PORTAL, 0, match, offset),
       "PtlGetRegion");
}

void soak_swap(soak_name with, uint64_t match, size_t offset, uint64_t header) {
  must(PtlGetPut(bound_memory[taken], bound_memory[given], process(with), PORTAL, 0, match, offset,
                 header),
       "PtlGetPut");
}

soak_event soak_next(unsigned milliseconds) {
  soak_event result = {.kind = SOAK_NOTHING};
  ptl_event_t event;
  int which;
  const int code = PtlEQPoll(&queue, 1, milliseconds, &event, &which);
  if (code == PTL_EQ_EMPTY) return result;
  must(code, "PtlEQPoll");
  result.kind = SOAK_OTHER;
  result.failed = event.ni_fail_type != PTL_NI_OK;
  if (event.type == PTL_EVENT_ACK || event.type == PTL_EVENT_REPLY_END) result.kind = SOAK_ENDED;
  /* no ACK comes */
  if (event.type == PTL_EVENT_SEND_END && result.failed) result.kind = SOAK_ENDED;
  if (event.type == PTL_EVENT_PUT_END || event.type == PTL_EVENT_GETPUT_END) {
    result.kind = SOAK_ARRIVED;
    result.match = event.match_bits;
    result.header = event.hdr_data;
    result.bytes = event.mlength;
    result.from = (soak_name){event.initiator.nid, event.initiator.pid};
  }
  return result;
}
