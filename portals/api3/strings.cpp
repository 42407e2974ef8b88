// Names of codes, events and failures.

#include "portals3.h"

extern "C" {

const char* ptl_err_str[PTL_MAX_ERRNO + 1] = {"PTL_OK",
                                              "PTL_AC_INDEX_INVALID",
                                              "PTL_EQ_DROPPED",
                                              "PTL_EQ_EMPTY",
                                              "PTL_EQ_INVALID",
                                              "PTL_FAIL",
                                              "PTL_HANDLE_INVALID",
                                              "PTL_IFACE_INVALID",
                                              "PTL_MD_ILLEGAL",
                                              "PTL_MD_INVALID",
                                              "PTL_MD_IN_USE",
                                              "PTL_MD_NO_UPDATE",
                                              "PTL_ME_INVALID",
                                              "PTL_ME_IN_USE",
                                              "PTL_ME_LIST_TOO_LONG",
                                              "PTL_NI_INVALID",
                                              "PTL_NO_INIT",
                                              "PTL_NO_SPACE",
                                              "PTL_PID_INVALID",
                                              "PTL_PROCESS_INVALID",
                                              "PTL_PT_FULL",
                                              "PTL_PT_INDEX_INVALID",
                                              "PTL_SEGV",
                                              "PTL_SR_INDEX_INVALID",
                                              "PTL_UNKNOWN_ERROR",
                                              "PTL_MAX_ERRNO"};

const char* ptl_event_str[PTL_EVENT_UNLINK + 1] = {
    "PTL_EVENT_GET_START",   "PTL_EVENT_GET_END",      "PTL_EVENT_PUT_START",
    "PTL_EVENT_PUT_END",     "PTL_EVENT_GETPUT_START", "PTL_EVENT_GETPUT_END",
    "PTL_EVENT_REPLY_START", "PTL_EVENT_REPLY_END",    "PTL_EVENT_SEND_START",
    "PTL_EVENT_SEND_END",    "PTL_EVENT_ACK",          "PTL_EVENT_UNLINK"};

const char* PtlErrorStr(unsigned code) {
  switch (code) {
    case PTL_IFACE_DUP: return "PTL_IFACE_DUP";
    case PTL_EQ_IN_USE: return "PTL_EQ_IN_USE";
    default: return code < PTL_MAX_ERRNO ? ptl_err_str[code] : "unknown Portals return code";
  }
}

const char* PtlEventKindStr(ptl_event_kind_t kind) {
  const auto index = static_cast<unsigned>(kind);
  return index <= PTL_EVENT_UNLINK ? ptl_event_str[index] : "unknown Portals event";
}

const char* PtlNIFailStr(ptl_handle_ni_t, ptl_ni_fail_t fail) {
  switch (fail) {
    case PTL_NI_OK: return "PTL_NI_OK";
    case PTL_NI_FAIL: return "PTL_NI_FAIL: the transfer failed";
    case PTL_NI_PEER_DEAD:
      return "PTL_NI_PEER_DEAD: the peer died, went away, or could not be reached";
    case PTL_NI_SHUTDOWN: return "PTL_NI_SHUTDOWN: the interface was shut down";
    default: return "unknown Portals failure";
  }
}

}  // extern "C"
