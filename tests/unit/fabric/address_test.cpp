// How a pid becomes a TCP port and a name an address: doc/addressing.md.
#include "transport/address/address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <vector>

#include "transport/fabric/fabric_options.h"

namespace lintel::transport {
namespace {

constexpr std::uint32_t kBase = 27000;

TEST(Addressing, APidBelow1024CountsFromThePortBase) {
  EXPECT_EQ(port_of(Pid(0), kBase).value(), 27000);
  EXPECT_EQ(port_of(Pid(1023), kBase).value(), 28023);
}

TEST(Addressing, AnyOtherPidIsThePortItself) {
  EXPECT_EQ(port_of(Pid(1024), kBase).value(), 1024);
  EXPECT_EQ(port_of(Pid(26999), kBase).value(), 26999);
  EXPECT_EQ(port_of(Pid(28024), kBase).value(), 28024);
  EXPECT_EQ(port_of(Pid(65534), kBase).value(), 65534);
}

TEST(Addressing, ThePidThatMeansAnyIsInvalid) { EXPECT_FALSE(port_of(Pid(65535), kBase).ok()); }

TEST(Addressing, APidThatIsAPortOfTheSmallPidsIsInvalid) {
  EXPECT_FALSE(port_of(Pid(27000), kBase).ok());
  EXPECT_FALSE(port_of(Pid(28023), kBase).ok());
}

TEST(Addressing, APidGreaterThanAnyPortIsInvalid) {
  EXPECT_FALSE(port_of(Pid(65536), kBase).ok());
  EXPECT_FALSE(port_of(Pid(65536 + 5), kBase).ok());
  EXPECT_FALSE(port_of(kAnyPid, kBase).ok());
}

TEST(Addressing, EveryUnprivilegedPortButTheLastHasOnePid) {
  for (const std::uint32_t base : {1U, 500U, kBase, 64512U}) {
    for (std::uint32_t port = 1024; port < 65535; ++port) {
      const Pid pid = pid_of(static_cast<std::uint16_t>(port), base);
      const Result<std::uint16_t> back = port_of(pid, base);
      ASSERT_TRUE(back.ok()) << port;
      ASSERT_EQ(back.value(), port) << base;
    }
  }
}

// ---- Any pid, on networks where no port chooses it

constexpr std::uint32_t kBases[] = {1, 500, 1023, 1024, 1025, kBase, 64000, 64511, 64512};

bool may_be_given(Pid pid, std::uint32_t base) {
  return pid.value >= 1024 && pid.value < 65535 && port_of(pid, base).ok();
}

TEST(AnyPid, IsValidWhateverTheProcessId) {
  for (const std::uint32_t base : kBases) {
    for (std::uint32_t process_id = 0; process_id < (1U << 17); ++process_id) {
      ASSERT_TRUE(may_be_given(any_pid(process_id, 0, base), base))
          << process_id << " with base " << base;
    }
    // The largest process ids of Linux, and larger ones.
    for (const std::uint32_t process_id : {(1U << 22) - 1, 1U << 22, 0x7fffffffU, 0xffffffffU}) {
      for (std::uint32_t turn = 0; turn < 5000; ++turn)
        ASSERT_TRUE(may_be_given(any_pid(process_id, turn, base), base)) << process_id;
    }
  }
}

TEST(AnyPid, DiffersInEveryAttempt) {
  for (const std::uint32_t base : kBases) {
    for (const std::uint32_t process_id : {1U, 26000U, 64510U, 64511U, 64512U, 65535U, 4194303U}) {
      std::vector<bool> given(65536);
      for (std::uint32_t turn = 0; turn < kAnyPids; ++turn) {
        const Pid pid = any_pid(process_id, turn, base);
        ASSERT_TRUE(may_be_given(pid, base)) << pid.value;
        ASSERT_FALSE(given[pid.value]) << pid.value;
        given[pid.value] = true;
      }
    }
  }
}

TEST(AnyPid, OfNeighbouringProcessesDiffersInTheFirstAttempt) {
  for (std::uint32_t process_id = 60000; process_id < 70000; ++process_id) {
    EXPECT_NE(any_pid(process_id, 0, kBase), any_pid(process_id + 1, 0, kBase));
  }
}

TEST(Addressing, ThePortBaseLeavesRoomForAllSmallPids) {
  EXPECT_TRUE(check_port_base(1).ok());
  EXPECT_TRUE(check_port_base(64512).ok());
  EXPECT_FALSE(check_port_base(0).ok());
  EXPECT_FALSE(check_port_base(64513).ok());
  EXPECT_FALSE(check_port_base(0xffffffffU).ok());
}

TEST(Addressing, TheNidIsTheIpv4AddressInHostOrder) {
  EXPECT_EQ(parse_node("10.1.2.3").value(), NodeId(0x0a010203U));
  EXPECT_EQ(to_string(NodeId(0x0a010203U)), "10.1.2.3");
}

TEST(Addressing, OnlyTheAddressOfOneHostIsANid) {
  for (const char* text :
       {"0.0.0.0", "255.255.255.255", "224.0.0.1", "localhost", "1.2.3", "1.2.3.4.5", "::1", ""}) {
    EXPECT_FALSE(parse_node(text).ok()) << text;
  }
  EXPECT_TRUE(parse_node("223.255.255.255").ok());
}

TEST(Addressing, ASocketAddressLeadsBackToItsName) {
  const ProcessId name{NodeId(0x7f000001U), Pid(12)};
  const sockaddr_in address = socket_address_of(name, kBase).value();
  EXPECT_EQ(ntohs(address.sin_port), 27012);
  EXPECT_EQ(ntohl(address.sin_addr.s_addr), 0x7f000001U);
  EXPECT_EQ(name_of(address, kBase), name);
}

TEST(Addressing, ASharedMemoryNameContainsNodePidAndIncarnation) {
  EXPECT_EQ(shared_memory_name_of({NodeId(0x7f000001U), Pid(42)}, 0xabcU).value(),
            "lintel-7f000001-42-00000abc");
  EXPECT_FALSE(shared_memory_name_of({NodeId(0x7f000001U), kAnyPid}, 1).ok());
  EXPECT_FALSE(shared_memory_name_of({NodeId(0), Pid(1)}, 1).ok());
}

}  // namespace
}  // namespace lintel::transport
