/* Programs written for the Sandia implementation include this header for PTL_IFACE_UTCP, which is
 * in portals3.h here. */
#ifndef LINTEL_P3NAL_UTCP_H
#define LINTEL_P3NAL_UTCP_H
#include "portals3.h"
#endif
