/* Portals 4, API 4.3: one-sided communication with and without matching. The C interface of
 * Lintel's engine.
 *
 * Rules that hold for every function, unless its own comment says otherwise:
 * - Thread: any function may be called from any thread, but not from a signal handler. Each call is
 *   atomic with respect to other calls and to incoming operations.
 * - Blocking: PtlEQWait, PtlEQPoll, PtlCTWait, PtlCTPoll and PtlPTDisable block. PtlNIFini and
 *   PtlFini may block for a bounded time. PtlMDRelease and the data movement functions may block,
 *   as their comments say. No other function blocks.
 * - Progress: data move, events are delivered and triggered operations begin without any call of
 *   the program.
 * - Errors: PTL_NO_INIT before a successful PtlInit; PTL_ARG_INVALID for a null pointer (unless the
 *   comment allows null), for a handle that names no object or one of another kind, for handles of
 *   two interfaces in one call, for a portal that is not allocated, for a value out of range. Every
 *   function may return these two; they are not repeated below. On any error nothing has changed
 *   and output parameters are not written.
 * - Handles are integers; compare them with == or PtlHandleIsEqual. The handle of an object that
 *   has ended gives PTL_ARG_INVALID.
 * - Sizes and offsets are in bytes, times in milliseconds.
 * - A structure passed by pointer is copied in the call. An array of ptl_iovec_t is not copied: the
 *   interface uses it, like the memory that it lists, until the MD is released or the entry is
 *   unlinked (for an overflow entry that unlinks itself: until AUTO_FREE).
 *
 * "LE/ME" means a list entry of a non-matching interface or a match list entry of a matching one.
 * X_OVERFLOW means any of the four events whose names end so. Event kinds are written without
 * PTL_EVENT_, options without their prefix. "Lintel:" marks what the specification leaves to the
 * implementation. "Section" names the section of chapter 3 of the Portals 4 report (SAND2012-10087
 * for 4.0, SAND2022-8810 for 4.3).
 *
 * A source file includes either this header or portals3.h, because they share names. A process may
 * use both. */
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
typedef uint64_t ptl_hdr_data_t; /* 64 bits that an operation carries beside its data */
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

/* These are three different values: "no queue" and "no counter" are not invalid handles. */
#define PTL_EQ_NONE ((ptl_handle_eq_t)0x3fffffffU)
#define PTL_CT_NONE ((ptl_handle_ct_t)0x5fffffffU)
#define PTL_INVALID_HANDLE ((ptl_handle_any_t)0xffffffffU)

#define PTL_IFACE_DEFAULT ((ptl_interface_t)0xffffffffU)
#define PTL_NID_ANY ((ptl_nid_t)0xffffU) /* 16 bits, as PTL_PID_ANY; no process has this nid */
#define PTL_PID_ANY ((ptl_pid_t)0xffffU)
#define PTL_PID_MAX ((ptl_pid_t)1024) /* a program may choose pids below this */
#define PTL_RANK_ANY ((ptl_rank_t)0xffffffffU)
#define PTL_UID_ANY ((ptl_uid_t)0xffffffffU)
#define PTL_PT_ANY ((ptl_pt_index_t)0xffffffffU)
#define PTL_TIME_FOREVER ((ptl_time_t)0xffffffffU)
#define PTL_SIZE_MAX ((ptl_size_t)0xffffffffffffffffULL)

/* A logical interface uses `rank`, a physical one `phys`. The other member has no meaning. */
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
  PTL_CT_NONE_REACHED = 2, /* PtlCTPoll: the time has ended */
  PTL_EQ_DROPPED = 3,      /* an event was returned; at least one event before it was lost */
  PTL_EQ_EMPTY = 4,
  PTL_FAIL = 5,
  PTL_IGNORED = 6,       /* PtlSetMap: the interface has a map already */
  PTL_IN_USE = 7,        /* an operation uses the object: try again */
  PTL_LIST_TOO_LONG = 8, /* Lintel: never returned; a full list gives PTL_NO_SPACE */
  PTL_NO_INIT = 9,
  PTL_NO_SPACE = 10,     /* a limit of the interface is reached, or there is no memory */
  PTL_PID_IN_USE = 11,
  PTL_PT_FULL = 12,
  PTL_PT_EQ_NEEDED = 13,
  PTL_PT_IN_USE = 14,
  PTL_ABORTED = 15 /* PtlAbort has ended a call that waits; Lintel: or the object for which it waits
                      has ended */
};
#define PTL_STATUS_LAST 15 /* programs expect that it equals PTL_ABORTED; it is not the size of a
                              table of codes */

/* A code of 4.2 that 4.3 has no longer and programs still use. Never returned. It differs from
 * every other code, so that a switch may name it. */
#define PTL_INTERRUPTED 16

/* ---- Network interfaces: constants and limits (section 3.6) ---------------------------------- */

#define PTL_NI_MATCHING 0x1U /* options have either this */
#define PTL_NI_NO_MATCHING 0x2U
#define PTL_NI_LOGICAL 0x4U /* and either this or PTL_NI_PHYSICAL */
#define PTL_NI_PHYSICAL 0x8U
#define PTL_NI_INIT_OPTIONS_MASK 0xfU

