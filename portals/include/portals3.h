/* Portals 3.3: matched one-sided communication. The C interface of Lintel's engine.
 *
 * Rules that hold for every function, unless its own comment says otherwise:
 * - Thread: any function may be called from any thread. Each call is atomic with respect to others
 *   and to incoming operations.
 * - Blocking: PtlEQWait and PtlEQPoll block until an event comes. An operation blocks while there
 *   is no room for it, and PtlNIInit, PtlNIFini and PtlProgress may block, as their comments say.
 *   No other function blocks.
 * - Errors: every function except PtlInit returns PTL_NO_INIT before a successful PtlInit. A null
 *   output pointer gives PTL_SEGV; this is checked first. On any error nothing has changed and
 *   output parameters are not written.
 * - Handles are integers; compare them with ==. The handle of an object that has ended gives the
 *   error of its kind of object (PTL_MD_INVALID, ...), also when its network interface was shut
 *   down. Sizes and offsets are in bytes, times in milliseconds.
 *
 * For each data movement, the comment says when the local memory may be reused, when the target
 * sees the data, and which event reports each. Every operation that was started ends with an event.
 * After a failure, for example when the peer is dead, ni_fail_type of the event is not PTL_NI_OK. A
 * request that its target discards (no entry matched, no access) is the exception: no event reports
 * that, as the specification demands.
 *
 * "Clause" names the section of the Portals 3.3 report (SAND2006-0420). */
#ifndef LINTEL_PORTALS3_H
#define LINTEL_PORTALS3_H

#ifdef LINTEL_PORTALS4_H
#error "portals3.h and portals4.h share names: include one of them in a source file"
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types (clause 3.2) ---------------------------------------------------------------------- */

typedef uint64_t ptl_size_t;
typedef uint32_t ptl_handle_any_t;
typedef ptl_handle_any_t ptl_handle_ni_t;
typedef ptl_handle_any_t ptl_handle_eq_t;
typedef ptl_handle_any_t ptl_handle_md_t;
typedef ptl_handle_any_t ptl_handle_me_t;
typedef uint32_t ptl_pt_index_t;
typedef uint32_t ptl_ac_index_t;
typedef uint64_t ptl_match_bits_t;
typedef uint32_t ptl_interface_t;
typedef uint32_t ptl_nid_t; /* IPv4 address, host byte order */
typedef uint32_t ptl_pid_t; /* below 1024: a number that a program chooses; else the port itself
                               (doc/addressing.md) */
typedef uint32_t ptl_uid_t;
typedef uint32_t ptl_jid_t;
typedef uint32_t ptl_sr_index_t;
typedef uint64_t ptl_sr_value_t;
typedef uint32_t ptl_ni_fail_t;
typedef uint32_t ptl_seq_t;      /* wraps */
typedef uint64_t ptl_hdr_data_t; /* 64 bits that a put carries beside its data */
typedef uint32_t ptl_time_t;     /* milliseconds */

#define PTL_INVALID_HANDLE ((ptl_handle_any_t)0xffffffffU) /* never a valid handle */
#define PTL_HANDLE_NONE ((ptl_handle_any_t)0x7fffffffU)
#define PTL_EQ_NONE ((ptl_handle_eq_t)0xbfffffffU) /* no event queue */
#define PTL_PT_INDEX_ANY ((ptl_pt_index_t)0xffffffffU)
#define PTL_NID_ANY ((ptl_nid_t)0xffffffffU)
#define PTL_PID_ANY ((ptl_pid_t)0xffffffffU) /* in PtlNIInit: assign one */
#define PTL_UID_ANY ((ptl_uid_t)0xffffffffU)
#define PTL_JID_ANY ((ptl_jid_t)0xffffffffU)
#define PTL_JID_NONE ((ptl_jid_t)0U)
#define PTL_TIME_FOREVER ((ptl_time_t)-1)
#define PTL_EQ_HANDLER_NONE ((ptl_eq_handler_t)0)
#define PTL_NI_OK ((ptl_ni_fail_t)0)
#define PTL_NI_FAIL ((ptl_ni_fail_t)1)       /* the operation failed; see PtlNIFailStr */
#define PTL_NI_PEER_DEAD ((ptl_ni_fail_t)2)  /* the peer died or ended, or could not be reached
                                                before the deadline */
