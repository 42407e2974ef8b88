/* Portals 4, API 4.3: one-sided communication with and without matching. The C interface of
 * Lintel's engine.
 *
 * Rules that hold for every function, unless its own comment says otherwise:
 *   - Thread: any function may be called from any thread, none from a signal handler. Each call is
 *     atomic with respect to others and to incoming operations.
 *   - Blocking: PtlEQWait, PtlEQPoll, PtlCTWait, PtlCTPoll and PtlPTDisable block; PtlNIFini and
 *     PtlFini may, for a bounded time; no other does.
 *   - Progress: data move, events come and triggered operations fire without any call of the
 *     program.
 *   - Errors: PTL_NO_INIT before a successful PtlInit; PTL_ARG_INVALID for a null pointer (where
 *     null is not said to be allowed), for a handle that names nothing or an object of another
 *     kind, for handles of two interfaces in one call, for a portal that is not allocated, for a
 *     value out of range. Every function may return these two; they are not repeated below. On any
 *     error nothing has changed and output parameters are untouched.
 *   - Handles are integers; compare them with == or PtlHandleIsEqual. A handle whose object is gone
 *     gives PTL_ARG_INVALID.
 *   - Sizes and offsets are in bytes, times in milliseconds.
 *   - A structure passed by pointer is copied in the call. An array of ptl_iovec_t is not: like the
 *     memory that it lists, it belongs to the interface until the MD is released, or the entry is
 *     unlinked (for an overflow entry that unlinks itself: until AUTO_FREE).
 *
 * "LE/ME" stands for a list entry of a non-matching interface or a match list entry of a matching
 * one; X_OVERFLOW for the four events of that ending. Event kinds are written without PTL_EVENT_,
 * options without their prefix. "Lintel:" marks what the specification leaves to an implementation.
 * "Section" names the section of chapter 3 of the Portals 4 report (SAND2012-10087 for 4.0,
 * SAND2022-8810 for 4.3).
 *
 * A source file includes either this header or portals3.h: they share names. A process may use
 * both.
 */
#ifndef LINTEL_PORTALS4_H
#define LINTEL_PORTALS4_H

#ifdef LINTEL_PORTALS3_H
#error "portals3.h and portals4.h share names: include one of them in a source file"
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Base types (section 3.3) ---------------------------------------------------------------- */

typedef uint64_t ptl_size_t, ptl_match_bits_t;
typedef uint64_t ptl_hdr_data_t; /* 64 bits that travel with an operation, out of band */
typedef uint32_t ptl_nid_t;      /* Lintel: IPv4 address, host byte order (doc/addressing.md) */
typedef uint32_t ptl_pid_t, ptl_rank_t, ptl_uid_t, ptl_pt_index_t;
typedef unsigned int ptl_interface_t, ptl_sr_index_t;
typedef unsigned int ptl_time_t; /* milliseconds */
typedef int ptl_sr_value_t;
typedef unsigned char ptl_event_kind_t, ptl_list_t, ptl_search_op_t, ptl_ni_fail_t, ptl_op_t,
    ptl_datatype_t, ptl_ack_req_t;
typedef uint32_t ptl_handle_any_t;
typedef ptl_handle_any_t ptl_handle_ni_t, ptl_handle_eq_t, ptl_handle_ct_t, ptl_handle_md_t,
    ptl_handle_le_t, ptl_handle_me_t;

/* Three different values: the absence of a queue or a counter is not an invalid handle. */
#define PTL_EQ_NONE ((ptl_handle_eq_t)0x3fffffffU)
#define PTL_CT_NONE ((ptl_handle_ct_t)0x5fffffffU)
#define PTL_INVALID_HANDLE ((ptl_handle_any_t)0xffffffffU)

#define PTL_IFACE_DEFAULT ((ptl_interface_t)0xffffffffU)
#define PTL_NID_ANY ((ptl_nid_t)0xffffU) /* 16 bits, as PTL_PID_ANY; never the name of a process */
#define PTL_PID_ANY ((ptl_pid_t)0xffffU)
#define PTL_PID_MAX ((ptl_pid_t)1024) /* a pid that a program chooses is below this */
#define PTL_RANK_ANY ((ptl_rank_t)0xffffffffU)
#define PTL_UID_ANY ((ptl_uid_t)0xffffffffU)
#define PTL_PT_ANY ((ptl_pt_index_t)0xffffffffU)
#define PTL_TIME_FOREVER ((ptl_time_t)0xffffffffU)
#define PTL_SIZE_MAX ((ptl_size_t)0xffffffffffffffffULL)

/* On a logical interface `rank` counts, on a physical one `phys`; the other member has no meaning.
 */
typedef union {
  ptl_rank_t rank;
  struct {
    ptl_nid_t nid;
    ptl_pid_t pid;
  } phys;
} ptl_process_t;

/* ---- Return codes (section 3.4) -------------------------------------------------------------- */

enum {
  PTL_OK = 0,
  PTL_ARG_INVALID = 1,
  PTL_CT_NONE_REACHED = 2, /* PtlCTPoll: time is up */
  PTL_EQ_DROPPED = 3,      /* an event was returned, and at least one before it was lost */
  PTL_EQ_EMPTY = 4,
  PTL_FAIL = 5,
  PTL_IGNORED = 6,       /* PtlSetMap: there is a map already */
  PTL_IN_USE = 7,        /* an operation holds the object: try again */
  PTL_LIST_TOO_LONG = 8, /* Lintel: never returned; a full list is PTL_NO_SPACE */
  PTL_NO_INIT = 9,
  PTL_NO_SPACE = 10,     /* a limit of the interface is reached, or memory is short */
  PTL_PID_IN_USE = 11,
  PTL_PT_FULL = 12,
  PTL_PT_EQ_NEEDED = 13,
  PTL_PT_IN_USE = 14,
  PTL_ABORTED = 15 /* a call that waits was ended by PtlAbort; Lintel: also by the end of what it
                      waits for */
};
#define PTL_STATUS_LAST 15 /* equals PTL_ABORTED, as programs know it: no size for a table of
                              codes */

