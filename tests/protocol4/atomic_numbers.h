#pragma once
// Small whole numbers as elements of every datatype of portals4.h, and the results of the
// operations.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "portals4.h"
#include "tests/protocol/pattern.h"

namespace lintel::testing {

inline bool is_complex(ptl_datatype_t type) {
  return type == PTL_FLOAT_COMPLEX || type == PTL_DOUBLE_COMPLEX || type == PTL_LONG_DOUBLE_COMPLEX;
}
inline bool is_floating(ptl_datatype_t type) {
  return type == PTL_FLOAT || type == PTL_DOUBLE || type == PTL_LONG_DOUBLE;
}
inline bool is_integer(ptl_datatype_t type) { return !is_complex(type) && !is_floating(type); }

// Calls `with` with a value of the C++ type that `type` names.
template <class With>
auto with_type(ptl_datatype_t type, With&& with) {
  switch (type) {
    case PTL_INT8_T: return with(std::int8_t{});
    case PTL_UINT8_T: return with(std::uint8_t{});
    case PTL_INT16_T: return with(std::int16_t{});
    case PTL_UINT16_T: return with(std::uint16_t{});
    case PTL_INT32_T: return with(std::int32_t{});
    case PTL_UINT32_T: return with(std::uint32_t{});
    case PTL_FLOAT: return with(float{});
    case PTL_INT64_T: return with(std::int64_t{});
    case PTL_UINT64_T: return with(std::uint64_t{});
    case PTL_DOUBLE: return with(double{});
    case PTL_FLOAT_COMPLEX: return with(std::complex<float>{});
    case PTL_DOUBLE_COMPLEX: return with(std::complex<double>{});
    case PTL_LONG_DOUBLE: return with(static_cast<long double>(0));
    default: return with(std::complex<long double>{});
  }
}

inline std::size_t element_size(ptl_datatype_t type) {
  return with_type(type, [](auto zero) { return sizeof zero; });
}

// Writes `numbers` from the beginning of `memory`.
inline void encode(ptl_datatype_t type, const std::vector<int>& numbers, Bytes& memory) {
  with_type(type, [&]<class T>(T) {
    ASSERT_LE(numbers.size() * sizeof(T), memory.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      T element{};
      if constexpr (requires { element.real(); }) {
        element.real(static_cast<typename T::value_type>(numbers[i]));
      } else {
        element = static_cast<T>(numbers[i]);
      }
      std::memcpy(memory.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
}

inline std::vector<int> decode(ptl_datatype_t type, const Bytes& memory, std::size_t count) {
  return with_type(type, [&]<class T>(T) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      T element{};
      std::memcpy(static_cast<void*>(&element), memory.data() + i * sizeof(T), sizeof(T));
      if constexpr (requires { element.real(); }) {
        EXPECT_TRUE(element.imag() == typename T::value_type{});
        numbers.push_back(static_cast<int>(element.real()));
      } else {
        numbers.push_back(static_cast<int>(element));
      }
    }
    return numbers;
  });
}

// Which operations and datatypes PtlAtomic and PtlFetchAtomic allow together.
inline bool combines(ptl_op_t op, ptl_datatype_t type) {
  if (op == PTL_MIN || op == PTL_MAX) return !is_complex(type);
  if (op == PTL_SUM || op == PTL_PROD) return true;
  return op <= PTL_BXOR && is_integer(type);
}

// Of PtlSwap.
inline bool swaps(ptl_op_t op, ptl_datatype_t type) {
  if (op == PTL_SWAP || op == PTL_CSWAP || op == PTL_CSWAP_NE) return true;
  if (op >= PTL_CSWAP_LE && op <= PTL_CSWAP_GT) return !is_complex(type);
  return op == PTL_MSWAP && is_integer(type);
}

inline int combined(ptl_op_t op, int target, int data) {
  switch (op) {
    case PTL_MIN: return std::min(target, data);
    case PTL_MAX: return std::max(target, data);
    case PTL_SUM: return target + data;
    case PTL_PROD: return target * data;
    case PTL_LOR: return target != 0 || data != 0;
    case PTL_LAND: return target != 0 && data != 0;
    case PTL_BOR: return target | data;
    case PTL_BAND: return target & data;
    case PTL_LXOR: return (target != 0) != (data != 0);
    default: return target ^ data;
  }
}

// Whether a conditional swap with this operand takes place.
inline bool condition(ptl_op_t op, int operand, int target) {
  switch (op) {
    case PTL_CSWAP: return operand == target;
    case PTL_CSWAP_NE: return operand != target;
    case PTL_CSWAP_LE: return operand <= target;
    case PTL_CSWAP_LT: return operand < target;
    case PTL_CSWAP_GE: return operand >= target;
    default: return operand > target;
  }
}

}  // namespace lintel::testing