/* ptl_ni_fail_t: how an operation ended. */
enum {
  PTL_NI_OK = 0,
  PTL_NI_UNDELIVERABLE = 1,  /* the target cannot be reached, or was lost */
  PTL_NI_DROPPED = 2,        /* the target has no such portal, or no entry matched */
  PTL_NI_PT_DISABLED = 3,    /* the portal is disabled, or this message disabled it: send again when
                                the target has enabled it */
  PTL_NI_PERM_VIOLATION = 4, /* the matching entry is for another user */
  PTL_NI_OP_VIOLATION = 5,   /* the matching entry does not permit this operation */
  PTL_NI_NO_MATCH = 6,       /* a search found nothing */
  PTL_NI_SEGV = 7            /* memory of the target is not accessible, see
                                PTL_TARGET_BIND_INACCESSIBLE */
};

/* ptl_sr_index_t. The registers count from PtlNIInit on and are never reset. Searches do not change
 * them. */
enum {
  PTL_SR_DROP_COUNT = 0, /* messages refused for other reasons than the next two */
  PTL_SR_PERMISSION_VIOLATIONS = 1,
  PTL_SR_OPERATION_VIOLATIONS = 2,
  PTL_SR_LAST = 3
};
/* spellings of earlier headers */
#define PTL_SR_PERMISSIONS_VIOLATIONS PTL_SR_PERMISSION_VIOLATIONS
#define PTL_SR_OPERATIONS_VIOLATIONS PTL_SR_OPERATION_VIOLATIONS
#define PTL_NI_FLOW_CTRL PTL_NI_PT_DISABLED

/* Bits of ptl_ni_limits_t.features. */
#define PTL_TARGET_BIND_INACCESSIBLE 0x1U /* an LE/ME may cover memory that is not mapped: an
                                             operation that touches it fails with PTL_NI_SEGV */
#define PTL_TOTAL_DATA_ORDERING 0x2U      /* data of any size are ordered */
#define PTL_COHERENT_ATOMICS 0x4U         /* atomics are coherent with the processor's loads and
                                             stores without PtlAtomicSync */

typedef struct {
  int max_entries;                  /* LEs or MEs of the interface */
  int max_unexpected_headers;       /* Lintel: per portal */
  int max_mds;
  int max_cts;
  int max_eqs;
  int max_pt_index;                 /* the largest valid index, inclusive */
  int max_iovecs;                   /* pieces of one MD, LE or ME */
  int max_list_size;                /* entries of one list of a portal */
  int max_triggered_ops;            /* Lintel: that wait for one counter */
  ptl_size_t max_msg_size;          /* put, get */
  ptl_size_t max_atomic_size;       /* PtlAtomic. Lintel: at least max_waw_ordered_size and
                                       max_volatile_size */
  ptl_size_t max_fetch_atomic_size; /* PtlFetchAtomic, PtlSwap */
  ptl_size_t max_waw_ordered_size;  /* up to this size a later put or atomic is written after an
                                       earlier one, and a later get sees the earlier data */
  ptl_size_t max_war_ordered_size;  /* up to this size an earlier get reads before a later put or
                                       atomic is written */
  ptl_size_t max_volatile_size;     /* up to this size PTL_MD_VOLATILE has effect */
  unsigned int features;
} ptl_ni_limits_t;

/* ---- Portal table options (section 3.7) ------------------------------------------------------ */

/* ONLY_USE_ONCE, ONLY_TRUNCATE and MATCH_UNORDERED are promises of the caller. Lintel: an entry
 * that breaks a promise is accepted. */
#define PTL_PT_ONLY_USE_ONCE 0x01U   /* every entry is USE_ONCE, or MANAGE_LOCAL with min_free */
#define PTL_PT_FLOWCTRL 0x02U        /* the portal disables itself when resources are exhausted;
                                        needs an event queue */
#define PTL_PT_ONLY_TRUNCATE 0x04U   /* no entry is NO_TRUNCATE */
#define PTL_PT_MATCH_UNORDERED 0x08U /* the order of the entries does not matter */
#define PTL_PT_ALLOC_DISABLED 0x10U  /* accepts no message before PtlPTEnable */
#define PTL_PT_ALLOC_OPTIONS_MASK 0x1fU

/* ---- Memory descriptors: types and options (section 3.10) ------------------------------------ */

/* Bit 0 of the options of MD, LE and ME: `start` points to `length` elements of ptl_iovec_t.
 * Offsets address the elements one after the other. */
#define PTL_IOVEC 0x1U

typedef struct {
  void *iov_base;
  ptl_size_t iov_len; /* bytes; may be 0 */
} ptl_iovec_t;

#define PTL_MD_EVENT_CT_SEND 0x002U /* these three: what the counter counts; each failure adds one
                                       to `failure` */
#define PTL_MD_EVENT_CT_REPLY 0x004U
#define PTL_MD_EVENT_CT_ACK 0x008U
#define PTL_MD_UNORDERED 0x010U             /* its operations may overtake each other */
#define PTL_MD_EVENT_SUCCESS_DISABLE 0x020U /* no SEND, ACK and REPLY events with PTL_NI_OK;
                                               counting is not affected */
#define PTL_MD_VOLATILE 0x040U              /* up to max_volatile_size the memory may be reused when
                                               the call returns */
