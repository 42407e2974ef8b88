// Every predefined operation on every datatype for which it is defined, element by element,
// compared with arithmetic written here.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <random>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

__extension__ using Integer16 = __int128;
__extension__ using Unsigned16 = unsigned __int128;
__extension__ using Real16 = __float128;

template <class T>
struct Elements {
  MPI_Datatype type;
  std::vector<T> in;
  std::vector<T> inout;
};

// Not a multiple of a vector's length, and longer than one.
constexpr std::size_t kElements = 67;

template <class T, class Value>
Elements<T> elements_of(MPI_Datatype type, Value value) {
  Elements<T> elements{type, {}, {}};
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < kElements; ++i) {
    elements.in.push_back(value(random));
    elements.inout.push_back(i % 5 == 0 ? elements.in.back() : value(random));  // some are equal
  }
  return elements;
}

template <class T>
void fill_value(T* value, std::mt19937_64& random) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    reinterpret_cast<unsigned char*>(value)[i] = static_cast<unsigned char>(random());
}

template <class T>
Elements<T> integers(MPI_Datatype type) {
  return elements_of<T>(type, [](std::mt19937_64& random) {
    T value;
    fill_value(&value, random);  // of all magnitudes, so that sums and products overflow
    return random() % 4 == 0 ? T{0} : value;
  });
}

template <class T>
Elements<T> reals(MPI_Datatype type) {
  return elements_of<T>(type, [](std::mt19937_64& random) {
    return static_cast<T>(static_cast<int>(random() % 2001) - 1000) / static_cast<T>(8);
  });
}

template <class T, class Expected>
void expect_reduction(const char* name, MPI_Op op, const Elements<T>& elements, Expected expected) {
  std::vector<T> result = elements.inout;
  ASSERT_EQ(MPI_Reduce_local(elements.in.data(), result.data(), static_cast<int>(kElements),
                             elements.type, op),
            MPI_SUCCESS)
      << name;
  for (std::size_t i = 0; i < kElements; ++i) {
    const T wanted = expected(elements.in[i], elements.inout[i]);
    ASSERT_TRUE(result[i] == wanted) << name << " of element " << i << ", type "
                                     << reinterpret_cast<std::uintptr_t>(elements.type);
  }
}

template <class T>
void expect_order(const Elements<T>& elements) {
  expect_reduction("MPI_MIN", MPI_MIN, elements, [](T a, T b) { return b < a ? b : a; });
  expect_reduction("MPI_MAX", MPI_MAX, elements, [](T a, T b) { return b < a ? a : b; });
}

