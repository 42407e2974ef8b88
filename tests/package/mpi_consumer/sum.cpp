// The C program compiled as C++.
#include "sum.c"
