// A program compiled against another Portals 4.3 header passes the same numbers and bytes: values
// and x86-64 layouts of portals4.h.

#include "portals4.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

extern "C" {
ptl_handle_any_t lintel_c_unset_handle(void);
int lintel_c_return_code_is_known(int code);
int lintel_c_is_target_event(ptl_event_kind_t kind);
unsigned int lintel_c_receive_options(void);
}

namespace lintel::testing {
namespace {

struct Number {
  const char* name;
  std::uint64_t found;
  std::uint64_t specified;
};

#define LINTEL_IS(name, value) \
  Number { #name, static_cast < std::uint64_t>(name), value }

const std::vector<Number> kReturnCodes = {
    LINTEL_IS(PTL_OK, 0),
    LINTEL_IS(PTL_ARG_INVALID, 1),
    LINTEL_IS(PTL_CT_NONE_REACHED, 2),
    LINTEL_IS(PTL_EQ_DROPPED, 3),
    LINTEL_IS(PTL_EQ_EMPTY, 4),
    LINTEL_IS(PTL_FAIL, 5),
    LINTEL_IS(PTL_IGNORED, 6),
    LINTEL_IS(PTL_IN_USE, 7),
    LINTEL_IS(PTL_LIST_TOO_LONG, 8),
    LINTEL_IS(PTL_NO_INIT, 9),
    LINTEL_IS(PTL_NO_SPACE, 10),
    LINTEL_IS(PTL_PID_IN_USE, 11),
    LINTEL_IS(PTL_PT_FULL, 12),
    LINTEL_IS(PTL_PT_EQ_NEEDED, 13),
    LINTEL_IS(PTL_PT_IN_USE, 14),
    LINTEL_IS(PTL_ABORTED, 15),
    LINTEL_IS(PTL_INTERRUPTED, 16),
};

const std::vector<Number> kEventKinds = {
    LINTEL_IS(PTL_EVENT_GET, 0),          LINTEL_IS(PTL_EVENT_GET_OVERFLOW, 1),
    LINTEL_IS(PTL_EVENT_PUT, 2),          LINTEL_IS(PTL_EVENT_PUT_OVERFLOW, 3),
    LINTEL_IS(PTL_EVENT_ATOMIC, 4),       LINTEL_IS(PTL_EVENT_ATOMIC_OVERFLOW, 5),
    LINTEL_IS(PTL_EVENT_FETCH_ATOMIC, 6), LINTEL_IS(PTL_EVENT_FETCH_ATOMIC_OVERFLOW, 7),
    LINTEL_IS(PTL_EVENT_REPLY, 8),        LINTEL_IS(PTL_EVENT_SEND, 9),
    LINTEL_IS(PTL_EVENT_ACK, 10),         LINTEL_IS(PTL_EVENT_PT_DISABLED, 11),
    LINTEL_IS(PTL_EVENT_LINK, 12),        LINTEL_IS(PTL_EVENT_AUTO_UNLINK, 13),
    LINTEL_IS(PTL_EVENT_AUTO_FREE, 14),   LINTEL_IS(PTL_EVENT_SEARCH, 15),
};

const std::vector<Number> kOperations = {
    LINTEL_IS(PTL_MIN, 0),       LINTEL_IS(PTL_MAX, 1),       LINTEL_IS(PTL_SUM, 2),
    LINTEL_IS(PTL_PROD, 3),      LINTEL_IS(PTL_LOR, 4),       LINTEL_IS(PTL_LAND, 5),
    LINTEL_IS(PTL_BOR, 6),       LINTEL_IS(PTL_BAND, 7),      LINTEL_IS(PTL_LXOR, 8),
    LINTEL_IS(PTL_BXOR, 9),      LINTEL_IS(PTL_SWAP, 10),     LINTEL_IS(PTL_CSWAP, 11),
    LINTEL_IS(PTL_CSWAP_NE, 12), LINTEL_IS(PTL_CSWAP_LE, 13), LINTEL_IS(PTL_CSWAP_LT, 14),
    LINTEL_IS(PTL_CSWAP_GE, 15), LINTEL_IS(PTL_CSWAP_GT, 16), LINTEL_IS(PTL_MSWAP, 17),
    LINTEL_IS(PTL_OP_LAST, 18),
};

const std::vector<Number> kDatatypes = {
    LINTEL_IS(PTL_INT8_T, 0),         LINTEL_IS(PTL_UINT8_T, 1),
    LINTEL_IS(PTL_INT16_T, 2),        LINTEL_IS(PTL_UINT16_T, 3),
    LINTEL_IS(PTL_INT32_T, 4),        LINTEL_IS(PTL_UINT32_T, 5),
    LINTEL_IS(PTL_FLOAT, 6),          LINTEL_IS(PTL_INT64_T, 7),
    LINTEL_IS(PTL_UINT64_T, 8),       LINTEL_IS(PTL_DOUBLE, 9),
    LINTEL_IS(PTL_FLOAT_COMPLEX, 10), LINTEL_IS(PTL_DOUBLE_COMPLEX, 11),
    LINTEL_IS(PTL_LONG_DOUBLE, 12),   LINTEL_IS(PTL_LONG_DOUBLE_COMPLEX, 13),
    LINTEL_IS(PTL_DATATYPE_LAST, 14),
};

const std::vector<Number> kFailures = {
    LINTEL_IS(PTL_NI_OK, 0),
    LINTEL_IS(PTL_NI_UNDELIVERABLE, 1),
    LINTEL_IS(PTL_NI_DROPPED, 2),
    LINTEL_IS(PTL_NI_PT_DISABLED, 3),
    LINTEL_IS(PTL_NI_PERM_VIOLATION, 4),
    LINTEL_IS(PTL_NI_OP_VIOLATION, 5),
    LINTEL_IS(PTL_NI_NO_MATCH, 6),
    LINTEL_IS(PTL_NI_SEGV, 7),
};

const std::vector<Number> kMdOptions = {
    LINTEL_IS(PTL_IOVEC, 1),
    LINTEL_IS(PTL_MD_EVENT_CT_SEND, 2),
    LINTEL_IS(PTL_MD_EVENT_CT_REPLY, 4),
    LINTEL_IS(PTL_MD_EVENT_CT_ACK, 8),
    LINTEL_IS(PTL_MD_UNORDERED, 0x10),
    LINTEL_IS(PTL_MD_EVENT_SUCCESS_DISABLE, 0x20),
    LINTEL_IS(PTL_MD_VOLATILE, 0x40),
    LINTEL_IS(PTL_MD_EVENT_SEND_DISABLE, 0x80),
    LINTEL_IS(PTL_MD_UNRELIABLE, 0x100),
    LINTEL_IS(PTL_MD_EVENT_CT_BYTES, 0x4000),
};

const std::vector<Number> kLeOptions = {
    LINTEL_IS(PTL_IOVEC, 1),
    LINTEL_IS(PTL_LE_OP_PUT, 2),
    LINTEL_IS(PTL_LE_OP_GET, 4),
    LINTEL_IS(PTL_LE_USE_ONCE, 8),
    LINTEL_IS(PTL_LE_UNEXPECTED_HDR_DISABLE, 0x10),
    LINTEL_IS(PTL_LE_IS_ACCESSIBLE, 0x20),
    LINTEL_IS(PTL_LE_EVENT_LINK_DISABLE, 0x40),
    LINTEL_IS(PTL_LE_EVENT_COMM_DISABLE, 0x80),
    LINTEL_IS(PTL_LE_EVENT_FLOWCTRL_DISABLE, 0x100),
    LINTEL_IS(PTL_LE_EVENT_SUCCESS_DISABLE, 0x200),
    LINTEL_IS(PTL_LE_EVENT_OVER_DISABLE, 0x400),
    LINTEL_IS(PTL_LE_EVENT_UNLINK_DISABLE, 0x800),
    LINTEL_IS(PTL_LE_EVENT_CT_COMM, 0x1000),
    LINTEL_IS(PTL_LE_EVENT_CT_OVERFLOW, 0x2000),
    LINTEL_IS(PTL_LE_EVENT_CT_BYTES, 0x4000),
};

const std::vector<Number> kMeOptions = {
    LINTEL_IS(PTL_IOVEC, 1),
    LINTEL_IS(PTL_ME_OP_PUT, 2),
    LINTEL_IS(PTL_ME_OP_GET, 4),
    LINTEL_IS(PTL_ME_USE_ONCE, 8),
    LINTEL_IS(PTL_ME_UNEXPECTED_HDR_DISABLE, 0x10),
    LINTEL_IS(PTL_ME_IS_ACCESSIBLE, 0x20),
    LINTEL_IS(PTL_ME_EVENT_LINK_DISABLE, 0x40),
    LINTEL_IS(PTL_ME_EVENT_COMM_DISABLE, 0x80),
    LINTEL_IS(PTL_ME_EVENT_FLOWCTRL_DISABLE, 0x100),
    LINTEL_IS(PTL_ME_EVENT_SUCCESS_DISABLE, 0x200),
    LINTEL_IS(PTL_ME_EVENT_OVER_DISABLE, 0x400),
    LINTEL_IS(PTL_ME_EVENT_UNLINK_DISABLE, 0x800),
    LINTEL_IS(PTL_ME_EVENT_CT_COMM, 0x1000),
    LINTEL_IS(PTL_ME_EVENT_CT_OVERFLOW, 0x2000),
    LINTEL_IS(PTL_ME_EVENT_CT_BYTES, 0x4000),
    LINTEL_IS(PTL_ME_MANAGE_LOCAL, 0x8000),
    LINTEL_IS(PTL_ME_NO_TRUNCATE, 0x10000),
    LINTEL_IS(PTL_ME_MAY_ALIGN, 0x20000),
    LINTEL_IS(PTL_ME_LOCAL_INC_UH_RLENGTH, 0x40000),
};

const std::vector<Number> kPtOptions = {
    LINTEL_IS(PTL_PT_ONLY_USE_ONCE, 1),   LINTEL_IS(PTL_PT_FLOWCTRL, 2),
    LINTEL_IS(PTL_PT_ONLY_TRUNCATE, 4),   LINTEL_IS(PTL_PT_MATCH_UNORDERED, 8),
    LINTEL_IS(PTL_PT_ALLOC_DISABLED, 16),
};

const std::vector<Number> kNiOptions = {
    LINTEL_IS(PTL_NI_MATCHING, 1),
    LINTEL_IS(PTL_NI_NO_MATCHING, 2),
    LINTEL_IS(PTL_NI_LOGICAL, 4),
    LINTEL_IS(PTL_NI_PHYSICAL, 8),
};

const std::vector<Number> kOthers = {
    LINTEL_IS(PTL_EQ_NONE, 0x3fffffff),
    LINTEL_IS(PTL_CT_NONE, 0x5fffffff),
    LINTEL_IS(PTL_INVALID_HANDLE, 0xffffffff),
    LINTEL_IS(PTL_IFACE_DEFAULT, 0xffffffff),
    LINTEL_IS(PTL_UID_ANY, 0xffffffff),
    LINTEL_IS(PTL_PT_ANY, 0xffffffff),
    LINTEL_IS(PTL_RANK_ANY, 0xffffffff),
    LINTEL_IS(PTL_TIME_FOREVER, 0xffffffff),
    LINTEL_IS(PTL_PID_ANY, 0xffff),
    LINTEL_IS(PTL_NID_ANY, 0xffff),
    LINTEL_IS(PTL_PID_MAX, 1024),
    LINTEL_IS(PTL_SIZE_MAX, UINT64_MAX),
    LINTEL_IS(PTL_STATUS_LAST, 15),
    LINTEL_IS(PTL_NI_INIT_OPTIONS_MASK, 0xf),
    LINTEL_IS(PTL_PT_ALLOC_OPTIONS_MASK, 0x1f),
    LINTEL_IS(PTL_MD_OPTIONS_MASK, 0x41ff),
    LINTEL_IS(PTL_LE_APPEND_OPTIONS_MASK, 0x7fff),
    LINTEL_IS(PTL_ME_APPEND_OPTIONS_MASK, 0x7ffff),
    LINTEL_IS(PTL_ME_ACK_DISABLE, 0x80000),
    LINTEL_IS(PTL_LE_ACK_DISABLE, 0x80000),
    LINTEL_IS(PTL_TARGET_BIND_INACCESSIBLE, 1),
    LINTEL_IS(PTL_TOTAL_DATA_ORDERING, 2),
    LINTEL_IS(PTL_COHERENT_ATOMICS, 4),
    LINTEL_IS(PTL_SR_DROP_COUNT, 0),
    LINTEL_IS(PTL_SR_PERMISSION_VIOLATIONS, 1),
    LINTEL_IS(PTL_SR_OPERATION_VIOLATIONS, 2),
    LINTEL_IS(PTL_SR_LAST, 3),
    LINTEL_IS(PTL_SR_PERMISSIONS_VIOLATIONS, 1),
    LINTEL_IS(PTL_SR_OPERATIONS_VIOLATIONS, 2),
    LINTEL_IS(PTL_NI_FLOW_CTRL, 3),
    LINTEL_IS(PTL_PRIORITY_LIST, 0),
    LINTEL_IS(PTL_OVERFLOW_LIST, 1),
    LINTEL_IS(PTL_SEARCH_ONLY, 0),
    LINTEL_IS(PTL_SEARCH_DELETE, 1),
    LINTEL_IS(PTL_NO_ACK_REQ, 0),
    LINTEL_IS(PTL_ACK_REQ, 1),
    LINTEL_IS(PTL_CT_ACK_REQ, 2),
    LINTEL_IS(PTL_OC_ACK_REQ, 3),
};

#define LINTEL_SIZE(type, bytes) \
  Number { "size of " #type, sizeof(type), bytes }
#define LINTEL_AT(type, member, offset, bytes)                         \
  Number{#type "::" #member, offsetof(type, member), offset}, Number { \
    "size of " #type "::" #member, sizeof(type::member), bytes         \
  }
#define LINTEL_PHYS_AT(member, offset) \
  Number { "ptl_process_t::phys." #member, offsetof(ptl_process_t, phys.member), offset }

const std::vector<Number> kLayout = {
    LINTEL_SIZE(ptl_size_t, 8),
    LINTEL_SIZE(ptl_match_bits_t, 8),
    LINTEL_SIZE(ptl_hdr_data_t, 8),
    LINTEL_SIZE(ptl_pt_index_t, 4),
    LINTEL_SIZE(ptl_nid_t, 4),
    LINTEL_SIZE(ptl_pid_t, 4),
    LINTEL_SIZE(ptl_rank_t, 4),
    LINTEL_SIZE(ptl_uid_t, 4),
    LINTEL_SIZE(ptl_handle_any_t, 4),
    LINTEL_SIZE(ptl_interface_t, 4),
    LINTEL_SIZE(ptl_time_t, 4),
    LINTEL_SIZE(ptl_sr_value_t, 4),
    LINTEL_SIZE(ptl_sr_index_t, 4),
    LINTEL_SIZE(ptl_event_kind_t, 1),
    LINTEL_SIZE(ptl_list_t, 1),
    LINTEL_SIZE(ptl_ni_fail_t, 1),
    LINTEL_SIZE(ptl_op_t, 1),
    LINTEL_SIZE(ptl_datatype_t, 1),
    LINTEL_SIZE(ptl_ack_req_t, 1),
    LINTEL_SIZE(ptl_search_op_t, 1),
    LINTEL_SIZE(ptl_process_t, 8),
    LINTEL_AT(ptl_process_t, rank, 0, 4),
    LINTEL_PHYS_AT(nid, 0),
    LINTEL_PHYS_AT(pid, 4),
    LINTEL_SIZE(ptl_ni_limits_t, 96),
    LINTEL_AT(ptl_ni_limits_t, max_entries, 0, 4),
    LINTEL_AT(ptl_ni_limits_t, max_unexpected_headers, 4, 4),
    LINTEL_AT(ptl_ni_limits_t, max_mds, 8, 4),
    LINTEL_AT(ptl_ni_limits_t, max_cts, 12, 4),
    LINTEL_AT(ptl_ni_limits_t, max_eqs, 16, 4),
    LINTEL_AT(ptl_ni_limits_t, max_pt_index, 20, 4),
    LINTEL_AT(ptl_ni_limits_t, max_iovecs, 24, 4),
    LINTEL_AT(ptl_ni_limits_t, max_list_size, 28, 4),
    LINTEL_AT(ptl_ni_limits_t, max_triggered_ops, 32, 4),
    LINTEL_AT(ptl_ni_limits_t, max_msg_size, 40, 8),
    LINTEL_AT(ptl_ni_limits_t, max_atomic_size, 48, 8),
    LINTEL_AT(ptl_ni_limits_t, max_fetch_atomic_size, 56, 8),
    LINTEL_AT(ptl_ni_limits_t, max_waw_ordered_size, 64, 8),
    LINTEL_AT(ptl_ni_limits_t, max_war_ordered_size, 72, 8),
    LINTEL_AT(ptl_ni_limits_t, max_volatile_size, 80, 8),
    LINTEL_AT(ptl_ni_limits_t, features, 88, 4),
    LINTEL_SIZE(ptl_md_t, 32),
    LINTEL_AT(ptl_md_t, start, 0, 8),
    LINTEL_AT(ptl_md_t, length, 8, 8),
    LINTEL_AT(ptl_md_t, options, 16, 4),
    LINTEL_AT(ptl_md_t, eq_handle, 20, 4),
    LINTEL_AT(ptl_md_t, ct_handle, 24, 4),
    LINTEL_SIZE(ptl_iovec_t, 16),
    LINTEL_AT(ptl_iovec_t, iov_base, 0, 8),
    LINTEL_AT(ptl_iovec_t, iov_len, 8, 8),
    LINTEL_SIZE(ptl_le_t, 32),
    LINTEL_AT(ptl_le_t, start, 0, 8),
    LINTEL_AT(ptl_le_t, length, 8, 8),
    LINTEL_AT(ptl_le_t, ct_handle, 16, 4),
    LINTEL_AT(ptl_le_t, uid, 20, 4),
    LINTEL_AT(ptl_le_t, options, 24, 4),
    LINTEL_SIZE(ptl_me_t, 64),
    LINTEL_AT(ptl_me_t, start, 0, 8),
    LINTEL_AT(ptl_me_t, length, 8, 8),
    LINTEL_AT(ptl_me_t, ct_handle, 16, 4),
    LINTEL_AT(ptl_me_t, uid, 20, 4),
    LINTEL_AT(ptl_me_t, options, 24, 4),
    LINTEL_AT(ptl_me_t, match_id, 28, 8),
    LINTEL_AT(ptl_me_t, match_bits, 40, 8),
    LINTEL_AT(ptl_me_t, ignore_bits, 48, 8),
    LINTEL_AT(ptl_me_t, min_free, 56, 8),
    LINTEL_SIZE(ptl_ct_event_t, 16),
    LINTEL_AT(ptl_ct_event_t, success, 0, 8),
    LINTEL_AT(ptl_ct_event_t, failure, 8, 8),
    LINTEL_SIZE(ptl_event_t, 80),
    LINTEL_AT(ptl_event_t, start, 0, 8),
    LINTEL_AT(ptl_event_t, user_ptr, 8, 8),
    LINTEL_AT(ptl_event_t, hdr_data, 16, 8),
    LINTEL_AT(ptl_event_t, match_bits, 24, 8),
    LINTEL_AT(ptl_event_t, rlength, 32, 8),
    LINTEL_AT(ptl_event_t, mlength, 40, 8),
    LINTEL_AT(ptl_event_t, remote_offset, 48, 8),
    LINTEL_AT(ptl_event_t, initiator, 56, 8),
    LINTEL_AT(ptl_event_t, uid, 64, 4),
    LINTEL_AT(ptl_event_t, pt_index, 68, 4),
    LINTEL_AT(ptl_event_t, type, 72, 1),
    LINTEL_AT(ptl_event_t, ptl_list, 73, 1),
    LINTEL_AT(ptl_event_t, ni_fail_type, 74, 1),
    LINTEL_AT(ptl_event_t, atomic_operation, 75, 1),
    LINTEL_AT(ptl_event_t, atomic_type, 76, 1),
};

struct Table {
  const char* name;
  const std::vector<Number>& numbers;
};
void PrintTo(const Table& table, std::ostream* out) { *out << table.name; }

class Portals4Numbers : public ::testing::TestWithParam<Table> {};

TEST_P(Portals4Numbers, AreThoseOfTheSpecification) {
  for (const Number& number : GetParam().numbers)
    EXPECT_EQ(number.found, number.specified) << number.name;
}

INSTANTIATE_TEST_SUITE_P(
    Of, Portals4Numbers,
    ::testing::Values(Table{"ReturnCodes", kReturnCodes}, Table{"EventKinds", kEventKinds},
                      Table{"Operations", kOperations}, Table{"Datatypes", kDatatypes},
                      Table{"Failures", kFailures}, Table{"MdOptions", kMdOptions},
                      Table{"LeOptions", kLeOptions}, Table{"MeOptions", kMeOptions},
                      Table{"PtOptions", kPtOptions}, Table{"NiOptions", kNiOptions},
                      Table{"Others", kOthers}, Table{"Layout", kLayout}),
    [](const ::testing::TestParamInfo<Table>& tested) { return std::string(tested.param.name); });

// No bit has two meanings, and the mask contains these bits and no others.
std::uint64_t union_of_distinct_bits(const std::vector<Number>& options) {
  std::uint64_t all = 0;
  for (const Number& option : options) {
    EXPECT_EQ(all & option.found, 0U) << option.name;
    all |= option.found;
  }
  return all;
}

TEST(Portals4Options, OfAnMdFillItsMask) {
  EXPECT_EQ(union_of_distinct_bits(kMdOptions), PTL_MD_OPTIONS_MASK);
}
TEST(Portals4Options, OfAnLeFillItsMask) {
  EXPECT_EQ(union_of_distinct_bits(kLeOptions), PTL_LE_APPEND_OPTIONS_MASK);
}
TEST(Portals4Options, OfAnMeFillItsMask) {
  EXPECT_EQ(union_of_distinct_bits(kMeOptions), PTL_ME_APPEND_OPTIONS_MASK);
}
TEST(Portals4Options, OfAPortalFillItsMask) {
  EXPECT_EQ(union_of_distinct_bits(kPtOptions), PTL_PT_ALLOC_OPTIONS_MASK);
}
TEST(Portals4Options, OfAnInterfaceFillItsMask) {
  EXPECT_EQ(union_of_distinct_bits(kNiOptions), PTL_NI_INIT_OPTIONS_MASK);
}
TEST(Portals4Options, AckDisableIsABitOfNoOtherOption) {
  EXPECT_EQ(PTL_ME_ACK_DISABLE & PTL_ME_APPEND_OPTIONS_MASK, 0U);
}

// Programs cast a ptl_me_t to a ptl_le_t.
#define LINTEL_BEGINS_ALIKE(member)                                         \
  static_assert(offsetof(ptl_me_t, member) == offsetof(ptl_le_t, member) && \
                std::is_same_v<decltype(ptl_me_t::member), decltype(ptl_le_t::member)>)
LINTEL_BEGINS_ALIKE(start);
LINTEL_BEGINS_ALIKE(length);
LINTEL_BEGINS_ALIKE(ct_handle);
LINTEL_BEGINS_ALIKE(uid);
LINTEL_BEGINS_ALIKE(options);

// limits of objects are signed, so a negative request is seen as negative
static_assert(std::is_same_v<decltype(ptl_ni_limits_t::max_entries), int>);
static_assert(std::is_signed_v<ptl_sr_value_t>);
static_assert(std::is_unsigned_v<ptl_time_t> && std::is_integral_v<ptl_handle_any_t>);

TEST(Portals4InC, InvalidHandleInitialisesAStaticObject) {
  EXPECT_EQ(lintel_c_unset_handle(), PTL_INVALID_HANDLE);
}

TEST(Portals4InC, OptionsInitialiseAStaticEntry) {
  EXPECT_EQ(lintel_c_receive_options(), 0x80002U);
}

TEST(Portals4InC, ASwitchKnowsEveryReturnCode) {
  std::set<int> known;
  for (int code = -1; code <= 32; ++code) {
    if (lintel_c_return_code_is_known(code) != 0) known.insert(code);
  }
  std::set<int> specified;
  for (int code = 0; code <= 16; ++code) specified.insert(code);
  EXPECT_EQ(known, specified);
}

TEST(Portals4InC, ASwitchTellsTargetEventsFromInitiatorEvents) {
  std::string kinds;
  for (int kind = 0; kind <= 16; ++kind) {
    const int side = lintel_c_is_target_event(static_cast<ptl_event_kind_t>(kind));
    kinds += side == 1 ? 't' : side == 0 ? 'i' : '-';
  }
  EXPECT_EQ(kinds, "ttttttttiiittttt-");
}

// Calls with many parameters: order and types.
using Md = ptl_handle_md_t;
using Ct = ptl_handle_ct_t;
using Ni = ptl_handle_ni_t;
using Size = ptl_size_t;
using Bits = ptl_match_bits_t;
using Header = ptl_hdr_data_t;
using Index = ptl_pt_index_t;
using Target = ptl_process_t;

#define LINTEL_TAKES(function, ...) \
  static_assert(std::is_same_v<decltype(&function), int (*)(__VA_ARGS__)>)
LINTEL_TAKES(PtlNIInit, ptl_interface_t, unsigned, ptl_pid_t, const ptl_ni_limits_t*,
             ptl_ni_limits_t*, Ni*);
LINTEL_TAKES(PtlSetMap, Ni, Size, const Target*);
LINTEL_TAKES(PtlGetMap, Ni, Size, Target*, Size*);
LINTEL_TAKES(PtlPTAlloc, Ni, unsigned, ptl_handle_eq_t, Index, Index*);
LINTEL_TAKES(PtlMDBind, Ni, const ptl_md_t*, Md*);
LINTEL_TAKES(PtlLEAppend, Ni, Index, const ptl_le_t*, ptl_list_t, void*, ptl_handle_le_t*);
LINTEL_TAKES(PtlMEAppend, Ni, Index, const ptl_me_t*, ptl_list_t, void*, ptl_handle_me_t*);
LINTEL_TAKES(PtlLESearch, Ni, Index, const ptl_le_t*, ptl_search_op_t, void*);
LINTEL_TAKES(PtlMESearch, Ni, Index, const ptl_me_t*, ptl_search_op_t, void*);
LINTEL_TAKES(PtlEQPoll, const ptl_handle_eq_t*, unsigned, ptl_time_t, ptl_event_t*, unsigned*);
LINTEL_TAKES(PtlCTPoll, const Ct*, const Size*, unsigned, ptl_time_t, ptl_ct_event_t*, unsigned*);
LINTEL_TAKES(PtlPut, Md, Size, Size, ptl_ack_req_t, Target, Index, Bits, Size, void*, Header);
LINTEL_TAKES(PtlGet, Md, Size, Size, Target, Index, Bits, Size, void*);
LINTEL_TAKES(PtlAtomic, Md, Size, Size, ptl_ack_req_t, Target, Index, Bits, Size, void*, Header,
             ptl_op_t, ptl_datatype_t);
LINTEL_TAKES(PtlFetchAtomic, Md, Size, Md, Size, Size, Target, Index, Bits, Size, void*, Header,
             ptl_op_t, ptl_datatype_t);
LINTEL_TAKES(PtlSwap, Md, Size, Md, Size, Size, Target, Index, Bits, Size, void*, Header,
             const void*, ptl_op_t, ptl_datatype_t);
LINTEL_TAKES(PtlTriggeredPut, Md, Size, Size, ptl_ack_req_t, Target, Index, Bits, Size, void*,
             Header, Ct, Size);
LINTEL_TAKES(PtlTriggeredGet, Md, Size, Size, Target, Index, Bits, Size, void*, Ct, Size);
LINTEL_TAKES(PtlTriggeredAtomic, Md, Size, Size, ptl_ack_req_t, Target, Index, Bits, Size, void*,
             Header, ptl_op_t, ptl_datatype_t, Ct, Size);
LINTEL_TAKES(PtlTriggeredFetchAtomic, Md, Size, Md, Size, Size, Target, Index, Bits, Size, void*,
             Header, ptl_op_t, ptl_datatype_t, Ct, Size);
LINTEL_TAKES(PtlTriggeredSwap, Md, Size, Md, Size, Size, Target, Index, Bits, Size, void*, Header,
             const void*, ptl_op_t, ptl_datatype_t, Ct, Size);
LINTEL_TAKES(PtlTriggeredCTInc, Ct, ptl_ct_event_t, Ct, Size);
LINTEL_TAKES(PtlTriggeredCTSet, Ct, ptl_ct_event_t, Ct, Size);
LINTEL_TAKES(PtlAtomicSync, void);

}  // namespace
}  // namespace lintel::testing