#define PTL_MD_EVENT_SEND_DISABLE 0x080U    /* no SEND events; counting is not affected */
#define PTL_MD_UNRELIABLE 0x100U            /* best effort; with PTL_NO_ACK_REQ only */
#define PTL_MD_EVENT_CT_BYTES 0x4000U       /* a success adds its bytes: the requested length
                                               (SEND), the length moved (ACK, REPLY) */
#define PTL_MD_OPTIONS_MASK 0x41ffU

/* Memory for operations that this process starts. `start` NULL and `length` PTL_SIZE_MAX mean the
 * whole address space; local_offset is then the address. */
typedef struct {
  void *start; /* may be read-only memory if nothing is written to it */
  ptl_size_t length;
  unsigned int options; /* PTL_IOVEC, PTL_MD_* */
  ptl_handle_eq_t eq_handle;
  ptl_handle_ct_t ct_handle;
} ptl_md_t;

/* ---- List entries and match list entries: types and options (sections 3.11, 3.12) ------------ */

enum { PTL_PRIORITY_LIST = 0, PTL_OVERFLOW_LIST = 1 };  /* ptl_list_t */
enum { PTL_SEARCH_ONLY = 0, PTL_SEARCH_DELETE = 1 };    /* ptl_search_op_t */

#define PTL_ME_OP_PUT 0x00002U                 /* permits put and atomic; fetch-atomic and swap need
                                                  OP_PUT and OP_GET */
#define PTL_ME_OP_GET 0x00004U                 /* permits get */
#define PTL_ME_USE_ONCE 0x00008U               /* unlinks itself when a message matches */
#define PTL_ME_UNEXPECTED_HDR_DISABLE 0x00010U /* in the overflow list: messages make no unexpected
                                                  header */
#define PTL_ME_IS_ACCESSIBLE 0x00020U          /* promise: all of its memory is mapped (saves a
                                                  check for each operation) */
#define PTL_ME_EVENT_LINK_DISABLE 0x00040U     /* no LINK events */
#define PTL_ME_EVENT_COMM_DISABLE 0x00080U     /* no PUT, GET, ATOMIC, FETCH_ATOMIC; in a search, no
                                                  event at all */
#define PTL_ME_EVENT_FLOWCTRL_DISABLE 0x00100U /* no PT_DISABLED for a message that this entry
                                                  matched */
#define PTL_ME_EVENT_SUCCESS_DISABLE 0x00200U  /* no PUT, GET, ATOMIC, FETCH_ATOMIC and X_OVERFLOW
                                                  with PTL_NI_OK. LINK, AUTO_UNLINK, AUTO_FREE are
                                                  delivered */
#define PTL_ME_EVENT_OVER_DISABLE 0x00400U     /* no X_OVERFLOW events */
#define PTL_ME_EVENT_UNLINK_DISABLE 0x00800U   /* no AUTO_UNLINK and AUTO_FREE events */
#define PTL_ME_EVENT_CT_COMM 0x01000U          /* count PUT, GET, ATOMIC, FETCH_ATOMIC, also when
                                                  their events are disabled */
#define PTL_ME_EVENT_CT_OVERFLOW 0x02000U      /* count X_OVERFLOW and what a search finds, also
                                                  when the events are disabled */
#define PTL_ME_EVENT_CT_BYTES 0x04000U         /* count the bytes moved; each failure adds one */
#define PTL_ME_MANAGE_LOCAL 0x08000U           /* ME only, as are the next three: messages are
                                                  placed one behind the other; their remote_offset
                                                  is ignored */
#define PTL_ME_NO_TRUNCATE 0x10000U            /* a message that does not fit does not match;
                                                  without this option it is shortened */
#define PTL_ME_MAY_ALIGN 0x20000U              /* with MANAGE_LOCAL: offsets may be rounded up.
                                                  Lintel: no effect */
#define PTL_ME_LOCAL_INC_UH_RLENGTH 0x40000U   /* in the priority list, with MANAGE_LOCAL: each
                                                  unexpected header that it matches advances the
                                                  offset by its rlength */
#define PTL_ME_ACK_DISABLE 0x80000U            /* of 4.2, with effect: no ack for messages that it
                                                  matches. Not in the masks below */

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

/* Memory for operations of other processes. `start` NULL and `length` PTL_SIZE_MAX mean the whole
 * address space; remote_offset is then the address. */
typedef struct {
  void *start;
  ptl_size_t length;
  ptl_handle_ct_t ct_handle; /* used only with an EVENT_CT_ option */
  ptl_uid_t uid;             /* the user who may use it, or PTL_UID_ANY. It has no part in matching:
                                a message of another user that matches is refused, and the entry is
                                unchanged */
  unsigned int options;      /* PTL_IOVEC, PTL_LE_* */
} ptl_le_t;

/* Begins like ptl_le_t. */
typedef struct {
  void *start;
  ptl_size_t length;
  ptl_handle_ct_t ct_handle;
  ptl_uid_t uid;
  unsigned int options; /* PTL_IOVEC, PTL_ME_* */
  ptl_process_t match_id; /* process whose messages match: rank, or nid and pid, each of which may
                             be ANY */
  ptl_match_bits_t match_bits;
  ptl_match_bits_t ignore_bits; /* bits that are 1 here are not compared */
  ptl_size_t min_free;          /* used only with MANAGE_LOCAL: the entry unlinks itself when less
                                   than this is left; 0: never */
} ptl_me_t;