/* Of 4.2, gone in 4.3, and still used by programs. Never returned; distinct from every code, so
 * that a switch may name it. */
#define PTL_INTERRUPTED 16

/* ---- Network interfaces: constants and limits (section 3.6) ---------------------------------- */

#define PTL_NI_MATCHING 0x1U /* either this ... */
#define PTL_NI_NO_MATCHING 0x2U
#define PTL_NI_LOGICAL 0x4U /* ... and either this or PTL_NI_PHYSICAL */
#define PTL_NI_PHYSICAL 0x8U
#define PTL_NI_INIT_OPTIONS_MASK 0xfU

/* ptl_ni_fail_t: how an operation ended. */
enum {
  PTL_NI_OK = 0,
  PTL_NI_UNDELIVERABLE = 1,  /* the target cannot be reached, or was lost */
  PTL_NI_DROPPED = 2,        /* no such portal at the target, or no entry matched */
  PTL_NI_PT_DISABLED = 3,    /* the portal is disabled, or this message disabled it: send again when
                                the target has enabled it */
  PTL_NI_PERM_VIOLATION = 4, /* the matching entry is for another user */
  PTL_NI_OP_VIOLATION = 5,   /* the matching entry does not permit this operation */
  PTL_NI_NO_MATCH = 6,       /* a search found nothing */
  PTL_NI_SEGV = 7            /* memory of the target is not accessible, see
                                PTL_TARGET_BIND_INACCESSIBLE */
};

/* ptl_sr_index_t: registers count from PtlNIInit on, are never reset, and are not touched by
 * searches. */
enum {
  PTL_SR_DROP_COUNT = 0, /* messages refused for any other reason than the next two */
  PTL_SR_PERMISSION_VIOLATIONS = 1,
  PTL_SR_OPERATION_VIOLATIONS = 2,
  PTL_SR_LAST = 3
};
/* spellings of earlier headers */
#define PTL_SR_PERMISSIONS_VIOLATIONS PTL_SR_PERMISSION_VIOLATIONS
#define PTL_SR_OPERATIONS_VIOLATIONS PTL_SR_OPERATION_VIOLATIONS
#define PTL_NI_FLOW_CTRL PTL_NI_PT_DISABLED

/* Bits of ptl_ni_limits_t.features. */
#define PTL_TARGET_BIND_INACCESSIBLE 0x1U /* an LE/ME may cover memory that is not mapped:
                                             PTL_NI_SEGV for who touches that */
#define PTL_TOTAL_DATA_ORDERING 0x2U      /* data are ordered whatever their size */
#define PTL_COHERENT_ATOMICS 0x4U         /* atomics agree with the processor's loads and stores
                                             without PtlAtomicSync */

typedef struct {
  int max_entries;                  /* LEs or MEs of the interface */
  int max_unexpected_headers;       /* Lintel: per portal */
  int max_mds;
  int max_cts;
  int max_eqs;
  int max_pt_index;                 /* the largest valid index, inclusive */
  int max_iovecs;                   /* elements of one MD, LE or ME */
  int max_list_size;                /* entries of one list of a portal */
  int max_triggered_ops;            /* Lintel: waiting on one counter */
  ptl_size_t max_msg_size;          /* put, get */
  ptl_size_t max_atomic_size;       /* PtlAtomic. Lintel: at least max_waw_ordered_size and
                                       max_volatile_size */
  ptl_size_t max_fetch_atomic_size; /* PtlFetchAtomic, PtlSwap */
  ptl_size_t max_waw_ordered_size;  /* up to here a later put or atomic is written after an earlier
                                       one, and a later get sees it */
  ptl_size_t max_war_ordered_size;  /* up to here an earlier get reads before a later put or atomic
                                       is written */
  ptl_size_t max_volatile_size;     /* up to here PTL_MD_VOLATILE is honoured */
  unsigned int features;
} ptl_ni_limits_t;

/* ---- Portal table options (section 3.7) ------------------------------------------------------ */

/* ONLY_USE_ONCE, ONLY_TRUNCATE and MATCH_UNORDERED are promises of the caller. Lintel: an entry
 * that breaks one is accepted. */
#define PTL_PT_ONLY_USE_ONCE 0x01U   /* every entry is USE_ONCE, or MANAGE_LOCAL with min_free */
#define PTL_PT_FLOWCTRL 0x02U        /* when resources are short the portal disables itself; needs
                                        an event queue */
#define PTL_PT_ONLY_TRUNCATE 0x04U   /* no entry is NO_TRUNCATE */
#define PTL_PT_MATCH_UNORDERED 0x08U /* the order of the entries does not matter */
#define PTL_PT_ALLOC_DISABLED 0x10U  /* takes no message before PtlPTEnable */
#define PTL_PT_ALLOC_OPTIONS_MASK 0x1fU

/* ---- Memory descriptors: types and options (section 3.10) ------------------------------------ */

/* Bit 0 of the options of MD, LE and ME: `start` points to `length` elements of ptl_iovec_t.
 * Offsets address the elements one after the other. */
#define PTL_IOVEC 0x1U

typedef struct {
  void *iov_base;
  ptl_size_t iov_len; /* bytes; may be 0 */
} ptl_iovec_t;

#define PTL_MD_EVENT_CT_SEND 0x002U /* what the counter counts; failures always count one in
                                       `failure` */