#define PTL_NI_SHUTDOWN ((ptl_ni_fail_t)3)   /* the interface was shut down before the operation had
                                                ended */
#define PTL_MD_THRESH_INF (-1)

#define PTL_IFACE_UTCP ((ptl_interface_t)0xf0f0f000U)
#define PTL_IFACE_UTCP0 PTL_IFACE_UTCP
#define PTL_IFACE_UTCP1 ((ptl_interface_t)0xf0f0f001U) /* these four are names that programs use;
                                                          Lintel has no such interfaces */
#define PTL_IFACE_UTCP2 ((ptl_interface_t)0xf0f0f002U)
#define PTL_IFACE_UTCP3 ((ptl_interface_t)0xf0f0f003U)
#define PTL_IFACE_IBNG0 ((ptl_interface_t)0xf0f0f050U)
#ifndef PTL_IFACE_DEFAULT /* programs for Cray's installations define it before they include this
                             header */
#define PTL_IFACE_DEFAULT PTL_IFACE_UTCP
#endif

/* The names of the interface in programs for Cray's installations. They mean the one interface of
 * Lintel. */
#define PTL_IFACE_SS PTL_IFACE_UTCP
#define PTL_BRIDGE_UK 0
#define PTL_BRIDGE_QK 1
#define IFACE_FROM_BRIDGE_AND_NALID(bridge, nal) \
  ((ptl_interface_t)(nal) + 0U * (ptl_interface_t)(bridge))

typedef enum { PTL_RETAIN, PTL_UNLINK } ptl_unlink_t;
typedef enum { PTL_INS_BEFORE, PTL_INS_AFTER } ptl_ins_pos_t;
typedef enum { PTL_ACK_REQ, PTL_NO_ACK_REQ } ptl_ack_req_t;
#define PTL_NOACK_REQ PTL_NO_ACK_REQ /* spelling of Portals 3.0 to 3.2 */

/* Clause 3.2.6. Programs rely on initialisation as {nid, pid}: the order of the members is
 * fixed. */
typedef struct {
  ptl_nid_t nid;
  ptl_pid_t pid;
} ptl_process_id_t;

/* Clause 3.5.1. Every max_*_index is the largest valid index, inclusive. */
typedef struct {
  int max_mes;
  int max_mds;
  int max_eqs;
  int max_ac_index;
  int max_pt_index;
  int max_md_iovecs;
  int max_me_list;
  int max_getput_md; /* bytes */
} ptl_ni_limits_t;

/* Clause 3.10.1. Passed by value: later changes to the caller's struct have no effect. */
typedef struct {
  void *start;            /* memory, or a ptl_md_iovec_t array with PTL_MD_IOVEC (the array is
                             copied) */
  ptl_size_t length;      /* bytes; with PTL_MD_IOVEC: entries of the array */
  int threshold;          /* operations that it still accepts; PTL_MD_THRESH_INF: no limit */
  ptl_size_t max_size;    /* with PTL_MD_MAX_SIZE: the MD becomes inactive when less room than this
                             is left */
  unsigned int options;   /* PTL_MD_* */
  void *user_ptr;         /* returned in `md` of every event */
  ptl_handle_eq_t eq_handle;
} ptl_md_t;

/* Clause 3.10.2. */
typedef struct {
  void *iov_base;
  ptl_size_t iov_len;
} ptl_md_iovec_t;

#define PTL_MD_OP_PUT 0x001U              /* puts may use it */
#define PTL_MD_OP_GET 0x002U              /* gets may use it; a getput needs both options */
#define PTL_MD_MANAGE_REMOTE 0x004U       /* the offset of the request is used; otherwise the MD's
                                             own offset, which advances */
#define PTL_MD_TRUNCATE 0x008U            /* a request that is too long is shortened; otherwise it
                                             is refused */
#define PTL_MD_ACK_DISABLE 0x010U         /* puts into it are never acknowledged */
#define PTL_MD_IOVEC 0x020U
#define PTL_MD_MAX_SIZE 0x040U
#define PTL_MD_EVENT_START_DISABLE 0x080U /* no *_START events */
#define PTL_MD_EVENT_END_DISABLE 0x100U   /* no *_END events; ACK and UNLINK are still delivered */

/* Options of other vendors' headers. They ask for what Lintel always does, or have no meaning
 * here. */