/* ---- Events: types (sections 3.13, 3.14) ----------------------------------------------------- */

/* ptl_event_kind_t. The portal's queue at the target gets an operation's event, then AUTO_UNLINK if
 * the operation was the entry's last, later AUTO_FREE. */
enum {
  PTL_EVENT_GET = 0,                   /* the data have been read */
  PTL_EVENT_GET_OVERFLOW = 1,          /* X_OVERFLOW: an append or a deleting search has matched a
                                          message that had arrived before it */
  PTL_EVENT_PUT = 2,                   /* the data are in memory */
  PTL_EVENT_PUT_OVERFLOW = 3,
  PTL_EVENT_ATOMIC = 4,                /* the result is in memory */
  PTL_EVENT_ATOMIC_OVERFLOW = 5,
  PTL_EVENT_FETCH_ATOMIC = 6,          /* of PtlFetchAtomic and PtlSwap: the result is in memory */
  PTL_EVENT_FETCH_ATOMIC_OVERFLOW = 7,
  PTL_EVENT_REPLY = 8,                 /* initiator, queue of the (get) MD: the fetched data are in
                                          memory */
  PTL_EVENT_SEND = 9,                  /* initiator, queue of the (put) MD: the memory may be
                                          reused. PTL_NI_OK says nothing about the target */
  PTL_EVENT_ACK = 10,                  /* initiator: the operation is complete at the target, or has
                                          failed; never before SEND */
  PTL_EVENT_PT_DISABLED = 11,          /* once each time the portal disables itself, after the
                                          events of the messages that it accepted before */
  PTL_EVENT_LINK = 12,                 /* the entry is in its list */
  PTL_EVENT_AUTO_UNLINK = 13,          /* the entry has left its list, and its last operation has
                                          ended */
  PTL_EVENT_AUTO_FREE = 14,            /* after AUTO_UNLINK, overflow list only: no unexpected
                                          header of the entry is left, its memory may be reused */
  PTL_EVENT_SEARCH = 15                /* result of a search */
};

/* Members that are valid, besides type and ni_fail_type:
 * - SEND: user_ptr.
 * - ACK, REPLY: user_ptr, mlength, remote_offset, ptl_list.
 * - LINK, AUTO_UNLINK, AUTO_FREE: user_ptr, pt_index.
 * - PT_DISABLED: pt_index.
 * - SEARCH: as X_OVERFLOW; with PTL_NI_NO_MATCH only user_ptr.
 * - The others: all members, except hdr_data for GET; atomic_operation and atomic_type only for
 *   ATOMIC and FETCH_ATOMIC. An X_OVERFLOW has the values of the event of its message, except
 *   user_ptr. */
typedef struct {
  void *start;                /* where the data are; X_OVERFLOW: in the overflow entry's memory,
                                 from which the program copies them */
  void *user_ptr;             /* of the operation (at the initiator), of the entry (at the target),
                                 of the append or search (X_OVERFLOW, SEARCH) */
  ptl_hdr_data_t hdr_data;    /* complete, also if the message was shortened to 0 bytes */
  ptl_match_bits_t match_bits;
  ptl_size_t rlength;         /* requested length */
  ptl_size_t mlength;         /* length moved */
  ptl_size_t remote_offset;   /* target: the requested offset, also with MANAGE_LOCAL; initiator:
                                 the offset used at the target */
  ptl_process_t initiator;    /* rank on a logical interface, nid and pid on a physical one */
  ptl_uid_t uid;              /* of the initiator */
  ptl_pt_index_t pt_index;
  ptl_event_kind_t type;
  ptl_list_t ptl_list;        /* the list in which the message matched */
  ptl_ni_fail_t ni_fail_type;
  ptl_op_t atomic_operation;
  ptl_datatype_t atomic_type;
} ptl_event_t;

typedef struct {
  ptl_size_t success; /* events or bytes; wraps */
  ptl_size_t failure; /* events; wraps */
} ptl_ct_event_t;

/* ---- Operations and data types (section 3.15) ------------------------------------------------ */

/* ptl_ack_req_t, of puts and atomics. ACK_REQ needs an event queue in the MD, CT_ACK_REQ a counter.
 * The counter counts acks only if the MD has EVENT_CT_ACK; a refused message adds one to
 * `failure`. */
enum {
  PTL_NO_ACK_REQ = 0,
  PTL_ACK_REQ = 1,    /* ACK event, and count */
  PTL_CT_ACK_REQ = 2, /* count only */
  PTL_OC_ACK_REQ = 3  /* count only; it says only that the operation has ended. Lintel: treated as
                         CT_ACK_REQ */
};

/* ptl_op_t. A: PtlAtomic and PtlFetchAtomic, S: PtlSwap. Types: i integers, f floating, c complex.
 * All act element by element; CSWAP* and MSWAP on one element, whose old value is always returned.
 * `operand` and the sent value `data` are the initiator's; `target` is the old value at the
 * target. */