#define PTL_MD_EVENT_CT_REPLY 0x004U
#define PTL_MD_EVENT_CT_ACK 0x008U
#define PTL_MD_UNORDERED 0x010U             /* its operations may overtake each other */
#define PTL_MD_EVENT_SUCCESS_DISABLE 0x020U /* no SEND, ACK and REPLY events that tell PTL_NI_OK;
                                               counting goes on */
#define PTL_MD_VOLATILE 0x040U              /* up to max_volatile_size the memory is reusable when
                                               the call returns */
#define PTL_MD_EVENT_SEND_DISABLE 0x080U    /* no SEND events; counting goes on */
#define PTL_MD_UNRELIABLE 0x100U            /* best effort; with PTL_NO_ACK_REQ only */
#define PTL_MD_EVENT_CT_BYTES 0x4000U       /* count bytes of successes: the length asked for
                                               (SEND), the length moved (ACK, REPLY) */
#define PTL_MD_OPTIONS_MASK 0x41ffU

/* Memory for operations that start here. NULL and PTL_SIZE_MAX: the whole address space;
 * local_offset is then the address. */
typedef struct {
  void *start; /* memory that is only sent from may be read-only */
  ptl_size_t length;
  unsigned int options; /* PTL_IOVEC, PTL_MD_* */
  ptl_handle_eq_t eq_handle;
  ptl_handle_ct_t ct_handle;
} ptl_md_t;

/* ---- List entries and match list entries: types and options (sections 3.11, 3.12) ------------ */

enum { PTL_PRIORITY_LIST = 0, PTL_OVERFLOW_LIST = 1 };  /* ptl_list_t */
enum { PTL_SEARCH_ONLY = 0, PTL_SEARCH_DELETE = 1 };    /* ptl_search_op_t */

#define PTL_ME_OP_PUT 0x00002U                 /* permits put and atomic; fetch-atomic and swap need
                                                  both */
#define PTL_ME_OP_GET 0x00004U                 /* permits get */
#define PTL_ME_USE_ONCE 0x00008U               /* unlinks itself when a message matches */
#define PTL_ME_UNEXPECTED_HDR_DISABLE 0x00010U /* overflow list: messages leave no unexpected
                                                  header */
#define PTL_ME_IS_ACCESSIBLE 0x00020U          /* promise: all of its memory is mapped (saves a look
                                                  at each operation) */
#define PTL_ME_EVENT_LINK_DISABLE 0x00040U     /* no LINK */
#define PTL_ME_EVENT_COMM_DISABLE 0x00080U     /* no PUT, GET, ATOMIC, FETCH_ATOMIC; in a search, no
                                                  event at all */
#define PTL_ME_EVENT_FLOWCTRL_DISABLE 0x00100U /* no PT_DISABLED for a message that this entry
                                                  matched */
#define PTL_ME_EVENT_SUCCESS_DISABLE 0x00200U  /* neither those of COMM nor X_OVERFLOW if they tell
                                                  PTL_NI_OK. LINK, AUTO_UNLINK, AUTO_FREE come */
#define PTL_ME_EVENT_OVER_DISABLE 0x00400U     /* no X_OVERFLOW */
#define PTL_ME_EVENT_UNLINK_DISABLE 0x00800U   /* neither AUTO_UNLINK nor AUTO_FREE */
#define PTL_ME_EVENT_CT_COMM 0x01000U          /* count PUT, GET, ATOMIC, FETCH_ATOMIC, whatever
                                                  events are disabled */
#define PTL_ME_EVENT_CT_OVERFLOW 0x02000U      /* count X_OVERFLOW and what a search finds,
                                                  likewise */
#define PTL_ME_EVENT_CT_BYTES 0x04000U         /* count the bytes moved; failures always count
                                                  one */
#define PTL_ME_MANAGE_LOCAL 0x08000U           /* ME only, as are the next three: messages are laid
                                                  one behind the other, their remote_offset aside */
#define PTL_ME_NO_TRUNCATE 0x10000U            /* a message that does not fit does not match; else
                                                  it is shortened */
#define PTL_ME_MAY_ALIGN 0x20000U              /* with MANAGE_LOCAL: offsets may be rounded up.
                                                  Lintel: they are not */
#define PTL_ME_LOCAL_INC_UH_RLENGTH 0x40000U   /* priority list, with MANAGE_LOCAL: each unexpected
                                                  header met advances the offset by its rlength */
#define PTL_ME_ACK_DISABLE 0x80000U            /* of 4.2, and honoured: no ack for messages that it
                                                  matches. Outside the masks below */

#define PTL_LE_OP_PUT PTL_ME_OP_PUT
#define PTL_LE_OP_GET PTL_ME_OP_GET
#define PTL_LE_USE_ONCE PTL_ME_USE_ONCE
#define PTL_LE_UNEXPECTED_HDR_DISABLE PTL_ME_UNEXPECTED_HDR_DISABLE
#define PTL_LE_IS_ACCESSIBLE PTL_ME_IS_ACCESSIBLE
#define PTL_LE_EVENT_LINK_DISABLE PTL_ME_EVENT_LINK_DISABLE
#define PTL_LE_EVENT_COMM_DISABLE PTL_ME_EVENT_COMM_DISABLE
#define PTL_LE_EVENT_FLOWCTRL_DISABLE PTL_ME_EVENT_FLOWCTRL_DISABLE
#define PTL_LE_EVENT_SUCCESS_DISABLE PTL_ME_EVENT_SUCCESS_DISABLE
#define PTL_LE_EVENT_OVER_DISABLE PTL_ME_EVENT_OVER_DISABLE
#define PTL_LE_EVENT_UNLINK_DISABLE PTL_ME_EVENT_UNLINK_DISABLE
#define PTL_LE_EVENT_CT_COMM PTL_ME_EVENT_CT_COMM
#define PTL_LE_EVENT_CT_OVERFLOW PTL_ME_EVENT_CT_OVERFLOW
#define PTL_LE_EVENT_CT_BYTES PTL_ME_EVENT_CT_BYTES
#define PTL_LE_ACK_DISABLE PTL_ME_ACK_DISABLE

