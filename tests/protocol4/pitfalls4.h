#pragma once
// Rules of Portals 4 that implementations often get wrong. Tests elsewhere cover some of them:
//   numbers of the header                       tests/unit/api4/portals4_header_test.cpp
//   invalid and old handles in every function   arguments4_test.cpp
//   invalid limits, PTL_PID_MAX                 limits4_test.cpp, arguments4_test.cpp
//   MDs over the whole address space            data_movement4_test.cpp, clients4/shmem.c, osc.c
//   read-only sources                           data_movement4_test.cpp, clients4/shmem.c
//   lists of pieces                             data_movement4_test.cpp
//   arithmetic and comparisons                  tests/unit/engine/atomic_operation_test.cpp,
//                                               atomics4_test.cpp
//   a target that never calls                   collectives4_test.cpp, application_bypass_test.cpp
//   no processor time while idle                clients4/idle.c
//   PtlAbort, waiters of a freed counter        counting4_test.cpp, clients4/rest.c
//   closing with operations under way           interfaces4_test.cpp, failures4_test.cpp
//   cycles of triggered operations              triggered4_test.cpp
//   ranks that start at the same time           clients4/exchange.c: job_publish
//   two libraries of one name                   tests/package/portals4.sh
//   spinning on two processors                  clients4 with 4 processes
//   licence notices                             tests/package/notices.sh
// clients4 is tests/system/clients4.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {

class Pitfalls4 : public Portals4Test {
 protected:
  static constexpr unsigned kOnce = kPut | PTL_ME_USE_ONCE;
  int put_acked(const Md& md, ptl_match_bits_t bits = kBits) {
    return put(md, {.ack = PTL_ACK_REQ, .bits = bits});
  }

  Bytes memory = Bytes(4096);
  Bytes data = pattern(8);
};

}  // namespace lintel::testing
