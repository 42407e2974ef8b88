/* Programs written for the Sandia implementation include this header for PtlNIDebug, which is in
 * portals3.h here, and for the bits of its mask. Any bit selects the log level debug. */
#ifndef LINTEL_P3API_DEBUG_H
#define LINTEL_P3API_DEBUG_H

#include "../portals3.h"

#define PTL_DBG_NONE 0x00000000U
#define PTL_DBG_ALL 0x0000ffffU
#define PTL_DBG_NI_ALL 0xffff0000U
#define PTL_DBG_API 0x00000001U
#define PTL_DBG_PARSE 0x00000002U
#define PTL_DBG_MOVE 0x00000004U
#define PTL_DBG_DROP 0x00000008U
#define PTL_DBG_REQUEST 0x00000010U
#define PTL_DBG_DELIVERY 0x00000020U
#define PTL_DBG_MD 0x00000040U
#define PTL_DBG_ME 0x00000080U
#define PTL_DBG_UNLINK 0x00000100U
#define PTL_DBG_EQ 0x00000200U
#define PTL_DBG_EVENT 0x00000400U
#define PTL_DBG_MEMORY 0x00000800U
#define PTL_DBG_SETUP 0x00001000U
#define PTL_DBG_SHUTDOWN 0x00002000U

#endif