#define PTL_LE_APPEND_OPTIONS_MASK 0x7fffU
#define PTL_ME_APPEND_OPTIONS_MASK 0x7ffffU

/* Memory for operations that arrive. NULL and PTL_SIZE_MAX: the whole address space; remote_offset
 * is then the address. */
typedef struct {
  void *start;
  ptl_size_t length;
  ptl_handle_ct_t ct_handle; /* looked at only with an EVENT_CT_ option */
  ptl_uid_t uid;             /* who may use it, or PTL_UID_ANY. No part of matching: another user's
                                message is refused, and the entry stays as it was */
  unsigned int options;      /* PTL_IOVEC, PTL_LE_* */
} ptl_le_t;

/* Begins as ptl_le_t does. */
typedef struct {
  void *start;
  ptl_size_t length;
  ptl_handle_ct_t ct_handle;
  ptl_uid_t uid;
  unsigned int options; /* PTL_IOVEC, PTL_ME_* */
  ptl_process_t match_id; /* whose messages match: rank, or nid and pid, each of which may be ANY */
  ptl_match_bits_t match_bits;
  ptl_match_bits_t ignore_bits; /* bits that are 1 here are not compared */
  ptl_size_t min_free;          /* looked at only with MANAGE_LOCAL: unlinks itself when less than
                                   this is left; 0: never */
} ptl_me_t;

/* ---- Events: types (sections 3.13, 3.14) ----------------------------------------------------- */

/* ptl_event_kind_t. At the target (the portal's queue): an operation's event, then AUTO_UNLINK if
 * it was the entry's last, later AUTO_FREE. */
enum {
  PTL_EVENT_GET = 0,                   /* the data have been read */
  PTL_EVENT_GET_OVERFLOW = 1,          /* X_OVERFLOW: an append or a deleting search met a message
                                          that had arrived before it */
  PTL_EVENT_PUT = 2,                   /* the data are in memory */
  PTL_EVENT_PUT_OVERFLOW = 3,
  PTL_EVENT_ATOMIC = 4,                /* the result is in memory */
  PTL_EVENT_ATOMIC_OVERFLOW = 5,
  PTL_EVENT_FETCH_ATOMIC = 6,          /* of PtlFetchAtomic and PtlSwap: the result is in memory */
  PTL_EVENT_FETCH_ATOMIC_OVERFLOW = 7,
  PTL_EVENT_REPLY = 8,                 /* initiator, queue of the (get) MD: the fetched data are in
                                          memory */
  PTL_EVENT_SEND = 9,                  /* initiator, queue of the (put) MD: the memory may be
                                          reused. PTL_NI_OK tells nothing of the target */
  PTL_EVENT_ACK = 10,                  /* initiator: the operation is complete at the target, or its
                                          failure; not before SEND */
  PTL_EVENT_PT_DISABLED = 11,          /* once each time a portal disables itself, after the events
                                          of the messages accepted before */
  PTL_EVENT_LINK = 12,                 /* the entry is on its list */
  PTL_EVENT_AUTO_UNLINK = 13,          /* the entry has left its list, and its last operation has
                                          ended */
  PTL_EVENT_AUTO_FREE = 14,            /* after AUTO_UNLINK, overflow list only: no unexpected
                                          header is left, the memory may be reused */
  PTL_EVENT_SEARCH = 15                /* result of a search */
};

/* Valid besides type and ni_fail_type: SEND: user_ptr. ACK, REPLY: user_ptr, mlength,
 * remote_offset, ptl_list. LINK, AUTO_UNLINK, AUTO_FREE: user_ptr, pt_index. PT_DISABLED: pt_index.
 * SEARCH: as X_OVERFLOW; with PTL_NI_NO_MATCH user_ptr only. The others: all, but hdr_data not for
 * GET and atomic_operation, atomic_type only for ATOMIC and FETCH_ATOMIC. X_OVERFLOW: as the event
 * it goes with, but for user_ptr. */
typedef struct {
  void *start;                /* where the data are; X_OVERFLOW: in the overflow entry's memory, for
                                 the program to copy */
  void *user_ptr;             /* of the operation (initiator), of the entry (target), of the append
                                 or search (X_OVERFLOW, SEARCH) */
  ptl_hdr_data_t hdr_data;    /* whole, also of a message that was shortened to nothing */
  ptl_match_bits_t match_bits;
  ptl_size_t rlength;         /* length asked for */
  ptl_size_t mlength;         /* length moved */
  ptl_size_t remote_offset;   /* target: as asked for, also with MANAGE_LOCAL; initiator: as used at
                                 the target */
  ptl_process_t initiator;    /* rank on a logical interface, nid and pid on a physical one */
  ptl_uid_t uid;              /* of the initiator */
  ptl_pt_index_t pt_index;
  ptl_event_kind_t type;
  ptl_list_t ptl_list;        /* on which list the message matched */
  ptl_ni_fail_t ni_fail_type;
  ptl_op_t atomic_operation;
  ptl_datatype_t atomic_type;
} ptl_event_t;

typedef struct {
  ptl_size_t success; /* events or bytes; wraps */
  ptl_size_t failure; /* events; wraps */
} ptl_ct_event_t;

/* ---- Operations and data types (section 3.15) ------------------------------------------------ */

/* ptl_ack_req_t, of puts and atomics. Needs: ACK_REQ an event queue in the MD, CT_ACK_REQ a
 * counter. The counter counts acks only if the MD has EVENT_CT_ACK; a refused message counts in
 * `failure`. */
