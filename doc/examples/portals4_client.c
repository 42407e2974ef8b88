/* Portals 4: a client that finds its server without a launcher. See portals4_server.c.
 *
 * The client needs only the server's IPv4 address and pid. The library connects when the first
 * message is sent. A server that has no room refuses the request, and a server that is not running
 * cannot be reached. The event of the request says so, and the client tries again.
 *
 * To reach another machine the client must send from an address that the server reaches:
 * LINTEL_INTERFACE=eth0 ./portals4_client 10.0.0.4 17 hello
 *
 * Build:   cc -o portals4_client portals4_client.c $(pkg-config --cflags --libs portals4)
 * Run:     ./portals4_client 127.0.0.1 17 hello "how are you today" ""
 * Prints:
 *   HELLO
 *   HOW ARE YOU TODAY
 *   (the server has ended)
 */
#include <arpa/inet.h>
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(call)                                            \
  do {                                                        \
    int code_ = (call);                                       \
    if (code_ != PTL_OK) {                                    \
      fprintf(stderr, "%s: return code %d\n", #call, code_); \
      exit(1);                                                \
    }                                                         \
  } while (0)

/* What server and client agree on. */
enum { REQUESTS = 3, ANSWERS = 4, LONGEST = 256 };
enum { MOST_TRIES = 100 };

/* Waits for the ACK. Returns whether the server has accepted the request. */
static int is_taken(ptl_handle_eq_t eq) {
  ptl_event_t event;
  do {
    MUST(PtlEQWait(eq, &event)); /* ACK, or a SEND that has failed */
  } while (event.type == PTL_EVENT_SEND && event.ni_fail_type == PTL_NI_OK);
  return event.ni_fail_type == PTL_NI_OK;
}

int main(int count, char **arguments) {
  char text[LONGEST], answer[LONGEST];
  struct in_addr address;
  ptl_process_t server = {0};
  ptl_handle_ni_t ni;
  ptl_handle_eq_t answers;
  ptl_pt_index_t portal;
  ptl_handle_le_t handle;
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  ptl_le_t le = {0};
  ptl_event_t event;
  int i;

  if (count < 4 || inet_pton(AF_INET, arguments[1], &address) != 1) {
    fprintf(stderr, "usage: portals4_client IPV4-ADDRESS PID TEXT...\n");
    return 2;
  }
  server.phys.nid = ntohl(address.s_addr); /* a nid is the address in the machine's byte order */
  server.phys.pid = (ptl_pid_t)atoi(arguments[2]);

  MUST(PtlInit());
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                 &ni));
  MUST(PtlEQAlloc(ni, 8, &answers));
  MUST(PtlPTAlloc(ni, 0, answers, ANSWERS, &portal));
  le.start = answer;
  le.length = sizeof answer;
  le.ct_handle = PTL_CT_NONE;
  le.uid = PTL_UID_ANY;
  le.options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE;
  MUST(PtlLEAppend(ni, portal, &le, PTL_PRIORITY_LIST, NULL, &handle));
  md.start = text;
  md.length = sizeof text;
  md.ct_handle = PTL_CT_NONE;
  MUST(PtlEQAlloc(ni, 8, &md.eq_handle));
  MUST(PtlMDBind(ni, &md, &source));

  for (i = 3; i < count; ++i) {
    const size_t length = strlen(arguments[i]) < LONGEST ? strlen(arguments[i]) : LONGEST;
    int tries = 0;
    memcpy(text, arguments[i], length);
    do {
      if (++tries > MOST_TRIES) {
        fprintf(stderr, "no server takes requests at %s, pid %s\n", arguments[1], arguments[2]);
        return 1;
      }
      if (tries > 1) usleep(100000);
      MUST(PtlPut(source, 0, length, PTL_ACK_REQ, server, REQUESTS, 0, 0, NULL, 0));
    } while (!is_taken(md.eq_handle));
    MUST(PtlEQWait(answers, &event));
    if (event.mlength > 0) {
      printf("%.*s\n", (int)event.mlength, answer);
    } else {
      printf("(the server has ended)\n");
    }
  }
  MUST(PtlNIFini(ni));
  PtlFini();
  return 0;
}