enum {
  PTL_MIN = 0,       /* A, i f */
  PTL_MAX = 1,       /* A, i f */
  PTL_SUM = 2,       /* A, i f c */
  PTL_PROD = 3,      /* A, i f c */
  /* A, i; the logical ones give 0 or 1 */
  PTL_LOR = 4, PTL_LAND = 5, PTL_BOR = 6, PTL_BAND = 7, PTL_LXOR = 8, PTL_BXOR = 9,
  PTL_SWAP = 10,     /* S, i f c; operand is not used */
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

/* Starts the library. Calls are counted: each needs its own PtlFini. Never PTL_NO_INIT. The
 * specification does not allow a process to start again after its last PtlFini; Lintel may refuse
 * that. Errors: PTL_FAIL (a LINTEL_* variable is wrong; stderr has the reason). */
int PtlInit(void);

/* Undoes one PtlInit. The last one shuts down interfaces that are still open, as PtlNIFini does.
 * Has no effect if the library is not initialised. */
void PtlFini(void);

/* Every thread that waits in PtlCTWait, PtlCTPoll, PtlEQWait or PtlEQPoll, or calls one of them
 * later, returns PTL_ABORTED. Their handles are not checked then. Lintel: until the last PtlFini.
 * Other functions are not affected, except where their comments say so. Has no effect if the
 * library is not initialised. */
void PtlAbort(void);

/* ---- Network interfaces (section 3.6) -------------------------------------------------------- */

/* Opens interface `iface` (PTL_IFACE_DEFAULT, or a number) as one of four kinds, matching or not,
 * logical or physical, which share the process' nid and pid. `pid`: below PTL_PID_MAX, the pid that
 * the process already has, or PTL_PID_ANY. `desired` and `actual` may be null. *actual gets the
 * limits in force. Each is the desired one, or the nearest possible one; no desired limit is an
 * error. Lintel: a desired value of 0 or less, or no `desired`, gives the default.
 * Opening a kind again gives the same handle and its limits; `desired` is then ignored. Each call
 * needs its own PtlNIFini.
 * Errors: PTL_ARG_INVALID (no such interface; not exactly one of each option pair; a pid that
 * differs from the one that the process has), PTL_PID_IN_USE (another process has it),
 * PTL_NO_SPACE, PTL_FAIL (Lintel: no provider; stderr has the reason). */
int PtlNIInit(ptl_interface_t iface, unsigned int options, ptl_pid_t pid,
              const ptl_ni_limits_t *desired, ptl_ni_limits_t *actual, ptl_handle_ni_t *ni_handle);

/* Undoes one PtlNIInit of this kind. The last one refuses new messages, ends all operations and
 * frees every object of the interface. Lintel: threads that wait for such an object return
 * PTL_ABORTED. Before that, what was sent to live peers is delivered; the call blocks for it for a
 * bounded time. */
int PtlNIFini(ptl_handle_ni_t ni_handle);

/* Reads a status register (PTL_SR_*). */
int PtlNIStatus(ptl_handle_ni_t ni_handle, ptl_sr_index_t status_register, ptl_sr_value_t *status);

/* Returns the interface to which a handle belongs: of an object, or of the interface itself.
 * PTL_EQ_NONE, PTL_CT_NONE and PTL_INVALID_HANDLE give PTL_ARG_INVALID. */
int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t *ni_handle);

/* Logical interface: sets nid and pid of every rank to `mapping[rank]`, which is copied. Must come
 * before any use of the interface except PtlGetMap and PtlGetPhysId. Errors: PTL_ARG_INVALID (also:
 * physical interface), PTL_IGNORED (it has a map, which is kept), PTL_NO_SPACE. */
int PtlSetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, const ptl_process_t *mapping);

/* Logical interface: writes the first entries of the map to `mapping`, at most `map_size` (0: none;
 * `mapping` may then be null). *actual_map_size, if not null, gets the number of entries of the
 * map. Errors: PTL_ARG_INVALID (also: physical interface), PTL_NO_SPACE (Lintel: no map yet). */
int PtlGetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, ptl_process_t *mapping,
              ptl_size_t *actual_map_size);

/* ---- User and process identification (sections 3.8, 3.9) ------------------------------------- */

/* The user id that the messages of this process carry: its effective user id. */
int PtlGetUid(ptl_handle_ni_t ni_handle, ptl_uid_t *uid);

/* Physical interface: nid and pid of this process. Logical interface: its rank. Errors: PTL_FAIL
 * (Lintel: a logical interface has no map yet, or this process is not in it). */
int PtlGetId(ptl_handle_ni_t ni_handle, ptl_process_t *id);

/* Nid and pid of this process, on either kind of interface, also before PtlSetMap. */
int PtlGetPhysId(ptl_handle_ni_t ni_handle, ptl_process_t *id);

/* ---- Portal table (section 3.7) -----------------------------------------------------------------
 * A message for a portal that is not allocated, or that finds no entry, is refused with
 * PTL_NI_DROPPED. A message for a disabled portal is refused with PTL_NI_PT_DISABLED. With
 * PTL_PT_FLOWCTRL a portal disables itself when a message finds no entry, or needs an unexpected
 * header or room in the queue and there is none. That message and all later ones are refused with
 * PTL_NI_PT_DISABLED. They are not stored. One PT_DISABLED event is delivered when the messages
 * that were accepted before have ended. A full queue disables every PTL_PT_FLOWCTRL portal that
 * uses it. To continue: let all senders pause, take the queue's events, call PtlPTEnable, and let
 * the senders send again what was refused. */

