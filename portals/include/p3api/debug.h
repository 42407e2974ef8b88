/* Programs written for the Sandia implementation include this for PtlNIDebug, which is in portals3.h. */
#ifndef LINTEL_P3API_DEBUG_H
#define LINTEL_P3API_DEBUG_H
#include "../portals3.h"
#endif
