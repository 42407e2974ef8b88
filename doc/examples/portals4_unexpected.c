/* Portals 4: messages that nobody waits for yet, and flow control.
 *
 * The parent sends three messages before the child has posted a receive for any. The child has an
 * entry in the overflow list with room for two, which wait there. There is no room for the third.
 * Because the portal has flow control, it disables itself: it refuses that message and all that
 * follow, so that none can overtake it, and logs an event.
 *
 * Then the child posts its receives, which are entries in the priority list. The first two match
 * the waiting messages at once and log PUT_OVERFLOW. The data are in the overflow entry's memory,
 * and the program copies them from there. With the third receive posted, the child enables the
 * portal again and tells the parent, which sends the refused message again.
 *
 * Build:   cc -o portals4_unexpected portals4_unexpected.c $(pkg-config --cflags --libs portals4)
 * Run:     ./portals4_unexpected
 * Prints:
 *   parent: message 1 taken
 *   parent: message 2 taken
 *   parent: message 3 refused, the portal is disabled
 *   child: the portal is disabled
 *   child: message 1 had come before its receive
 *   child: message 2 had come before its receive
 *   parent: message 3 taken
 *   child: message 3 came to its receive
 */
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(call)                                            \
  do {                                                        \
    int code_ = (call);                                       \
    if (code_ != PTL_OK) {                                    \
      fprintf(stderr, "%s: return code %d\n", #call, code_); \
      exit(1);                                                \
    }                                                         \
  } while (0)

enum { PORTAL = 4, LENGTH = 32, MESSAGES = 3 };

static ptl_handle_ni_t open_interface(void) {
  ptl_handle_ni_t ni;
  MUST(PtlInit());
  MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                 &ni));
  return ni;
}

static ptl_event_t next_event(ptl_handle_eq_t eq) {
  ptl_event_t event;
  MUST(PtlEQWait(eq, &event));
  return event;
}

static ptl_me_t entry(void *start, ptl_size_t length, unsigned options, ptl_match_bits_t match_bits,
                      ptl_match_bits_t ignore_bits) {
  ptl_me_t me = {0};
  me.start = start;
  me.length = length;
  me.ct_handle = PTL_CT_NONE;
  me.uid = PTL_UID_ANY;
  me.options = options | PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE;
  me.match_id.phys.nid = PTL_NID_ANY;
  me.match_id.phys.pid = PTL_PID_ANY;
  me.match_bits = match_bits;
  me.ignore_bits = ignore_bits;
  return me;
}

static int child(int to_parent) {
  char overflow[2 * LENGTH], message[LENGTH];
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_eq_t eq;
  ptl_pt_index_t portal;
  ptl_handle_me_t handle;
  ptl_me_t me;
  ptl_process_t self;
  ptl_event_t event;
  int number;

  MUST(PtlEQAlloc(ni, 16, &eq));
  MUST(PtlPTAlloc(ni, PTL_PT_FLOWCTRL, eq, PORTAL, &portal));
  /* Accepts any message that fits, and stores them one behind the other. The program wants no event
   * for messages that arrive here (COMM_DISABLE). */
  me = entry(overflow, sizeof overflow,
             PTL_ME_MANAGE_LOCAL | PTL_ME_NO_TRUNCATE | PTL_ME_EVENT_COMM_DISABLE, 0,
             ~(ptl_match_bits_t)0);
  MUST(PtlMEAppend(ni, portal, &me, PTL_OVERFLOW_LIST, NULL, &handle));
  MUST(PtlGetPhysId(ni, &self));
  if (write(to_parent, &self, sizeof self) != sizeof self) return 1;

  event = next_event(eq);
  if (event.type != PTL_EVENT_PT_DISABLED) return 1;
  printf("child: the portal is disabled\n");

  for (number = 1; number <= MESSAGES; ++number) {
    me = entry(message, sizeof message, PTL_ME_USE_ONCE, (ptl_match_bits_t)number, 0);
    MUST(PtlMEAppend(ni, portal, &me, PTL_PRIORITY_LIST, NULL, &handle));
    if (number == MESSAGES) {
      MUST(PtlPTEnable(ni, portal)); /* there is a receive for the refused message; more room in the
                                        overflow entry would be enough too */
      if (write(to_parent, &self, sizeof self) != sizeof self) return 1;
    }
    event = next_event(eq);
    if (event.ni_fail_type != PTL_NI_OK) return 1;
    if (event.type == PTL_EVENT_PUT_OVERFLOW) {
      memcpy(message, event.start, event.mlength);
      printf("child: %s had come before its receive\n", message);
    } else if (event.type == PTL_EVENT_PUT) {
      printf("child: %s came to its receive\n", message);
    } else {
      return 1;
    }
  }
  MUST(PtlNIFini(ni));
  PtlFini();
  return 0;
}

/* Sends message `number`. Returns whether it was accepted. */
static int send_message(ptl_handle_md_t source, ptl_handle_eq_t eq, ptl_process_t target,
                        int number) {
  ptl_event_t event;
  MUST(PtlPut(source, (ptl_size_t)(number - 1) * LENGTH, LENGTH, PTL_ACK_REQ, target, PORTAL,
              (ptl_match_bits_t)number, 0, NULL, 0));
  event = next_event(eq); /* ACK; there is no SEND event, see the MD */
  printf("parent: message %d %s\n", number,
         event.ni_fail_type == PTL_NI_OK            ? "taken"
         : event.ni_fail_type == PTL_NI_PT_DISABLED ? "refused, the portal is disabled"
                                                    : "has failed");
  return event.ni_fail_type == PTL_NI_OK;
}

static int parent(ptl_process_t target, int from_child) {
  char messages[MESSAGES][LENGTH];
  ptl_handle_ni_t ni = open_interface();
  ptl_handle_md_t source;
  ptl_md_t md = {0};
  int number;

  for (number = 1; number <= MESSAGES; ++number)
    snprintf(messages[number - 1], LENGTH, "message %d", number);
  md.start = messages;
  md.length = sizeof messages;
  md.options = PTL_MD_EVENT_SEND_DISABLE;
  md.ct_handle = PTL_CT_NONE;
  MUST(PtlEQAlloc(ni, 8, &md.eq_handle));
  MUST(PtlMDBind(ni, &md, &source));
  for (number = 1; number <= MESSAGES; ++number) {
    while (!send_message(source, md.eq_handle, target, number)) {
      /* From now on every message is refused, so nothing is sent until the child says so. */
      if (read(from_child, &target, sizeof target) != sizeof target) return 1;
    }
  }
  MUST(PtlMDRelease(source));
  MUST(PtlNIFini(ni));
  PtlFini();
  return 0;
}

int main(void) {
  int channel[2], status;
  ptl_process_t target;
  if (pipe(channel) != 0) return 1;
  if (fork() == 0) return child(channel[1]);
  close(channel[1]);
  if (read(channel[0], &target, sizeof target) != sizeof target) return 1;
  return parent(target, channel[0]) != 0 || wait(&status) < 0 || status != 0;
}