/* Allocates portal `pt_index_req`, or with PTL_PT_ANY any free one (Lintel: the lowest), with
 * `eq_handle` for its events (or PTL_EQ_NONE). Errors: PTL_ARG_INVALID (also: unknown option; index
 * beyond max_pt_index), PTL_PT_EQ_NEEDED (PTL_PT_FLOWCTRL without a queue), PTL_PT_IN_USE (that
 * index is taken), PTL_PT_FULL. */
int PtlPTAlloc(ptl_handle_ni_t ni_handle, unsigned int options, ptl_handle_eq_t eq_handle,
               ptl_pt_index_t pt_index_req, ptl_pt_index_t *pt_index);

/* Frees the portal. Errors: PTL_PT_IN_USE (an entry is in one of its lists. The specification has
 * PTL_IN_USE; the reference implementation has this code). */
int PtlPTFree(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);

/* Disables the portal, so that new messages are refused. Blocks until the messages that are already
 * matched have ended and their events are there. There is no PT_DISABLED event. */
int PtlPTDisable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);

/* Enables the portal again, also if it has disabled itself. */
int PtlPTEnable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index);

/* ---- Memory descriptors (section 3.10) ------------------------------------------------------- */

/* Makes an MD for operations that this process starts. The memory is neither read nor registered in
 * the call, and the caller may use it.
 * Errors: PTL_ARG_INVALID (also: unknown option; more than max_iovecs elements; queue or counter of
 * another interface), PTL_NO_SPACE (max_mds). */
int PtlMDBind(ptl_handle_ni_t ni_handle, const ptl_md_t *md, ptl_handle_md_t *md_handle);

/* Ends the MD. It never fails once the program can see the last event or count of each operation of
 * the MD. Lintel: it blocks while the MD only waits for acks, or for operations whose end it
 * reports by neither event nor count, until they have ended or their peer is lost. When it returns,
 * the counter has counted the last ack.
 * Errors: PTL_IN_USE (Lintel: an operation that still moves data has an event or count to come, an
 * operation waits to be triggered, or PtlAbort was called. The MD is kept. The call has made
 * progress once: try again). */
int PtlMDRelease(ptl_handle_md_t md_handle);

/* ---- List entries and match list entries (sections 3.11, 3.12) ----------------------------------
 * A message uses the first entry that matches in the priority list; if there is none, the first one
 * in the overflow list. An LE matches every message. A match in the overflow list also makes an
 * unexpected header. LE functions need a non-matching interface, ME functions a matching one;
 * otherwise PTL_ARG_INVALID. */

/* Appends an entry to a list of `pt_index`, in one step with respect to arriving messages. The LINK
 * event reports that it is in the list.
 * Priority list: before that it claims the unexpected headers that match, in order of arrival,
 * whoever sent them. Each is removed and gives an X_OVERFLOW event when its data are complete. If
 * it was the last header of an overflow entry that has unlinked itself, that entry's AUTO_FREE is
 * next. With USE_ONCE the first header that matches uses the entry up: its AUTO_UNLINK follows,
 * there is no LINK, and the handle is no longer valid. Without USE_ONCE the entry claims all
 * headers and is then linked, unless min_free has unlinked it meanwhile.
 * The interface uses the memory until PtlLEUnlink or PtlMEUnlink succeeds, or AUTO_UNLINK (overflow
 * list: AUTO_FREE) is delivered.
 * Errors: PTL_ARG_INVALID (also: portal not allocated; unknown list or option; more than max_iovecs
 * elements), PTL_NO_SPACE (max_entries, max_list_size). */
int PtlLEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                ptl_list_t ptl_list, void *user_ptr, ptl_handle_le_t *le_handle);
int PtlMEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                ptl_list_t ptl_list, void *user_ptr, ptl_handle_me_t *me_handle);

/* Unlinks the entry. There is no event. Lintel no longer uses its memory. Errors: PTL_ARG_INVALID
 * (also: it has unlinked itself), PTL_IN_USE (a message is being delivered into it, or unexpected
 * headers refer to it. The entry is kept. The call has made progress once: try again). */
int PtlLEUnlink(ptl_handle_le_t le_handle);
int PtlMEUnlink(ptl_handle_me_t me_handle);

/* Searches the unexpected headers as an append to the priority list does, but links no entry. With
 * USE_ONCE it finds the first header that matches, without USE_ONCE all. PTL_SEARCH_ONLY: a SEARCH
 * event for each, and the header is kept. PTL_SEARCH_DELETE: an X_OVERFLOW event for each, and the
 * header is removed. If nothing is found: one SEARCH event with PTL_NI_NO_MATCH. No other event
 * marks the end. With EVENT_COMM_DISABLE, or if the portal has no queue, there are no events. With
 * EVENT_CT_OVERFLOW each header that is found adds one success (or its bytes) to the counter, and
 * the end of the search adds one failure: always without USE_ONCE, and with USE_ONCE if nothing was
 * found. Errors: PTL_ARG_INVALID (as append; unknown operation). */
int PtlLESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_le_t *le,
                ptl_search_op_t ptl_search_op, void *user_ptr);
int PtlMESearch(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                ptl_search_op_t ptl_search_op, void *user_ptr);

/* ---- Event queues (section 3.13) ------------------------------------------------------------- */

/* Makes a queue for `count` events. MDs and portals of the interface may share it. A full queue
 * loses its oldest event; a PTL_PT_FLOWCTRL portal disables itself instead. Lintel: the queue has
 * room for exactly `count` events, and always for PT_DISABLED. Errors: PTL_NO_SPACE (max_eqs,
 * memory). */