#define PTL_MD_EVENT_AUTO_UNLINK_ENABLE 0U
#define PTL_MD_EVENT_MANUAL_UNLINK_ENABLE 0U
#define PTL_MD_LUSTRE_COMPLETION_SEMANTICS 0U
#define PTL_MD_PHYS 0U
#define PTL_MD_LOCAL_ALIGN8 0U
#define PTL_MD_FLAG_AUTO_UNLINK 0U

/* Clause 3.11.1. */
typedef enum {
  PTL_EVENT_GET_START,
  PTL_EVENT_GET_END,
  PTL_EVENT_PUT_START,
  PTL_EVENT_PUT_END,
  PTL_EVENT_GETPUT_START,
  PTL_EVENT_GETPUT_END,
  PTL_EVENT_REPLY_START,
  PTL_EVENT_REPLY_END,
  PTL_EVENT_SEND_START,
  PTL_EVENT_SEND_END,
  PTL_EVENT_ACK,
  PTL_EVENT_UNLINK
} ptl_event_kind_t;

/* Clause 3.11.4. `initiator`: the process whose operation caused the event; for ACK and REPLY the
 * process that answered. `rlength`: the requested length; `mlength`: the length moved. `offset`: in
 * target events and REPLY the offset in the MD; in SEND and ACK the remote offset of the call.
 * `md`: the MD after the operation was charged to it; `md.start` is never changed. `link`: the
 * sequence number of the operation's START event. `sequence`: counts the events of the queue and
 * wraps. */
typedef struct {
  ptl_event_kind_t type;
  ptl_process_id_t initiator;
  ptl_uid_t uid;
  ptl_jid_t jid;
  ptl_pt_index_t pt_index;
  ptl_match_bits_t match_bits;
  ptl_size_t rlength;
  ptl_size_t mlength;
  ptl_size_t offset;
  ptl_handle_md_t md_handle;
  ptl_md_t md;
  ptl_hdr_data_t hdr_data;
  ptl_seq_t link;
  ptl_ni_fail_t ni_fail_type;
  volatile ptl_seq_t sequence;
} ptl_event_t;

/* Clause 3.11.6. Runs once for each event, in the PtlEQGet, PtlEQWait or PtlEQPoll that returns the
 * event, on the thread of that call. No lock is held. `event` is the caller's copy. A handler may
 * call any function except PtlEQGet, PtlEQWait and PtlEQPoll. */
typedef void (*ptl_eq_handler_t)(ptl_event_t *event);

/* ---- Return codes (3.3 names; the older names follow) ---------------------------------------- */

enum {
  PTL_OK = 0,
  PTL_AC_INDEX_INVALID = 1,
  PTL_EQ_DROPPED = 2, /* an event was returned; at least one event before it was lost */
  PTL_EQ_EMPTY = 3,
  PTL_EQ_INVALID = 4,
  PTL_FAIL = 5,
  PTL_HANDLE_INVALID = 6,
  PTL_IFACE_INVALID = 7,
  PTL_MD_ILLEGAL = 8,
  PTL_MD_INVALID = 9,
  PTL_MD_IN_USE = 10,
  PTL_MD_NO_UPDATE = 11,
  PTL_ME_INVALID = 12,
  PTL_ME_IN_USE = 13,
  PTL_ME_LIST_TOO_LONG = 14,
  PTL_NI_INVALID = 15,
  PTL_NO_INIT = 16,
  PTL_NO_SPACE = 17,
  PTL_PID_INVALID = 18,
  PTL_PROCESS_INVALID = 19,
  PTL_PT_FULL = 20,
  PTL_PT_INDEX_INVALID = 21,
  PTL_SEGV = 22,
  PTL_SR_INDEX_INVALID = 23,
  PTL_UNKNOWN_ERROR = 24,
  PTL_MAX_ERRNO = 25
};
/* Codes of other implementations that programs compare with. No function returns them here: a
 * second PtlNIInit returns PTL_OK, and PtlEQFree detaches the queue from its MDs. */