enum {
  PTL_NO_ACK_REQ = 0,
  PTL_ACK_REQ = 1,    /* ACK event, and count */
  PTL_CT_ACK_REQ = 2, /* count only */
  PTL_OC_ACK_REQ = 3  /* count only, and all it says is that the operation is over. Lintel: counts
                         as CT_ACK_REQ does */
};

/* ptl_op_t. A: PtlAtomic and PtlFetchAtomic, S: PtlSwap. Types: i integers, f floating, c complex.
 * All act element by element; CSWAP* and MSWAP on one element, whose old value comes back in any
 * case. `operand` and the sent datum `data` are the initiator's, `target` is the old value at the
 * target. */
enum {
  PTL_MIN = 0,       /* A, i f */
  PTL_MAX = 1,       /* A, i f */
  PTL_SUM = 2,       /* A, i f c */
  PTL_PROD = 3,      /* A, i f c */
  /* A, i; the logical ones make 0 or 1 */
  PTL_LOR = 4, PTL_LAND = 5, PTL_BOR = 6, PTL_BAND = 7, PTL_LXOR = 8, PTL_BXOR = 9,
  PTL_SWAP = 10,     /* S, i f c; operand is not looked at */
  PTL_CSWAP = 11,    /* S, i f c: if operand == target, target = data */
  PTL_CSWAP_NE = 12, /* S, i f c: if operand != target */
  /* S, i f: if operand <=, <, >=, > target */
  PTL_CSWAP_LE = 13, PTL_CSWAP_LT = 14, PTL_CSWAP_GE = 15, PTL_CSWAP_GT = 16,
  PTL_MSWAP = 17,    /* S, i: target = (operand & data) | (~operand & target) */
  PTL_OP_LAST = 18
};

enum { /* ptl_datatype_t */
       PTL_INT8_T = 0,
       PTL_UINT8_T = 1,
       PTL_INT16_T = 2,
       PTL_UINT16_T = 3,
       PTL_INT32_T = 4,
       PTL_UINT32_T = 5,
       PTL_FLOAT = 6,
       PTL_INT64_T = 7,
       PTL_UINT64_T = 8,
       PTL_DOUBLE = 9,
       PTL_FLOAT_COMPLEX = 10,
       PTL_DOUBLE_COMPLEX = 11,
       PTL_LONG_DOUBLE = 12,
       PTL_LONG_DOUBLE_COMPLEX = 13, /* 16 and 32 bytes, compared by value */
       PTL_DATATYPE_LAST = 14
};

/* ---- Library (section 3.5) ------------------------------------------------------------------- */

/* Starts the library, or counts one more user of it. Never PTL_NO_INIT. The specification does not
 * let a process start again after its last PtlFini; Lintel may refuse that. Errors: PTL_FAIL (a
 * LINTEL_* variable is wrong; the sentence is on stderr). */
int PtlInit(void);

/* One user less; the last one shuts down what is still open, as PtlNIFini does. Nothing happens if
 * the library is not initialised. */
void PtlFini(void);

/* Every thread that waits in PtlCTWait, PtlCTPoll, PtlEQWait or PtlEQPoll, or enters one later,
 * returns PTL_ABORTED, whatever its handles: they are not looked at. Lintel: until the last
 * PtlFini. Other functions go on as before. Nothing happens if the library is not initialised. */
void PtlAbort(void);

/* ---- Network interfaces (section 3.6) -------------------------------------------------------- */

/* Opens interface `iface` (PTL_IFACE_DEFAULT, or a number) as one of four kinds, matching or not,
 * logical or physical, which share the process' nid and pid. `pid`: below PTL_PID_MAX, the one that
 * the process has, or PTL_PID_ANY. `desired` and `actual` may be null. *actual: the limits in
 * force, each the desired one brought into what is possible, never an error; Lintel: a desired
 * value of 0 or less, or no `desired`, stands for the default. Opening a kind again gives the same
 * handle and its limits, `desired` aside; each call wants its own PtlNIFini. Errors:
 * PTL_ARG_INVALID (no such interface; not exactly one of each option pair; a pid that differs from
 * the one the process has), PTL_PID_IN_USE (another process has it), PTL_NO_SPACE, PTL_FAIL
 * (Lintel: no provider; the sentence is on stderr). */
int PtlNIInit(ptl_interface_t iface, unsigned int options, ptl_pid_t pid,
              const ptl_ni_limits_t *desired, ptl_ni_limits_t *actual, ptl_handle_ni_t *ni_handle);

/* Undoes one PtlNIInit of this kind. The last one refuses new messages, ends what is in flight and
 * frees every object of the interface. Lintel: threads that wait for one return PTL_ABORTED; what
 * was already sent to live peers is delivered, for a bounded time. */
int PtlNIFini(ptl_handle_ni_t ni_handle);

/* Reads a status register (PTL_SR_*). */
int PtlNIStatus(ptl_handle_ni_t ni_handle, ptl_sr_index_t status_register, ptl_sr_value_t *status);

/* The interface of any object's handle, or of an interface's handle. PTL_EQ_NONE, PTL_CT_NONE,
 * PTL_INVALID_HANDLE: PTL_ARG_INVALID. */
int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t *ni_handle);

/* Logical interface: `mapping[rank]` tells nid and pid of every rank; it is copied. Comes before
 * any use of the interface but PtlGetMap and PtlGetPhysId. Errors: PTL_ARG_INVALID (also: physical
 * interface), PTL_IGNORED (has a map, which stays), PTL_NO_SPACE. */
int PtlSetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, const ptl_process_t *mapping);

/* Logical interface: writes the first entries of the map, at most `map_size` (0: none; `mapping`
 * may then be null). *actual_map_size, if not null: how many the map has. Errors: PTL_ARG_INVALID
 * (also: physical interface), PTL_NO_SPACE (Lintel: no map yet). */
int PtlGetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, ptl_process_t *mapping,
              ptl_size_t *actual_map_size);

/* ---- User and process identification (sections 3.8, 3.9) ------------------------------------- */

/* The user id that this process' messages carry: the effective one. */
int PtlGetUid(ptl_handle_ni_t ni_handle, ptl_uid_t *uid);

/* Physical interface: own nid and pid. Logical: own rank. Errors: PTL_FAIL (Lintel: logical, and no
 * map yet, or this process is not in it). */
int PtlGetId(ptl_handle_ni_t ni_handle, ptl_process_t *id);

/* Own nid and pid, on either kind of interface, also before PtlSetMap. */
int PtlGetPhysId(ptl_handle_ni_t ni_handle, ptl_process_t *id);

/* ---- Portal table (section 3.7) -----------------------------------------------------------------
 * A message for a portal that is not allocated, or that finds no entry, is refused with
 * PTL_NI_DROPPED; for one that is disabled, with PTL_NI_PT_DISABLED. With PTL_PT_FLOWCTRL a portal
 * disables itself when a message finds no entry, or would need an unexpected header or room in the
 * queue and there is none. That message and all later ones are refused with PTL_NI_PT_DISABLED,
 * nothing is kept for their senders, and one PT_DISABLED event comes when the messages accepted
 * before have ended. A full queue disables every PTL_PT_FLOWCTRL portal that uses it. The way back:
 * let all senders pause, take the queue's events, PtlPTEnable, let them send again what was
 * refused. */

/* Allocates portal `pt_index_req`, or PTL_PT_ANY (Lintel: the lowest free one), with `eq_handle`
 * for its events (or PTL_EQ_NONE). Errors: PTL_ARG_INVALID (also: unknown option; index beyond
 * max_pt_index), PTL_PT_EQ_NEEDED (PTL_PT_FLOWCTRL without a queue), PTL_PT_IN_USE (that index is
 * taken), PTL_PT_FULL. */
int PtlPTAlloc(ptl_handle_ni_t ni_handle, unsigned int options, ptl_handle_eq_t eq_handle,
               ptl_pt_index_t pt_index_req, ptl_pt_index_t *pt_index);

/* Frees it. Errors: PTL_PT_IN_USE (an entry is on one of its lists; the specification's text has
 * PTL_IN_USE, its known implementation this). */
int PtlPTFree(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);

/* Refuses new messages from now on, and blocks until those already matched have ended with their
 * events. Posts no PT_DISABLED. */
int PtlPTDisable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);

/* Accepts messages again, whoever disabled it. */
int PtlPTEnable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);

/* ---- Memory descriptors (section 3.10) ------------------------------------------------------- */

/* An MD for operations that start here. The memory itself is neither read nor registered in the
 * call, and stays the caller's.
 * Errors: PTL_ARG_INVALID (also: unknown option; more than max_iovecs elements; queue or counter of
 * another interface), PTL_NO_SPACE (max_mds). */
int PtlMDBind(ptl_handle_ni_t ni_handle, const ptl_md_t *md, ptl_handle_md_t *md_handle);

/* Ends the MD. Succeeds once the last event or count of each of its operations is visible:
 * releasing on the sight of it never fails. Lintel: blocks while only acks are on their way to it,
 * or operations of whose end it has no event and no count: until they have ended, or their peer is
 * lost. The counter has the last ack when it returns. Errors: PTL_IN_USE (Lintel: an event or count
 * of an operation that still moves data is to come, an operation waits to be triggered, or PtlAbort
 * was called; the MD stays. One turn of progress has been made: try again). */
int PtlMDRelease(ptl_handle_md_t md_handle);

/* ---- List entries and match list entries (sections 3.11, 3.12) ----------------------------------
 * A message takes the first entry that matches, of the priority list, else of the overflow list; an
 * LE matches everything. On the overflow list it also leaves an unexpected header. LE functions
 * want a non-matching interface, ME functions a matching one, else PTL_ARG_INVALID. */

/* New entry at the tail of a list of `pt_index`, in one step with respect to arriving messages.
 * LINK tells that it is there.
 * Priority list: first the unexpected headers that match are met, in order of arrival, whoever sent
 * them; each is removed and gives an X_OVERFLOW event when its data have landed. If it was the last
 * header of an overflow entry that has unlinked itself, that entry's AUTO_FREE comes next. With
 * USE_ONCE the first header ends it: then its own AUTO_UNLINK, no LINK, and the handle is dead.
 * Without, all are met, and the entry is linked then, unless min_free unlinks it on the way. The
 * memory belongs to the interface until PtlLEUnlink or PtlMEUnlink succeeds, or AUTO_UNLINK
 * (overflow list: AUTO_FREE) comes. Errors: PTL_ARG_INVALID (also: portal not allocated; unknown
 * list or option; more than max_iovecs elements), PTL_NO_SPACE (max_entries, max_list_size). */
int PtlLEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                ptl_list_t ptl_list, void *user_ptr, ptl_handle_le_t *le_handle);
int PtlMEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                ptl_list_t ptl_list, void *user_ptr, ptl_handle_me_t *me_handle);

/* Removes the entry; no event. The memory is the caller's again. Errors: PTL_ARG_INVALID (also: it
 * has unlinked itself), PTL_IN_USE (a message is being delivered into it, or unexpected headers
 * refer to it; the entry stays. One turn of progress has been made: try again). */
int PtlLEUnlink(ptl_handle_le_t le_handle);
int PtlMEUnlink(ptl_handle_me_t me_handle);

