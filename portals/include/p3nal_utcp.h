/* Programs written for the Sandia implementation name their interface by this header;
 * PTL_IFACE_UTCP and PTL_IFACE_DEFAULT are in portals3.h. */
#ifndef LINTEL_P3NAL_UTCP_H
#define LINTEL_P3NAL_UTCP_H
#include "portals3.h"
#endif
