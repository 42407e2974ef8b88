/* What C programs do with the constants of portals4.h: static initialisers and switches. Nothing
 * else is included, so the header stands alone. */
#include "portals4.h"

ptl_handle_any_t lintel_c_unset_handle(void);
int lintel_c_return_code_is_known(int code);
int lintel_c_is_target_event(ptl_event_kind_t kind);
unsigned int lintel_c_receive_options(void);

static const ptl_handle_any_t unset = PTL_INVALID_HANDLE;
static const ptl_md_t everything = {0, PTL_SIZE_MAX, PTL_MD_VOLATILE | PTL_MD_EVENT_CT_ACK,
                                    PTL_EQ_NONE, PTL_CT_NONE};
static const ptl_me_t anybody = {.uid = PTL_UID_ANY,
                                 .options = PTL_ME_OP_PUT | PTL_ME_ACK_DISABLE,
                                 .match_id = {.rank = PTL_RANK_ANY}};
static const ptl_process_t nobody = {.phys = {PTL_NID_ANY, PTL_PID_ANY}};
static int portal_names[PTL_PT_ALLOC_OPTIONS_MASK + 1U];

ptl_handle_any_t lintel_c_unset_handle(void) {
  return everything.length == PTL_SIZE_MAX && nobody.phys.pid == PTL_PID_ANY && portal_names[0] == 0
             ? unset
             : 0;
}

unsigned int lintel_c_receive_options(void) { return anybody.options; }

int lintel_c_return_code_is_known(int code) {
  switch (code) {
    case PTL_OK:
    case PTL_ARG_INVALID:
    case PTL_CT_NONE_REACHED:
    case PTL_EQ_DROPPED:
    case PTL_EQ_EMPTY:
    case PTL_FAIL:
    case PTL_IGNORED:
    case PTL_IN_USE:
    case PTL_LIST_TOO_LONG:
    case PTL_NO_INIT:
    case PTL_NO_SPACE:
    case PTL_PID_IN_USE:
    case PTL_PT_FULL:
    case PTL_PT_EQ_NEEDED:
    case PTL_PT_IN_USE:
    case PTL_ABORTED:
    case PTL_INTERRUPTED: return 1;
    default: return 0;
  }
}

int lintel_c_is_target_event(ptl_event_kind_t kind) {
  switch (kind) {
    case PTL_EVENT_GET:
    case PTL_EVENT_GET_OVERFLOW:
    case PTL_EVENT_PUT:
    case PTL_EVENT_PUT_OVERFLOW:
    case PTL_EVENT_ATOMIC:
    case PTL_EVENT_ATOMIC_OVERFLOW:
    case PTL_EVENT_FETCH_ATOMIC:
    case PTL_EVENT_FETCH_ATOMIC_OVERFLOW:
    case PTL_EVENT_PT_DISABLED:
    case PTL_EVENT_LINK:
    case PTL_EVENT_AUTO_UNLINK:
    case PTL_EVENT_AUTO_FREE:
    case PTL_EVENT_SEARCH: return 1;
    case PTL_EVENT_REPLY:
    case PTL_EVENT_SEND:
    case PTL_EVENT_ACK: return 0;
    default: return -1;
  }
}