int PtlEQAlloc(ptl_handle_ni_t ni_handle, ptl_size_t count, ptl_handle_eq_t *eq_handle);

/* Ends the queue. The caller must make sure that no MD and no portal uses it any more. Lintel:
 * threads that wait for it return PTL_ABORTED. */
int PtlEQFree(ptl_handle_eq_t eq_handle);

/* Takes the oldest event from the queue. With PTL_EQ_DROPPED an event is returned as well, and an
 * earlier one was lost. Errors: PTL_EQ_EMPTY. */
int PtlEQGet(ptl_handle_eq_t eq_handle, ptl_event_t *event);

/* The same, but blocks until there is an event. Lintel: polls for LINTEL_SPIN, then sleeps. Each
 * event is returned to one thread. Errors: PTL_ABORTED. */
int PtlEQWait(ptl_handle_eq_t eq_handle, ptl_event_t *event);

/* The same for `size` queues of one interface. *which is the index of the queue whose event is
 * returned (Lintel: the first in the order of `eq_handles` that has one). `timeout` 0: checks once
 * and does not block; PTL_TIME_FOREVER: no time limit. Errors: PTL_EQ_EMPTY (the time has ended),
 * PTL_ABORTED, PTL_ARG_INVALID (also: size 0; several interfaces). */
int PtlEQPoll(const ptl_handle_eq_t *eq_handles, unsigned int size, ptl_time_t timeout,
              ptl_event_t *event, unsigned int *which);

/* ---- Counting events (section 3.14) ---------------------------------------------------------- */

/* Makes a counter with the value {0, 0}. Errors: PTL_NO_SPACE (max_cts). */
int PtlCTAlloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t *ct_handle);

/* Ends the counter. Triggered operations that wait for it are dropped. The caller must make sure
 * that no MD and no entry uses it any more.
 * Lintel: threads that wait for it return PTL_ABORTED. */
int PtlCTFree(ptl_handle_ct_t ct_handle);

/* Drops the triggered operations that wait for the counter. Its value is unchanged. */
int PtlCTCancelTriggered(ptl_handle_ct_t ct_handle);

/* The present value. */
int PtlCTGet(ptl_handle_ct_t ct_handle, ptl_ct_event_t *event);

/* Blocks until `success` is at least `test`, or `failure` is not 0. *event is the value at that
 * time. After a failure it therefore returns at once, with PTL_OK, until PtlCTSet sets `failure` to
 * 0. Lintel: polls for LINTEL_SPIN, then sleeps. Errors: PTL_ABORTED. */
int PtlCTWait(ptl_handle_ct_t ct_handle, ptl_size_t test, ptl_ct_event_t *event);

/* The same for `size` counters of one interface, each with its own test. *which is the index of the
 * counter that ended the wait. `timeout` 0: checks once and does not block; PTL_TIME_FOREVER: no
 * time limit. Errors: PTL_CT_NONE_REACHED (the time has ended), PTL_ABORTED, PTL_ARG_INVALID (also:
 * size 0; several interfaces). */
int PtlCTPoll(const ptl_handle_ct_t *ct_handles, const ptl_size_t *tests, unsigned int size,
              ptl_time_t timeout, ptl_ct_event_t *event, unsigned int *which);

/* Sets both members in one step. Triggered operations that wait for the counter may begin; one that
 * has begun does not begin again. */
int PtlCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct);

/* Adds to one of the members. PTL_ARG_INVALID if no member of `increment` is 0. Triggered
 * operations that wait for the counter may begin. */
int PtlCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment);

/* ---- Data movement (section 3.15) ---------------------------------------------------------------
 * All functions start an operation and return. What the program can know, and from what:
 * - The memory that is sent may be reused: the SEND event of the (put) MD, or its count of
 *   EVENT_CT_SEND. With VOLATILE and length <= max_volatile_size already the return of the call.
 *   PTL_NI_OK in SEND says nothing about the target.
 * - The target sees the data: its PUT, ATOMIC or FETCH_ATOMIC event, or the count of the entry's
 *   EVENT_CT_COMM. At the initiator: the ACK event, or the count of EVENT_CT_ACK, if an ack was
 *   asked for. With PTL_NO_ACK_REQ the initiator does not learn it. Lintel: PTL_CT_ACK_REQ and
 *   PTL_OC_ACK_REQ of an MD that does not count acks are treated as PTL_NO_ACK_REQ.
 * - Fetched data are in memory: the REPLY event of the (get) MD, or its count of EVENT_CT_REPLY.
 *   The operation is then also complete at the target.
 * A failure is reported by ni_fail_type of ACK or REPLY, or adds one to `failure` of the counter:
 * DROPPED, PT_DISABLED, PERM_VIOLATION, OP_VIOLATION (the target's entry and memory are unchanged),
 * or UNDELIVERABLE (also when the peer is lost later). After UNDELIVERABLE in SEND no ACK event
 * follows, but a counter that counts acks counts the failure, and a REPLY is delivered. All events
 * and counts of an operation are delivered in every case, except acks from an entry with
 * ACK_DISABLE. At the target a message is shortened to what the entry has room for (mlength); an
 * offset beyond the entry's end gives 0 bytes, and the operation is otherwise complete.
 *
 * Messages of one interface to one portal of one peer match in the order of the calls, unless their
 * MD has UNORDERED. Data are ordered up to max_waw_ordered_size and max_war_ordered_size.
 *
 * `user_ptr` is returned in the events of the initiator, `hdr_data` in the target's event.
 * `match_bits` are ignored on a non-matching interface. PTL_ARG_INVALID of all: region outside the
 * MD; length above the limit of the operation; Lintel: logical, and rank beyond the map; ack_req
 * unknown, PTL_ACK_REQ without a queue or PTL_CT_ACK_REQ without a counter in the MD; sending from
 * VOLATILE more than max_volatile_size; UNRELIABLE with an ack. A physical target that does not
 * answer is not an error of the call; the operation ends later with UNDELIVERABLE.
 * Never PTL_NO_SPACE. Lintel: while the target has its share of LINTEL_MAX_OPERATIONS, operations
 * that wait for their answer and messages that wait to leave, the call blocks and makes progress
 * until there is room. Calls with other targets do not wait for it. If the target is lost
 * meanwhile, the call returns PTL_OK, and the operation has failed. Further error:
 * PTL_ABORTED (PtlAbort was called while the call blocked; the operation has not begun). */