#define PTL_IFACE_DUP 26
#define PTL_EQ_IN_USE 27
#define PTL_AC_INV_INDEX PTL_AC_INDEX_INVALID
#define PTL_INV_EQ PTL_EQ_INVALID
#define PTL_INV_HANDLE PTL_HANDLE_INVALID
#define PTL_INIT_INV PTL_IFACE_INVALID
#define PTL_ILL_MD PTL_MD_ILLEGAL
#define PTL_INV_MD PTL_MD_INVALID
#define PTL_MD_INUSE PTL_MD_IN_USE
#define PTL_NOUPDATE PTL_MD_NO_UPDATE
#define PTL_INV_ME PTL_ME_INVALID
#define PTL_INUSE PTL_ME_IN_USE
#define PTL_ML_TOOLONG PTL_ME_LIST_TOO_LONG
#define PTL_INV_NI PTL_NI_INVALID
#define PTL_NOINIT PTL_NO_INIT
#define PTL_NOSPACE PTL_NO_SPACE
#define PTL_INV_PROC PTL_PROCESS_INVALID
#define PTL_INV_PTINDEX PTL_PT_INDEX_INVALID
#define PTL_INV_SR_INDX PTL_SR_INDEX_INVALID

/* ---- Status registers (clause 3.2.7) --------------------------------------------------------- */

enum {
  PTL_SR_DROP_COUNT = 0,  /* discarded messages of any kind, for any reason */
  PTL_SR_DROP_LENGTH = 1, /* their requested bytes */
  PTL_SR_RECV_COUNT = 2,  /* messages accepted */
  PTL_SR_RECV_LENGTH = 3, /* bytes that they delivered */
  PTL_SR_SEND_COUNT = 4,
  PTL_SR_SEND_LENGTH = 5,
  /* Of Lintel only: discarded messages by cause. Their sum is PTL_SR_DROP_COUNT. */
  PTL_SR_DROP_PT_INDEX = 6,     /* portal index out of range */
  PTL_SR_DROP_COOKIE = 7,       /* access control index out of range */
  PTL_SR_DROP_ACCESS = 8,       /* the access control entry does not admit the request */
  PTL_SR_DROP_NO_MATCH = 9,     /* no entry of the match list accepted the request */
  PTL_SR_DROP_STALE_HANDLE = 10, /* ack or reply for an MD that has ended */
  PTL_SR_DROP_MALFORMED = 11,   /* bytes that are not a valid message */
  PTL_SR_MES_CUR = 12,          /* MEs that exist now; the next two: MDs, EQs */
  PTL_SR_MDS_CUR = 13,
  PTL_SR_EQS_CUR = 14,
  PTL_SR_LAST = 15
};

/* ---- Library (clause 3.4) -------------------------------------------------------------------- */

/* Starts the library. Repeated calls succeed and only write *max_interfaces: the number of
 * interfaces that PtlNIInit can open.
 * Errors: PTL_FAIL (a LINTEL_* variable is wrong; stderr has the reason), PTL_SEGV. */
int PtlInit(int *max_interfaces);

/* Ends the library: shuts down an interface that is still open, as PtlNIFini does. One call is
 * enough, however often PtlInit was called. */
void PtlFini(void);

/* ---- Network interfaces (clauses 3.5 to 3.8) ------------------------------------------------- */

/* Opens interface `iface` as process `pid` (PTL_PID_ANY: any free pid). Opening it again returns
 * PTL_OK and the same handle; one PtlNIFini ends it. If functions of p3rt/p3rt.h were called
 * before, it uses what they have set, and may block until the other processes of the job are ready.
 * `desired` and `actual` may be null. *actual gets the limits in force; each is at most the desired
 * one if that is positive.
 * Errors: PTL_IFACE_INVALID, PTL_PID_INVALID (not a possible pid, or another process uses it),
 * PTL_NO_SPACE, PTL_FAIL (no provider; stderr has the reason), PTL_SEGV. */
int PtlNIInit(ptl_interface_t iface, ptl_pid_t pid, ptl_ni_limits_t *desired,
              ptl_ni_limits_t *actual, ptl_handle_ni_t *ni);

/* Shuts the interface down: refuses new messages, ends all operations (calls that wait return), and
 * frees every object of the interface. Before that it delivers what was sent to live peers, and
 * blocks for it for a bounded time. Errors: PTL_NI_INVALID. */
int PtlNIFini(ptl_handle_ni_t ni);

