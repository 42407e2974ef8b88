// Names that sources for other implementations of Portals 3 use: they compile and have the expected
// values.

// Such sources define this before the header, and use the header folders of other installations.
#define PTL_IFACE_DEFAULT PTL_IFACE_SS
#include <p3nal_utcp.h>
#include <portals/p3api/debug.h>
#include <portals/p3nal_utcp.h>
#include <portals/p3rt/p3rt.h>
#include <portals/portals3.h>

#include <string>

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class OldPrograms : public ProtocolTest {};

TEST_F(OldPrograms, EventStringsAreIndexedByTheKind) {
  for (int kind = PTL_EVENT_GET_START; kind <= PTL_EVENT_UNLINK; ++kind) {
    EXPECT_STREQ(ptl_event_str[kind], PtlEventKindStr(static_cast<ptl_event_kind_t>(kind)));
  }
  EXPECT_STREQ(ptl_event_str[PTL_EVENT_PUT_END], "PTL_EVENT_PUT_END");
  EXPECT_STREQ(ptl_event_str[PTL_EVENT_UNLINK], "PTL_EVENT_UNLINK");
}

TEST_F(OldPrograms, CodesOfOthersCanStandBesideOursInASwitch) {
  const auto known = [](int code) {
    switch (code) {
      case PTL_OK:
      case PTL_IFACE_DUP: return true;
      case PTL_EQ_IN_USE: return true;
      default: return false;
    }
  };
  ptl_handle_ni_t again = PTL_INVALID_HANDLE;
  EXPECT_TRUE(known(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &again)));
  EXPECT_FALSE(known(PTL_FAIL));
  EXPECT_STREQ(PtlErrorStr(PTL_IFACE_DUP), "PTL_IFACE_DUP");
  EXPECT_STREQ(PtlErrorStr(PTL_EQ_IN_USE), "PTL_EQ_IN_USE");
}

TEST_F(OldPrograms, EveryNameOfTheInterfaceOpensTheOneThatThereIs) {
  for (const ptl_interface_t name :
       {PTL_IFACE_SS, PTL_IFACE_UTCP, IFACE_FROM_BRIDGE_AND_NALID(PTL_BRIDGE_UK, PTL_IFACE_SS),
        IFACE_FROM_BRIDGE_AND_NALID(PTL_BRIDGE_QK, PTL_IFACE_SS)}) {
    ptl_handle_ni_t handle = PTL_INVALID_HANDLE;
    EXPECT_EQ(PtlNIInit(name, PTL_PID_ANY, nullptr, nullptr, &handle), PTL_OK);
    EXPECT_EQ(handle, job->ni());
  }
}

TEST_F(OldPrograms, BitsOfTheDebugMaskAreTakenAndGivenBack) {
  EXPECT_EQ(PtlNIDebug(PTL_INVALID_HANDLE, PTL_DBG_NONE), PTL_DBG_NONE);
  EXPECT_EQ(PTL_DBG_ALL & PTL_DBG_NI_ALL, 0U);
  EXPECT_EQ(PTL_DBG_API | PTL_DBG_PARSE | PTL_DBG_MOVE | PTL_DBG_DROP, 0xfU);
}

}  // namespace
}  // namespace lintel::testing