/* Looks for unexpected headers as a priority append would; nothing is ever linked. With USE_ONCE
 * the first that matches counts, without all do. PTL_SEARCH_ONLY: a SEARCH event for each, and the
 * header stays. PTL_SEARCH_DELETE: an X_OVERFLOW event for each, and the header is removed. Nothing
 * found: one SEARCH event with PTL_NI_NO_MATCH. No further event marks the end. EVENT_COMM_DISABLE,
 * or a portal without a queue: no events. With EVENT_CT_OVERFLOW the counter gets one success (or
 * the bytes) for each, and one failure at the end: without USE_ONCE always, with it only if nothing
 * was found. Errors: PTL_ARG_INVALID (as append; unknown operation). */
int PtlLESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                ptl_search_op_t ptl_search_op, void *user_ptr);
int PtlMESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                ptl_search_op_t ptl_search_op, void *user_ptr);

/* ---- Event queues (section 3.13) ------------------------------------------------------------- */

/* A queue for `count` events, which MDs and portals of the interface may share. A full queue loses
 * its oldest event; a PTL_PT_FLOWCTRL portal disables itself instead. Lintel: exactly `count`, and
 * PT_DISABLED always has room. Errors: PTL_NO_SPACE (max_eqs, memory). */
int PtlEQAlloc(ptl_handle_ni_t ni_handle, ptl_size_t count, ptl_handle_eq_t *eq_handle);

/* Ends the queue. That no MD or portal still uses it is up to the caller. Lintel: threads that wait
 * for it return PTL_ABORTED. */
int PtlEQFree(ptl_handle_eq_t eq_handle);

/* Takes the oldest event. PTL_EQ_DROPPED is a success with a warning. Errors: PTL_EQ_EMPTY. */
int PtlEQGet(ptl_handle_eq_t eq_handle, ptl_event_t *event);

/* The same, and blocks until there is one. Lintel: polls for LINTEL_SPIN first, then sleeps. Each
 * event goes to one thread. Errors: PTL_ABORTED. */
int PtlEQWait(ptl_handle_eq_t eq_handle, ptl_event_t *event);

/* The same for `size` queues of one interface; *which tells whose event it is. Lintel: the first in
 * order that has one. `timeout` 0: one look; PTL_TIME_FOREVER: no end. Errors: PTL_EQ_EMPTY (time
 * is up), PTL_ABORTED, PTL_ARG_INVALID (also: size 0; several interfaces). */
int PtlEQPoll(const ptl_handle_eq_t *eq_handles, unsigned int size, ptl_time_t timeout,
              ptl_event_t *event, unsigned int *which);

/* ---- Counting events (section 3.14) ---------------------------------------------------------- */

/* A counter, at {0, 0}. Errors: PTL_NO_SPACE (max_cts). */
int PtlCTAlloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t *ct_handle);

/* Ends the counter; triggered operations that wait on it never fire. That no MD or entry still uses
 * it is up to the caller.
 * Lintel: threads that wait for it return PTL_ABORTED. */
int PtlCTFree(ptl_handle_ct_t ct_handle);

/* Drops the triggered operations that wait on the counter; its value stays. */
int PtlCTCancelTriggered(ptl_handle_ct_t ct_handle);

/* The present value. */
int PtlCTGet(ptl_handle_ct_t ct_handle, ptl_ct_event_t *event);

/* Blocks until `success` is at least `test`, or `failure` is not 0; *event is the value then. So
 * after a failure it returns at once, with PTL_OK, until PtlCTSet clears `failure`. Lintel: polls
 * for LINTEL_SPIN first, then sleeps. Errors: PTL_ABORTED. */
int PtlCTWait(ptl_handle_ct_t ct_handle, ptl_size_t test, ptl_ct_event_t *event);

/* The same for `size` counters of one interface, each with its test; *which tells the one that
 * ended it. `timeout` 0: one look; PTL_TIME_FOREVER: no end. Errors: PTL_CT_NONE_REACHED (time is
 * up), PTL_ABORTED, PTL_ARG_INVALID (also: size 0; several interfaces). */
int PtlCTPoll(const ptl_handle_ct_t *ct_handles, const ptl_size_t *tests, unsigned int size,
              ptl_time_t timeout, ptl_ct_event_t *event, unsigned int *which);

/* Sets both members in one step. What waits on the counter may fire; what has fired does not fire
 * again. */
int PtlCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct);

/* Adds to one of the members; PTL_ARG_INVALID if neither member of `increment` is 0. What waits on
 * the counter may fire. */
int PtlCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment);

/* ---- Data movement (section 3.15) ---------------------------------------------------------------
 * All start an operation and return. Three moments:
 *   - Memory that is sent may be reused: SEND event, or the count of EVENT_CT_SEND, of the (put)
 *     MD. Sooner: when the call returns, with VOLATILE and length <= max_volatile_size. PTL_NI_OK
 *     in SEND says nothing about the target.
 *   - The target sees the data: its PUT, ATOMIC or FETCH_ATOMIC event, or the count of the entry's
 *     EVENT_CT_COMM; told here by the ACK event or the count of EVENT_CT_ACK if an ack was asked
 *     for. With PTL_NO_ACK_REQ the initiator never learns it. Lintel: PTL_CT_ACK_REQ and
 *     PTL_OC_ACK_REQ of an MD that does not count acks are PTL_NO_ACK_REQ.
 *   - Fetched data are here: REPLY event, or the count of EVENT_CT_REPLY, of the (get) MD. The
 *     operation is then complete at the target too.
 * A failure is told by ACK or REPLY, in ni_fail_type, or as one count of failure: DROPPED,
 * PT_DISABLED, PERM_VIOLATION, OP_VIOLATION (the target's entry and memory are as before), or
 * UNDELIVERABLE (also when the peer is lost later). UNDELIVERABLE in SEND: no ACK event follows,
 * but a counter that counts acks has its failure, and a REPLY comes. What an operation owes comes
 * in every case; only acks from an entry with ACK_DISABLE do not. At the target a message is
 * shortened to what the entry has room for (mlength); an offset beyond its end leaves 0 bytes, and
 * everything else happens.
 *
 * Messages of one interface to one portal of one peer match in the order of the calls, unless their
 * MD has UNORDERED. Data are in order up to max_waw_ordered_size and max_war_ordered_size.
 *
 * `user_ptr` comes back in the events here, `hdr_data` goes into the target's event. `match_bits`
 * are not looked at on a non-matching interface. PTL_ARG_INVALID of all: region outside the MD;
 * length above the limit of the operation; Lintel: logical, and rank beyond the map; ack_req
 * unknown, PTL_ACK_REQ without a queue or PTL_CT_ACK_REQ without a counter in the MD; sending from
 * VOLATILE more than max_volatile_size; UNRELIABLE with an ack. A physical target that does not
 * answer is no error of the call but UNDELIVERABLE later. Never PTL_NO_SPACE. Lintel: while
 * LINTEL_MAX_OPERATIONS wait for their answer, or as many messages wait to leave, the call blocks
 * and makes progress until there is room, or the target is lost: then it returns PTL_OK, and the
 * operation has failed. Further errors: PTL_ABORTED (PtlAbort was called while it blocked, and
 * nothing has begun). */