/* Reads a status register. Errors: PTL_NI_INVALID, PTL_SR_INDEX_INVALID, PTL_SEGV. */
int PtlNIStatus(ptl_handle_ni_t ni, ptl_sr_index_t reg, ptl_sr_value_t *value);

/* A fixed distance: 0 to this process, 1 to another one of this node, 2 to any other.
 * Errors: PTL_NI_INVALID, PTL_PROCESS_INVALID (not a possible address; *distance is then
 * ULONG_MAX), PTL_SEGV. */
int PtlNIDist(ptl_handle_ni_t ni, ptl_process_id_t process, unsigned long *distance);

/* Returns the interface to which a handle belongs: of an object, or of the interface itself.
 * Errors: PTL_HANDLE_INVALID, PTL_SEGV. */
int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t *ni);

/* Errors of these three: PTL_NI_INVALID, PTL_SEGV. The job id is the value of LINTEL_JOB_ID, or
 * PTL_JID_NONE without it. */
int PtlGetUid(ptl_handle_ni_t ni, ptl_uid_t *uid);
int PtlGetId(ptl_handle_ni_t ni, ptl_process_id_t *id);
int PtlGetJid(ptl_handle_ni_t ni, ptl_jid_t *jid);

/* ---- Match entries (clause 3.9) -------------------------------------------------------------- */

/* Makes an entry at the head (PTL_INS_BEFORE) or tail (PTL_INS_AFTER) of the list of portal `pt`.
 * It matches requests from `match_id` (either member may be ANY) whose match bits equal
 * `match_bits` in all bits that are 0 in `ignore_bits`. It accepts no request before an MD is
 * attached. With `unlink` PTL_UNLINK the entry is unlinked together with its MD.
 * Errors: PTL_NI_INVALID, PTL_PT_INDEX_INVALID, PTL_ME_LIST_TOO_LONG, PTL_NO_SPACE, PTL_SEGV. */
int PtlMEAttach(ptl_handle_ni_t ni, ptl_pt_index_t pt, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                ptl_ins_pos_t pos, ptl_handle_me_t *me);

/* The same on a portal whose list is empty. The call chooses the portal and returns it in *pt.
 * Errors: PTL_NI_INVALID, PTL_PT_FULL, PTL_NO_SPACE, PTL_SEGV. */
int PtlMEAttachAny(ptl_handle_ni_t ni, ptl_pt_index_t *pt, ptl_process_id_t match_id,
                   ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink,
                   ptl_handle_me_t *me);

/* Makes an entry directly before or after `base`. Errors: PTL_ME_INVALID, PTL_ME_LIST_TOO_LONG,
 * PTL_NO_SPACE, PTL_SEGV. */
int PtlMEInsert(ptl_handle_me_t base, ptl_process_id_t match_id, ptl_match_bits_t match_bits,
                ptl_match_bits_t ignore_bits, ptl_unlink_t unlink, ptl_ins_pos_t pos,
                ptl_handle_me_t *me);

/* Unlinks the entry and its MD. There is no UNLINK event. Errors: PTL_ME_INVALID, PTL_ME_IN_USE (an
 * operation is moving data of its MD). */
int PtlMEUnlink(ptl_handle_me_t me);

/* ---- Memory descriptors (clause 3.10) -------------------------------------------------------- */

/* Attaches an MD to `me`: requests that match the entry may now use it. With `unlink_op` PTL_UNLINK
 * the MD is unlinked, with an UNLINK event, when an operation has made it inactive and all its
 * operations have ended. `h` may be null.
 * Errors: PTL_ME_INVALID, PTL_ME_IN_USE (it has an MD), PTL_MD_ILLEGAL, PTL_EQ_INVALID,
 * PTL_NO_SPACE. */
int PtlMDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t *h);

/* Makes an MD for operations that this process starts. No request can use it. Errors:
 * PTL_NI_INVALID, PTL_MD_ILLEGAL, PTL_EQ_INVALID, PTL_NO_SPACE, PTL_SEGV. */
int PtlMDBind(ptl_handle_ni_t ni, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t *h);

/* Unlinks the MD, and also its entry if that was made with PTL_UNLINK. There is no event. Lintel no
 * longer uses the memory. An MD that waits for an ack or a reply can be unlinked; the ack or reply
 * is then discarded.
 * Errors: PTL_MD_INVALID, PTL_MD_IN_USE (an operation is moving its data; try again). */