/* Writes `length` bytes from `local_offset` of the MD into the target's entry, at `remote_offset`
 * (with MANAGE_LOCAL: at the entry's own offset). Events of the initiator: SEND, then ACK if it was
 * asked for. Event of the target: PUT. Limit: max_msg_size. */
int PtlPut(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
           ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
           ptl_hdr_data_t hdr_data);

/* Reads `length` bytes of the target's entry into the MD. Event of the initiator: REPLY. Event of
 * the target: GET; from then on its memory may change. Limit: max_msg_size. */
int PtlGet(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
           ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
           ptl_size_t remote_offset, void *user_ptr);

/* As PtlPut, but combines: each element at the target becomes (target operation data). Atomic for
 * each element with respect to the other atomics of the target's interface. Lintel: no alignment is
 * needed. Event of the target: ATOMIC. Limit: max_atomic_size. PTL_ARG_INVALID also: the operation
 * is not one of PtlAtomic, or not for this type; Lintel: length not a multiple of the type's
 * size. */
int PtlAtomic(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t length,
              ptl_ack_req_t ack_req, ptl_process_t target_id, ptl_pt_index_t pt_index,
              ptl_match_bits_t match_bits, ptl_size_t remote_offset, void *user_ptr,
              ptl_hdr_data_t hdr_data, ptl_op_t operation, ptl_datatype_t datatype);

/* As PtlAtomic, and brings the elements' old values to the get MD. The two MDs may be the same;
 * regions that overlap have undefined contents. The entry needs OP_PUT and OP_GET. Events of the
 * initiator: SEND (put MD), REPLY (get MD); there is no ACK. Event of the target: FETCH_ATOMIC.
 * Limit: max_fetch_atomic_size. */
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

/* For the target: after it the processor sees the results of earlier atomics, and may read and
 * write the memory that they have changed. */
int PtlAtomicSync(void);

/* ---- Triggered operations (section 3.16) --------------------------------------------------------
 * The same operations, but they begin when success + failure of `trig_ct_handle` is at least
 * `threshold`: in the call, if it already is. The operation then proceeds as if the plain function
 * had been called at that time; VOLATILE memory is also copied only then. The MDs, and the counter
 * that is to be changed, must exist until then. Operations that become due together begin in the
 * order of their thresholds, those of equal threshold in the order of the calls. None begins twice.
 * Lintel: an operation that becomes due while its target has its share of LINTEL_MAX_OPERATIONS
 * begins as soon as there is room, and those of the same counter behind it wait for it.
 * Errors: those of the plain function, found in this call; PTL_ARG_INVALID (also: `trig_ct_handle`
 * PTL_CT_NONE, or of another interface), PTL_NO_SPACE (max_triggered_ops operations wait for that
 * counter). */

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
/* `operand` is read in the call, not when the operation begins. */
int PtlTriggeredSwap(ptl_handle_md_t get_md_handle, ptl_size_t local_get_offset,
                     ptl_handle_md_t put_md_handle, ptl_size_t local_put_offset, ptl_size_t length,
                     ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                     ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                     const void *operand, ptl_op_t operation, ptl_datatype_t datatype,
                     ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

/* PtlCTInc and PtlCTSet of `ct_handle`. They may in turn trigger operations that wait for it, to
 * any depth. */
int PtlTriggeredCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);
int PtlTriggeredCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold);

/* ---- Bundles (section 3.17) ------------------------------------------------------------------ */

/* A hint: many operations follow on this interface, until the same number of calls of PtlEndBundle.
 * They may be delayed until PtlEndBundle starts them. Lintel: no effect. */
int PtlStartBundle(ptl_handle_ni_t ni_handle);
int PtlEndBundle(ptl_handle_ni_t ni_handle);

/* ---- Handles (section 3.18) ------------------------------------------------------------------ */

/* 1 if the handles are equal, 0 if not; this is not a return code. Whether they are valid, or the
 * library is initialised, is not checked. */
int PtlHandleIsEqual(ptl_handle_any_t handle1, ptl_handle_any_t handle2);

#ifdef __cplusplus
}
#endif

#endif /* LINTEL_PORTALS4_H */
