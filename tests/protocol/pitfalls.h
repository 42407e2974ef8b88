#pragma once
// Rules of Portals 3.3 that implementations often get wrong.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {

class Pitfalls : public ProtocolTest {};

}  // namespace lintel::testing
