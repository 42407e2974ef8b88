#include "base/interface_address.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace lintel {
namespace {

TEST(InterfaceAddress, ADottedAddressIsItself) {
  EXPECT_EQ(interface_address("10.1.2.3").value(), "10.1.2.3");
}

TEST(InterfaceAddress, ANameLeadsToItsFirstAddress) {
  EXPECT_EQ(interface_address("lo").value(), "127.0.0.1");
}

TEST(InterfaceAddress, AnUnknownNameIsAnError) {
  EXPECT_EQ(interface_address("nosuch0").error().code(), ENODEV);
}

}  // namespace
}  // namespace lintel
