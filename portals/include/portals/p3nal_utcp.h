/* The same header in the folder in which some installations have it. */
#ifndef LINTEL_PORTALS_P3NAL_UTCP_H
#define LINTEL_PORTALS_P3NAL_UTCP_H
#include "../p3nal_utcp.h"
#endif
