#pragma once
// Every function of portals4.h that moves data, plain and triggered, with valid arguments and with
// each one made invalid.

#include "tests/protocol4/argument_functions.h"

namespace lintel::testing {

// The arguments of one operation. Each function uses those that it has.
struct Operation4 {
  ptl_handle_md_t md;      // put: source; get: destination
  ptl_handle_md_t put_md;  // functions with two MDs: source of the data sent
  ptl_handle_ct_t trigger;
  ptl_process_t target;
  ptl_size_t offset = 0, put_offset = 8, length = 8;
  ptl_ack_req_t ack = PTL_NO_ACK_REQ;
  ptl_op_t operation = PTL_SUM;
  ptl_datatype_t type = PTL_UINT64_T;
  const void* operand = nullptr;
  ptl_size_t threshold = PTL_SIZE_MAX;
};

using Start4 = int (*)(const Operation4& o);

struct Moving4 {
  enum ArgumentsKind { kPlain, kAtomic, kSwap };
  const char* name;
  Start4 start;
  ptl_size_t ptl_ni_limits_t::*limit;
  ArgumentsKind kind = kPlain;
  bool acks = false;  // has an ack request argument
  bool two_mds = false;
  bool triggered = false;
};

inline int start_put(const Operation4& o) {
  return PtlPut(o.md, o.offset, o.length, o.ack, o.target, kPortal, 0, 0, nullptr, 0);
}
inline int start_get(const Operation4& o) {
  return PtlGet(o.md, o.offset, o.length, o.target, kPortal, 0, 0, nullptr);
}
inline int start_atomic(const Operation4& o) {
  return PtlAtomic(o.md, o.offset, o.length, o.ack, o.target, kPortal, 0, 0, nullptr, 0,
                   o.operation, o.type);
}
inline int start_fetch(const Operation4& o) {
  return PtlFetchAtomic(o.md, o.offset, o.put_md, o.put_offset, o.length, o.target, kPortal, 0, 0,
                        nullptr, 0, o.operation, o.type);
}
inline int start_swap(const Operation4& o) {
  return PtlSwap(o.md, o.offset, o.put_md, o.put_offset, o.length, o.target, kPortal, 0, 0, nullptr,
                 0, o.operand, o.operation, o.type);
}
inline int trigger_put(const Operation4& o) {
  return PtlTriggeredPut(o.md, o.offset, o.length, o.ack, o.target, kPortal, 0, 0, nullptr, 0,
                         o.trigger, o.threshold);
}
inline int trigger_get(const Operation4& o) {
  return PtlTriggeredGet(o.md, o.offset, o.length, o.target, kPortal, 0, 0, nullptr, o.trigger,
                         o.threshold);
}
inline int trigger_atomic(const Operation4& o) {
  return PtlTriggeredAtomic(o.md, o.offset, o.length, o.ack, o.target, kPortal, 0, 0, nullptr, 0,
                            o.operation, o.type, o.trigger, o.threshold);
}
inline int trigger_fetch(const Operation4& o) {
  return PtlTriggeredFetchAtomic(o.md, o.offset, o.put_md, o.put_offset, o.length, o.target,
                                 kPortal, 0, 0, nullptr, 0, o.operation, o.type, o.trigger,
                                 o.threshold);
}
inline int trigger_swap(const Operation4& o) {
  return PtlTriggeredSwap(o.md, o.offset, o.put_md, o.put_offset, o.length, o.target, kPortal, 0, 0,
                          nullptr, 0, o.operand, o.operation, o.type, o.trigger, o.threshold);
}

inline Operation4 good_operation(const W& w, const Moving4& moving) {
  Operation4 good{w.md, w.second_md, w.ct, w.self};
  if (moving.kind == Moving4::kSwap) good.operation = PTL_SWAP;
  return good;
}

// One row: a valid operation, made invalid by `spoil(w, operation)`.
template <class Spoil>
void add_row(Function4& function, const Moving4& moving, const char* what, Spoil spoil) {
  function.otherwise.emplace_back(what, [=](W& w) {
    Operation4 operation = good_operation(w, moving);
    spoil(w, operation);
    return moving.start(operation);
  });
}

inline void add_bad_regions(Function4& function, const Moving4& moving) {
  struct Region {
    const char* what;
    ptl_size_t offset, length;
  };
  static constexpr Region kBad[] = {{"beyond the end", 64, 8},
                                    {"longer than the rest", 60, 8},
                                    {"longer than all", 0, 72},
                                    {"offset as large as can be", PTL_SIZE_MAX, 8},
                                    {"length as large as can be", 8, PTL_SIZE_MAX - 7}};
  for (const Region& bad : kBad) {
    add_row(function, moving, bad.what, [bad](W&, Operation4& o) {
      o.offset = bad.offset;
      o.length = bad.length;
    });
    if (!moving.two_mds || bad.length != 8) continue;
    add_row(function, moving, bad.what, [bad](W&, Operation4& o) { o.put_offset = bad.offset; });
  }
}

// The MD covers all of memory, so that only the limit can refuse.
inline void add_bad_sizes(Function4& function, const Moving4& moving) {
  const auto all_of_memory = [](W& w, Operation4& o, unsigned options) {
    const ptl_md_t all{nullptr, PTL_SIZE_MAX, options, w.eq, w.ct};
    EXPECT_EQ(PtlMDBind(w.ni, &all, &o.md), PTL_OK);
    o.put_md = o.md;
  };
  const auto limits = [](W& w) {
    ptl_ni_limits_t granted{};
    ptl_handle_ni_t again = PTL_INVALID_HANDLE;
    EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                        &granted, &again),
              PTL_OK);
    EXPECT_EQ(PtlNIFini(w.ni), PTL_OK);
    return granted;
  };
  add_row(function, moving, "longer than the limit", [=](W& w, Operation4& o) {
    all_of_memory(w, o, 0);
    o.length = limits(w).*moving.limit + (moving.kind == Moving4::kPlain ? 1 : 8);
  });
  add_row(function, moving, "much longer than the limit", [=](W& w, Operation4& o) {
    all_of_memory(w, o, 0);
    o.length = PTL_SIZE_MAX - 7;
    o.put_offset = 0;
  });
  if (moving.start == start_get || moving.start == trigger_get) return;
  add_row(function, moving, "volatile and longer than its limit", [=](W& w, Operation4& o) {
    all_of_memory(w, o, PTL_MD_VOLATILE);
    o.length = limits(w).max_volatile_size + 8;
  });
}

