/* Portals 4: a server that clients find without a launcher.
 *
 * A process is named by its IPv4 address and a number, the pid. The server takes an agreed pid
 * below 1024. With the address of its machine, this is all that a client needs. Requests come to a
 * portal with several entries. Each entry is used once and then appended again. The event names the
 * sender, and the answer is a put to a portal of that process. This server answers a text in
 * capital letters. An empty text ends it.
 *
 * To be reached from other machines it must listen on an address that they reach:
 * LINTEL_INTERFACE=eth0 ./portals4_server
 *
 * Build:   cc -o portals4_server portals4_server.c $(pkg-config --cflags --libs portals4)
 * Run:     ./portals4_server [PID]       and then portals4_client
 * Prints:
 *   5 bytes from a client
 *   17 bytes from a client
 *   0 bytes from a client
 */
#include <ctype.h>
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(call)                                            \
  do {                                                        \
    int code_ = (call);                                       \
    if (code_ != PTL_OK) {                                    \
      fprintf(stderr, "%s: return code %d\n", #call, code_); \
      exit(1);                                                \
    }                                                         \
  } while (0)

/* What server and client agree on. */
enum { DEFAULT_PID = 17, REQUESTS = 3, ANSWERS = 4, LONGEST = 256 };
/* How many requests may come while the server is busy. More are refused, and their clients send
 * them again. */
enum { ENTRIES = 8 };

static ptl_handle_ni_t ni;
static ptl_pt_index_t portal;

static void expect_a_request(char *text) {
  ptl_handle_le_t handle;
  ptl_le_t le = {0};
  le.start = text;
  le.length = LONGEST;
  le.ct_handle = PTL_CT_NONE;
  le.uid = PTL_UID_ANY;
  le.options =
      PTL_LE_OP_PUT | PTL_LE_USE_ONCE | PTL_LE_EVENT_LINK_DISABLE | PTL_LE_EVENT_UNLINK_DISABLE;
  /* `text` comes back in the event's user_ptr */
  MUST(PtlLEAppend(ni, portal, &le, PTL_PRIORITY_LIST, text, &handle));
}

int main(int count, char **arguments) {
  static char texts[ENTRIES][LONGEST];
  char answer[LONGEST];
  const ptl_pid_t pid = count > 1 ? (ptl_pid_t)atoi(arguments[1]) : DEFAULT_PID;
  ptl_handle_eq_t requests;
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  ptl_event_t event, sent;
  ptl_size_t i;
  int over = 0;

  MUST(PtlInit());
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, pid, NULL, NULL, &ni));
  md.start = answer;
  md.length = sizeof answer;
  md.ct_handle = PTL_CT_NONE;
  MUST(PtlEQAlloc(ni, 8, &md.eq_handle));
  MUST(PtlMDBind(ni, &md, &source));
  MUST(PtlEQAlloc(ni, 2 * ENTRIES, &requests));
  MUST(PtlPTAlloc(ni, 0, requests, REQUESTS, &portal));
  for (i = 0; i < ENTRIES; ++i) expect_a_request(texts[i]);

  while (!over) {
    MUST(PtlEQWait(requests, &event));
    if (event.ni_fail_type == PTL_NI_OK) { /* else the client died while it sent */
      const char *text = event.user_ptr;
      printf("%d bytes from a client\n", (int)event.mlength);
      for (i = 0; i < event.mlength; ++i) answer[i] = (char)toupper((unsigned char)text[i]);
      MUST(PtlPut(source, 0, event.mlength, PTL_NO_ACK_REQ, event.initiator, ANSWERS, 0, 0, NULL,
                  0));
      MUST(PtlEQWait(md.eq_handle, &sent)); /* SEND: `answer` may be used again. A client that has
                                               ended gets no answer */
      over = event.mlength == 0;
    }
    expect_a_request(event.user_ptr);
  }
  MUST(PtlNIFini(ni)); /* waits until the last answer has left */
  PtlFini();
  return 0;
}
