/* Programs written for the Sandia implementation include this for its run-time functions; Lintel addresses processes without one. */
#ifndef LINTEL_P3RT_P3RT_H
#define LINTEL_P3RT_P3RT_H
#include "../portals3.h"
#endif