inline void add_bad_acks(Function4& function, const Moving4& moving) {
  add_row(function, moving, "unknown ack", [](W&, Operation4& o) { o.ack = 4; });
  add_row(function, moving, "ack out of range", [](W&, Operation4& o) { o.ack = 255; });
  add_row(function, moving, "ack without a queue", [](W& w, Operation4& o) {
    o.md = w.bind(w.ni, PTL_EQ_NONE, w.ct);
    o.ack = PTL_ACK_REQ;
  });
  add_row(function, moving, "ack without a counter", [](W& w, Operation4& o) {
    o.md = w.bind(w.ni, w.eq, PTL_CT_NONE);
    o.ack = PTL_CT_ACK_REQ;
  });
  for (const ptl_ack_req_t ack : {PTL_ACK_REQ, PTL_CT_ACK_REQ, PTL_OC_ACK_REQ}) {
    add_row(function, moving, "unreliable with an ack", [ack](W& w, Operation4& o) {
      ptl_md_t described = w.description(w.eq, w.ct);
      described.options |= PTL_MD_UNRELIABLE;
      EXPECT_EQ(PtlMDBind(w.ni, &described, &o.md), PTL_OK);
      o.ack = ack;
    });
  }
}

inline void add_bad_ranks(Function4& function, const Moving4& moving) {
  struct Rank {
    const char* what;
    ptl_rank_t rank;
  };
  for (const Rank bad : {Rank{"rank beyond the map", 1}, Rank{"any rank", PTL_RANK_ANY}}) {
    add_row(function, moving, bad.what, [bad](W& w, Operation4& o) {
      o.md = w.bind(w.logical_ni, PTL_EQ_NONE, PTL_CT_NONE);
      o.put_md = o.md;
      o.trigger = W::counter(w.logical_ni);
      o.target.rank = bad.rank;
    });
  }
}

inline constexpr std::uint64_t kOperand[4] = {};

// Operations, datatypes and element counts that an atomic or a swap does not support.
inline void add_bad_arithmetic(Function4& function, const Moving4& moving) {
  const bool swaps = moving.kind == Moving4::kSwap;
  const auto add = [&](const char* what, ptl_op_t operation, ptl_datatype_t type,
                       ptl_size_t length = 8, const void* with = kOperand) {
    add_row(function, moving, what, [=](W&, Operation4& o) {
      o.operation = operation;
      o.type = type;
      o.length = length;
      o.operand = with;
    });
  };
  const ptl_op_t good = swaps ? PTL_SWAP : PTL_SUM;
  for (int other = swaps ? PTL_MIN : PTL_SWAP; other <= (swaps ? PTL_BXOR : PTL_MSWAP); ++other)
    add("operation of other functions", static_cast<ptl_op_t>(other), PTL_UINT64_T);
  add("unknown operation", PTL_OP_LAST, PTL_UINT64_T);
  add("operation out of range", 255, PTL_UINT64_T);
  add("unknown type", good, PTL_DATATYPE_LAST);
  add("type out of range", good, 255);
  add("part of an element", good, PTL_UINT64_T, 12);
  add("part of a large element", good, PTL_LONG_DOUBLE_COMPLEX, 16);
  if (!swaps) {
    for (const ptl_op_t operation : {PTL_MIN, PTL_MAX})
      add("complex numbers in order", operation, PTL_FLOAT_COMPLEX);
    for (const ptl_op_t operation : {PTL_LOR, PTL_LAND, PTL_BOR, PTL_BAND, PTL_LXOR, PTL_BXOR}) {
      add("bits of a number with a fraction", operation, PTL_DOUBLE);
      add("bits of a complex number", operation, PTL_FLOAT_COMPLEX);
    }
    return;
  }
  for (const ptl_op_t operation : {PTL_CSWAP, PTL_CSWAP_NE, PTL_CSWAP_LE, PTL_CSWAP_LT,
                                   PTL_CSWAP_GE, PTL_CSWAP_GT, PTL_MSWAP}) {
    add("without an operand", operation, PTL_UINT64_T, 8, nullptr);
    add("of two elements", operation, PTL_UINT64_T, 16);
    add("of no element", operation, PTL_UINT64_T, 0);
  }
  for (const ptl_op_t operation :
       {PTL_CSWAP_LE, PTL_CSWAP_LT, PTL_CSWAP_GE, PTL_CSWAP_GT, PTL_MSWAP})
    add("complex numbers in order, or their bits", operation, PTL_FLOAT_COMPLEX);
  add("bits of a number with a fraction", PTL_MSWAP, PTL_DOUBLE);
}