// The low bytes of a 128-bit result, for any width and signedness of T.
template <class T>
T low_bytes(Unsigned16 wide) {
  T value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

template <class T>
void expect_integer_arithmetic(const Elements<T>& elements) {
  expect_order(elements);
  expect_reduction("MPI_SUM", MPI_SUM, elements, [](T a, T b) {
    return low_bytes<T>(static_cast<Unsigned16>(a) + static_cast<Unsigned16>(b));
  });
  expect_reduction("MPI_PROD", MPI_PROD, elements, [](T a, T b) {
    return low_bytes<T>(static_cast<Unsigned16>(a) * static_cast<Unsigned16>(b));
  });
}

template <class T>
void expect_bitwise(const Elements<T>& elements) {
  expect_reduction("MPI_BAND", MPI_BAND, elements, [](T a, T b) { return static_cast<T>(a & b); });
  expect_reduction("MPI_BOR", MPI_BOR, elements, [](T a, T b) { return static_cast<T>(a | b); });
  expect_reduction("MPI_BXOR", MPI_BXOR, elements, [](T a, T b) { return static_cast<T>(a ^ b); });
}

template <class T>
void expect_logical(const Elements<T>& elements) {
  expect_reduction("MPI_LAND", MPI_LAND, elements, [](T a, T b) { return static_cast<T>(a && b); });
  expect_reduction("MPI_LOR", MPI_LOR, elements, [](T a, T b) { return static_cast<T>(a || b); });
  expect_reduction("MPI_LXOR", MPI_LXOR, elements,
                   [](T a, T b) { return static_cast<T>(!a != !b); });
}

template <class T>
void expect_integer(MPI_Datatype type) {
  const Elements<T> elements = integers<T>(type);
  expect_integer_arithmetic(elements);
  expect_bitwise(elements);
  expect_logical(elements);
}

template <class T>
void expect_floating(MPI_Datatype type) {
  const Elements<T> elements = reals<T>(type);
  expect_order(elements);
  expect_reduction("MPI_SUM", MPI_SUM, elements, [](T a, T b) { return a + b; });
  expect_reduction("MPI_PROD", MPI_PROD, elements, [](T a, T b) { return a * b; });
}

template <class T>
void expect_complex(MPI_Datatype type) {
  using Number = std::complex<T>;
  const auto elements = elements_of<Number>(type, [](std::mt19937_64& random) {
    const auto part = [&] { return static_cast<T>(static_cast<int>(random() % 201) - 100); };
    const T real = part();
    return Number(real, part());
  });
  expect_reduction("MPI_SUM", MPI_SUM, elements, [](Number a, Number b) {
    return Number(a.real() + b.real(), a.imag() + b.imag());
  });
  expect_reduction("MPI_PROD", MPI_PROD, elements, [](Number a, Number b) {
    return Number(a.real() * b.real() - a.imag() * b.imag(),
                  a.real() * b.imag() + a.imag() * b.real());
  });
}

TEST(OpValue, CIntegers) {
  expect_integer<int>(MPI_INT);
  expect_integer<long>(MPI_LONG);
  expect_integer<short>(MPI_SHORT);
  expect_integer<unsigned short>(MPI_UNSIGNED_SHORT);
  expect_integer<unsigned>(MPI_UNSIGNED);
  expect_integer<unsigned long>(MPI_UNSIGNED_LONG);
  expect_integer<long long>(MPI_LONG_LONG);
  expect_integer<unsigned long long>(MPI_UNSIGNED_LONG_LONG);
  expect_integer<signed char>(MPI_SIGNED_CHAR);
  expect_integer<unsigned char>(MPI_UNSIGNED_CHAR);
  expect_integer<std::int8_t>(MPI_INT8_T);
  expect_integer<std::int16_t>(MPI_INT16_T);
  expect_integer<std::int32_t>(MPI_INT32_T);
  expect_integer<std::int64_t>(MPI_INT64_T);
  expect_integer<std::uint8_t>(MPI_UINT8_T);
  expect_integer<std::uint16_t>(MPI_UINT16_T);
  expect_integer<std::uint32_t>(MPI_UINT32_T);
  expect_integer<std::uint64_t>(MPI_UINT64_T);
}

TEST(OpValue, FortranIntegersAddressesAndOffsets) {
  expect_integer<int>(MPI_INTEGER);
  expect_integer<std::int8_t>(MPI_INTEGER1);
  expect_integer<std::int16_t>(MPI_INTEGER2);
  expect_integer<std::int32_t>(MPI_INTEGER4);
  expect_integer<std::int64_t>(MPI_INTEGER8);
  expect_integer<Integer16>(MPI_INTEGER16);
  expect_integer<MPI_Aint>(MPI_AINT);
  expect_integer<MPI_Offset>(MPI_OFFSET);
  expect_integer<MPI_Count>(MPI_COUNT);
}

TEST(OpValue, CharactersAndBytes) {
  expect_integer<char>(MPI_CHAR);
  expect_integer<char>(MPI_CHARACTER);
  expect_integer<wchar_t>(MPI_WCHAR);
  expect_integer<unsigned char>(MPI_BYTE);
}

TEST(OpValue, FloatingPoint) {
  expect_floating<float>(MPI_FLOAT);
  expect_floating<double>(MPI_DOUBLE);
  expect_floating<long double>(MPI_LONG_DOUBLE);
  expect_floating<float>(MPI_REAL);
  expect_floating<double>(MPI_DOUBLE_PRECISION);
  expect_floating<float>(MPI_REAL4);
  expect_floating<double>(MPI_REAL8);
  expect_floating<Real16>(MPI_REAL16);
}

TEST(OpValue, Logicals) {
  expect_logical(integers<int>(MPI_LOGICAL));
  expect_logical(integers<unsigned char>(MPI_C_BOOL));
  expect_logical(integers<unsigned char>(MPI_CXX_BOOL));
  expect_logical(integers<std::int8_t>(MPI_LOGICAL1));
  expect_logical(integers<std::int16_t>(MPI_LOGICAL2));
  expect_logical(integers<std::int32_t>(MPI_LOGICAL4));
  expect_logical(integers<std::int64_t>(MPI_LOGICAL8));
  expect_logical(integers<Integer16>(MPI_LOGICAL16));
}

TEST(OpValue, Complex) {
  for (const MPI_Datatype type :
       {MPI_C_FLOAT_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8})
    expect_complex<float>(type);
  for (const MPI_Datatype type :
       {MPI_C_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16})
    expect_complex<double>(type);
  for (const MPI_Datatype type : {MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX})
    expect_complex<long double>(type);
}

TEST(OpValue, QuadrupleComplex) {
  struct Number {
    Real16 real;
    Real16 imaginary;
    bool operator==(const Number& other) const {
      return real == other.real && imaginary == other.imaginary;
    }
  };
  const auto elements = elements_of<Number>(MPI_COMPLEX32, [](std::mt19937_64& random) {
    const auto real = static_cast<Real16>(static_cast<int>(random() % 201) - 100);
    return Number{real, static_cast<Real16>(static_cast<int>(random() % 201) - 100)};
  });
  expect_reduction("MPI_SUM", MPI_SUM, elements, [](Number a, Number b) {
    return Number{a.real + b.real, a.imaginary + b.imaginary};
  });
  expect_reduction("MPI_PROD", MPI_PROD, elements, [](Number a, Number b) {
    return Number{a.real * b.real - a.imaginary * b.imaginary,
                  a.real * b.imaginary + a.imaginary * b.real};
  });
}

template <class Value, class Index>
void expect_location(MPI_Datatype type) {
  struct Pair {
    Value value;
    Index index;
  };
  std::mt19937 random(3);
  std::vector<Pair> in(kElements);
  std::vector<Pair> inout(kElements);
  for (std::size_t i = 0; i < kElements; ++i) {  // few values, so that many are equal
    in[i].value = static_cast<Value>(static_cast<int>(random() % 4) - 1);
    in[i].index = static_cast<Index>(random() % 10);
    inout[i].value = static_cast<Value>(static_cast<int>(random() % 4) - 1);
    inout[i].index = static_cast<Index>(random() % 10);
  }
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    std::vector<Pair> result = inout;
    ASSERT_EQ(MPI_Reduce_local(in.data(), result.data(), static_cast<int>(kElements), type, op),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < kElements; ++i) {
      const bool in_wins =
          op == MPI_MINLOC ? in[i].value < inout[i].value : in[i].value > inout[i].value;
      const bool equal = in[i].value == inout[i].value;
      EXPECT_EQ(result[i].value, in_wins ? in[i].value : inout[i].value) << i;
      EXPECT_EQ(result[i].index, equal     ? std::min(in[i].index, inout[i].index)
                                 : in_wins ? in[i].index
                                           : inout[i].index)
          << i;
    }
  }
}

