#pragma once
// The suite of the pitfalls: each test's name begins with the number of the clause in the list of
// what is most often got wrong.

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {

class Pitfalls : public ProtocolTest {};

}  // namespace lintel::testing