int PtlMDUnlink(ptl_handle_md_t md);

/* Writes the present state to *old_md (which may be null), also when nothing is updated. Then, if
 * `new_md` is not null and `testq` is PTL_EQ_NONE or empty, replaces the MD's description and sets
 * its offset to 0. No message is matched between the test and the update.
 * "Empty" means: PtlEQGet would find no event, and `testq` will get no *_END event of a message
 * that has already been matched in this process. (Otherwise a receive that is posted now would
 * overtake that message.) So PTL_MD_NO_UPDATE means that an event is in `testq` or will come.
 * Events of the process' own operations (SEND_END, REPLY_END, ACK, UNLINK) do not count. Messages
 * that the library has not received yet do not count either, and the call receives none before the
 * test: a queue in which PtlEQGet has just found nothing is empty.
 * Data that are moving use the memory of the old description. The reply to a get that comes later
 * is written to the memory of the new one. An MD that an operation has made inactive, and that
 * PTL_UNLINK unlinks when its last operation ends, can no longer be updated: PTL_MD_INVALID.
 * Errors: PTL_MD_NO_UPDATE, PTL_MD_INVALID, PTL_MD_ILLEGAL, PTL_EQ_INVALID. */
int PtlMDUpdate(ptl_handle_md_t md, ptl_md_t *old_md, ptl_md_t *new_md, ptl_handle_eq_t testq);

/* ---- Events (clause 3.11) -------------------------------------------------------------------- */

/* Makes a queue for at least `count` events. A full queue loses its oldest event; operations are
 * not affected. `count` 0 gives PTL_EQ_NONE.
 * Errors: PTL_NI_INVALID, PTL_NO_SPACE, PTL_SEGV. */
int PtlEQAlloc(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler, ptl_handle_eq_t *eq);

/* Ends the queue. MDs that use it continue without a queue. Threads that wait for it return
 * PTL_EQ_INVALID. Errors: PTL_EQ_INVALID. */
int PtlEQFree(ptl_handle_eq_t eq);

/* Takes the oldest event from the queue. With PTL_EQ_DROPPED an event is returned as well, and an
 * earlier one was lost.
 * Errors: PTL_EQ_EMPTY, PTL_EQ_INVALID, PTL_SEGV. */
int PtlEQGet(ptl_handle_eq_t eq, ptl_event_t *event);

/* The same, but blocks until there is an event. It polls for LINTEL_SPIN, then sleeps. Errors:
 * PTL_EQ_INVALID, PTL_SEGV. */
int PtlEQWait(ptl_handle_eq_t eq, ptl_event_t *event);

/* The same for `size` queues of one interface. It takes the event of the first queue, in the order
 * of `eqs`, that has one; *which is the index of that queue. `timeout` 0: checks once and does not
 * block.
 * Errors: PTL_EQ_EMPTY (the time has ended), PTL_EQ_INVALID (*which is the index of the wrong
 * queue; size <= 0; several interfaces), PTL_SEGV. */
int PtlEQPoll(ptl_handle_eq_t *eqs, int size, ptl_time_t timeout, ptl_event_t *event, int *which);

/* ---- Access control (clause 3.12) ------------------------------------------------------------ */

/* Sets entry `ac` of the table. A request that carries `ac` is admitted if it agrees with all of
 * `match_id`, `uid`, `jid` and `pt`; each of them may be ANY. Initially every entry admits any
 * process of the same user. Errors: PTL_NI_INVALID, PTL_AC_INDEX_INVALID, PTL_PT_INDEX_INVALID. */
int PtlACEntry(ptl_handle_ni_t ni, ptl_ac_index_t ac, ptl_process_id_t match_id, ptl_uid_t uid,
               ptl_jid_t jid, ptl_pt_index_t pt);

/* ---- Data movement (clause 3.13) ----------------------------------------------------------------
 * Errors of all: PTL_MD_INVALID (ended or inactive), PTL_PROCESS_INVALID (not a possible address),
 * PTL_MD_ILLEGAL (region outside the MD; getput longer than max_getput_md, or MDs of two
 * interfaces). Never PTL_NO_SPACE: while the target has its share of LINTEL_MAX_OPERATIONS,
 * operations that wait for their answer and messages that wait to leave, the call blocks and makes
 * progress until there is room. Calls with other targets do not wait for it. If the target is lost
 * meanwhile, the call returns PTL_OK, and the operation ends as one that has failed. */