TEST(OpValue, ValuesWithTheirIndices) {
  expect_location<float, int>(MPI_FLOAT_INT);
  expect_location<double, int>(MPI_DOUBLE_INT);
  expect_location<long, int>(MPI_LONG_INT);
  expect_location<int, int>(MPI_2INT);
  expect_location<short, int>(MPI_SHORT_INT);
  expect_location<long double, int>(MPI_LONG_DOUBLE_INT);
  expect_location<float, float>(MPI_2REAL);
  expect_location<double, double>(MPI_2DOUBLE_PRECISION);
  expect_location<int, int>(MPI_2INTEGER);
}

TEST(OpValue, BuffersNeedNoAlignment) {
  std::vector<char> in(1 + kElements * sizeof(double));
  std::vector<char> inout(3 + kElements * sizeof(double));
  const double one = 1.5;
  const double other = 2.25;
  for (std::size_t i = 0; i < kElements; ++i) {
    std::memcpy(&in[1 + i * sizeof one], &one, sizeof one);
    std::memcpy(&inout[3 + i * sizeof other], &other, sizeof other);
  }
  ASSERT_EQ(MPI_Reduce_local(&in[1], &inout[3], static_cast<int>(kElements), MPI_DOUBLE, MPI_SUM),
            MPI_SUCCESS);
  for (std::size_t i = 0; i < kElements; ++i) {
    double sum = 0;
    std::memcpy(&sum, &inout[3 + i * sizeof sum], sizeof sum);
    EXPECT_EQ(sum, 3.75);
  }
}

}  // namespace
}  // namespace lintel::mpi