/* Writes `length` bytes from `local_offset` of the MD into the target's entry, at `remote_offset`
 * (MANAGE_LOCAL: where it is at). Events here: SEND, then ACK if asked for. At the target: PUT.
 * Limit: max_msg_size. */
int PtlPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
           ptl_hdr_data_t hdr_data);

/* Reads `length` bytes of the target's entry into the MD. Event here: REPLY. At the target: GET,
 * when its memory may change again. Limit: max_msg_size. */
int PtlGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
           ptl_size_t remote_offset, void *user_ptr);

/* As PtlPut, but combines: each element at the target becomes (target operation data). Atomic for
 * each element with respect to the other atomics of the target's interface. Lintel: needs no
 * alignment. At the target: ATOMIC. Limit: max_atomic_size. PTL_ARG_INVALID also: operation not of
 * PtlAtomic or not for this type; Lintel: length not a multiple of the type's size. */
int PtlAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
              ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
              ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
              ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype);

/* As PtlAtomic, and brings the elements' old values into the get MD. The two MDs may be the same;
 * regions that overlap have undefined contents. The entry needs OP_PUT and OP_GET. Events here:
 * SEND (put MD), REPLY (get MD); there is no ACK. At the target: FETCH_ATOMIC. Limit:
 * max_fetch_atomic_size. */
int PtlFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                   ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                   ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                   ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                   ptl_op_t operation, ptl_datatype_t datatype);

/* As PtlFetchAtomic, with PTL_SWAP, PTL_CSWAP* and PTL_MSWAP. `operand`: one element, read in the
 * call; may be null with PTL_SWAP. PTL_ARG_INVALID also: other operations than these; CSWAP* and
 * MSWAP with more than one element or without an operand. */
int PtlSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
            ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
            ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data, const void *operand,
            ptl_op_t operation, ptl_datatype_t datatype);

/* Called at the target: when it returns, the processor may read and write what earlier atomics
 * touched, and sees their results. */
int PtlAtomicSync(void);

/* ---- Triggered operations (section 3.16) --------------------------------------------------------
 * The same operations, started when success + failure of `trig_ct_handle` is at least `threshold`;
 * in the call, if it already is. From then on all is as if the plain function had been called at
 * that moment: also VOLATILE memory is copied then. The MDs and the counter to be changed must stay
 * until that moment. Those that become due together fire by threshold, those of equal threshold in
 * the order of the calls. None fires twice. Lintel: one that finds LINTEL_MAX_OPERATIONS under way
 * when it fires begins as soon as there is room, and those behind it wait with it. Errors: those of
 * the plain function, found in this call; PTL_ARG_INVALID (also: `trig_ct_handle` PTL_CT_NONE, or
 * of another interface), PTL_NO_SPACE (max_triggered_ops wait on that counter). */

int PtlTriggeredPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                    ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                    ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                    ptl_hdr_data_t hdr_data, ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
int PtlTriggeredGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                    ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                    ptl_size_t remote_offset, void *user_ptr, ptl_handle_ct_t trig_ct_handle,
                    ptl_size_t threshold);
int PtlTriggeredAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
                       ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
                       ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                       ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                       ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
int PtlTriggeredFetchAtomic(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                            ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset,
                            ptl_size_t length, ptl_process_t target_id, ptl_pt_index_t pt_index,
                            ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
                            ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype,
                            ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
/* `operand` is read in the call, not when the operation fires. */
int PtlTriggeredSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                     ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                     ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                     ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                     const void *operand, ptl_op_t operation, ptl_datatype_t datatype,
                     ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

/* PtlCTInc and PtlCTSet of `ct_handle`, which may in turn fire what waits on it, to any depth. */
int PtlTriggeredCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
int PtlTriggeredCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

/* ---- Bundles (section 3.17) ------------------------------------------------------------------ */

/* A hint: many operations follow on this interface, until as many PtlEndBundle. They may be held
 * back meanwhile; PtlEndBundle starts them. */
int PtlStartBundle(ptl_handle_ni_t ni_handle);
int PtlEndBundle(ptl_handle_ni_t ni_handle);

/* ---- Handles (section 3.18) ------------------------------------------------------------------ */

/* 1 if equal, 0 if not: no return code. Whether they name anything is not looked at, nor whether
 * the library is initialised. */
int PtlHandleIsEqual(ptl_handle_any_t handle1, ptl_handle_any_t handle2);

#ifdef __cplusplus
}
#endif

#endif /* LINTEL_PORTALS4_H */