/* Sends the whole MD to `target`. SEND_START is logged in the call. From SEND_END on the memory may
 * be reused. The target sees the data from its PUT_END on. ACK, if it was asked for, reports this
 * here, with the number of bytes that the target has accepted. There is no ACK for a put that the
 * target discards, nor for one whose SEND_END reports a failure. Such a put has taken one unit of
 * the threshold, not two: an MD with threshold 2 and PTL_UNLINK is then not unlinked by itself; use
 * PtlMDUnlink. If the peer is lost after SEND_END, the ACK comes and reports the failure. */
int PtlPut(ptl_handle_md_t md, ptl_ack_req_t ack, ptl_process_id_t target, ptl_pt_index_t pt,
           ptl_ac_index_t ac, ptl_match_bits_t match_bits, ptl_size_t remote_offset,
           ptl_hdr_data_t hdr_data);

/* Sends `length` bytes from `local_offset` of the MD. Otherwise as PtlPut. */
int PtlPutRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_ack_req_t ack,
                 ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
                 ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data);

/* Reads as many bytes as the MD is long from the target. From REPLY_END on the data are in the MD's
 * memory. From its GET_END on the target may change its memory. */
int PtlGet(ptl_handle_md_t md, ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset);

/* Reads `length` bytes to `local_offset` of the MD. Otherwise as PtlGet. */
int PtlGetRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length,
                 ptl_process_id_t target, ptl_pt_index_t pt, ptl_ac_index_t ac,
                 ptl_match_bits_t match_bits, ptl_size_t remote_offset);

/* Swaps: sends the whole `put_md`, and brings the target's old data to `get_md` (which may be the
 * same MD). Atomic with respect to other getputs at the target. From SEND_END of put_md on its
 * memory may be reused. From REPLY_END of get_md on the old data are there. */
int PtlGetPut(ptl_handle_md_t get_md, ptl_handle_md_t put_md, ptl_process_id_t target,
              ptl_pt_index_t pt, ptl_ac_index_t ac, ptl_match_bits_t match_bits,
              ptl_size_t remote_offset, ptl_hdr_data_t hdr_data);

/* ---- Handles (clause 3.14.1) ----------------------------------------------------------------- */

/* PTL_OK if the handles are equal, PTL_FAIL if not. Whether they are valid is not checked. */
int PtlHandleIsEqual(ptl_handle_any_t a, ptl_handle_any_t b);

/* ---- Not in the specification, but widely used ----------------------------------------------- */

extern const char *ptl_err_str[];   /* indexed by return code; PTL_MAX_ERRNO names */
extern const char *ptl_event_str[]; /* indexed by kind of event */
const char *PtlErrorStr(unsigned code);
const char *PtlEventKindStr(ptl_event_kind_t kind);
const char *PtlNIFailStr(ptl_handle_ni_t ni, ptl_ni_fail_t fail);

/* Inserts an entry with an MD before or after `base` (`pos`), if `testq` is empty in the sense of
 * PtlMDUpdate. Otherwise nothing is made: PTL_MD_NO_UPDATE. No message is matched between the test
 * and the insertion. Other errors: those of PtlMEInsert and PtlMDAttach. */
int PtlMEMDPost(ptl_handle_ni_t ni, ptl_handle_me_t base, ptl_process_id_t match_id,
                ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t me_unlink,
                ptl_ins_pos_t pos, ptl_md_t md, ptl_unlink_t md_unlink, ptl_handle_me_t *me,
                ptl_handle_md_t *md_handle, ptl_handle_eq_t testq);

/* Makes progress for `timeout` ms (0: once, without blocking), or until the interface of `handle`
 * is closed. `handle`: of the interface or any object of it. Errors: PTL_HANDLE_INVALID. */
int PtlProgress(ptl_handle_any_t handle, ptl_time_t timeout);

/* For source compatibility. Sets Lintel's log level: warn if `mask` is 0, else debug. Returns the
 * previous mask. */
unsigned PtlNIDebug(ptl_handle_ni_t ni, unsigned mask);

#ifdef __cplusplus
}
#endif

#endif /* LINTEL_PORTALS3_H */