inline Function4 function_of(const Moving4& moving) {
  Function4 function{moving.name, {Names::kMd}, {}};
  if (moving.two_mds) function.handles.push_back(Names::kMd);
  if (moving.triggered) function.handles.push_back(Names::kCounter);
  function.call = [moving](W& w, const Handles& h) {
    Operation4 operation = good_operation(w, moving);
    operation.md = h[0];
    if (moving.two_mds) operation.put_md = h[1];
    if (moving.triggered) operation.trigger = h[moving.two_mds ? 2 : 1];
    if (moving.acks && !moving.triggered) operation.ack = PTL_ACK_REQ;
    if (!moving.acks) operation.threshold = 0;  // some wait for their counter, some start at once
    return moving.start(operation);
  };
  add_bad_regions(function, moving);
  add_bad_sizes(function, moving);
  if (moving.acks) add_bad_acks(function, moving);
  add_bad_ranks(function, moving);
  if (moving.kind != Moving4::kPlain) add_bad_arithmetic(function, moving);
  return function;
}

// clang-format off
inline constexpr Moving4 kMoving[] = {
    {.name = "PtlPut", .start = start_put, .limit = &ptl_ni_limits_t::max_msg_size, .acks = true},
    {.name = "PtlGet", .start = start_get, .limit = &ptl_ni_limits_t::max_msg_size},
    {.name = "PtlAtomic", .start = start_atomic, .limit = &ptl_ni_limits_t::max_atomic_size,
     .kind = Moving4::kAtomic, .acks = true},
    {.name = "PtlFetchAtomic", .start = start_fetch,
     .limit = &ptl_ni_limits_t::max_fetch_atomic_size, .kind = Moving4::kAtomic, .two_mds = true},
    {.name = "PtlSwap", .start = start_swap, .limit = &ptl_ni_limits_t::max_fetch_atomic_size,
     .kind = Moving4::kSwap, .two_mds = true},
    {.name = "PtlTriggeredPut", .start = trigger_put, .limit = &ptl_ni_limits_t::max_msg_size,
     .acks = true, .triggered = true},
    {.name = "PtlTriggeredGet", .start = trigger_get, .limit = &ptl_ni_limits_t::max_msg_size,
     .triggered = true},
    {.name = "PtlTriggeredAtomic", .start = trigger_atomic,
     .limit = &ptl_ni_limits_t::max_atomic_size, .kind = Moving4::kAtomic, .acks = true,
     .triggered = true},
    {.name = "PtlTriggeredFetchAtomic", .start = trigger_fetch,
     .limit = &ptl_ni_limits_t::max_fetch_atomic_size, .kind = Moving4::kAtomic, .two_mds = true,
     .triggered = true},
    {.name = "PtlTriggeredSwap", .start = trigger_swap,
     .limit = &ptl_ni_limits_t::max_fetch_atomic_size, .kind = Moving4::kSwap, .two_mds = true,
     .triggered = true},
};
// clang-format on

inline const std::vector<Function4>& data_movement() {
  static const std::vector<Function4> all = [] {
    std::vector<Function4> made;
    for (const Moving4& moving : kMoving) made.push_back(function_of(moving));
    made.push_back({"PtlTriggeredCTInc",
                    {Names::kCounter, Names::kCounter},
                    [](W&, const Handles& h) { return PtlTriggeredCTInc(h[0], kOne, h[1], 0); },
                    {{"both members", [](W& w) {
                        return PtlTriggeredCTInc(w.ct, kBothMembers, w.second_ct, 0);
                      }}}});
    made.push_back(
        {"PtlTriggeredCTSet", {Names::kCounter, Names::kCounter}, [](W&, const Handles& h) {
           return PtlTriggeredCTSet(h[0], kBothMembers, h[1], PTL_SIZE_MAX);
         }});
    return made;
  }();
  return all;
}

}  // namespace lintel::testing
