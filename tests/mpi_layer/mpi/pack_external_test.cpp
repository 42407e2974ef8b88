// external32: MPI_Pack_external, MPI_Unpack_external, MPI_Pack_external_size (MPI 5.0, clauses 5.3
// and 14.5.2).
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

constexpr char kFormat[] = "external32";

std::string hexadecimal(const std::vector<unsigned char>& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// The external32 form of `count` items. It must be exactly as long as MPI_Pack_external_size says.
std::string external(const void* items, int count, MPI_Datatype type) {
  MPI_Aint size = -1;
  EXPECT_EQ(MPI_Pack_external_size(kFormat, count, type, &size), MPI_SUCCESS);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
  MPI_Aint position = 0;
  EXPECT_EQ(MPI_Pack_external(kFormat, items, count, type, bytes.data(), size, &position),
            MPI_SUCCESS);
  EXPECT_EQ(position, size);
  return hexadecimal(bytes);
}

template <class T>
std::string external(T value, MPI_Datatype type) {
  return external(&value, 1, type);
}

TEST(PackExternal, NumbersAreBigEndianWithTheStandardsSizes) {
  EXPECT_EQ(external<short>(0x0102, MPI_SHORT), "0102");
  EXPECT_EQ(external<int>(-2, MPI_INT), "fffffffe");
  EXPECT_EQ(external<long>(-3, MPI_LONG), "fffffffd") << "four bytes";
  EXPECT_EQ(external<unsigned long>(0x89abcdef, MPI_UNSIGNED_LONG), "89abcdef");
  EXPECT_EQ(external<long long>(1, MPI_LONG_LONG), "0000000000000001");
  EXPECT_EQ(external<std::int64_t>(0x0102030405060708, MPI_INT64_T), "0102030405060708");
  EXPECT_EQ(external<MPI_Aint>(5, MPI_AINT), "0000000000000005");
  EXPECT_EQ(external<wchar_t>(0x20ac, MPI_WCHAR), "20ac");
  EXPECT_EQ(external<float>(1.0F, MPI_FLOAT), "3f800000");
  EXPECT_EQ(external<double>(-2.0, MPI_DOUBLE), "c000000000000000");
  EXPECT_EQ(external<long double>(1.0L, MPI_LONG_DOUBLE), "3fff0000000000000000000000000000")
      << "IEEE binary128";
  EXPECT_EQ(external(std::complex<float>(1.0F, 2.0F), MPI_C_FLOAT_COMPLEX), "3f80000040000000");
  EXPECT_EQ(external("ab", 2, MPI_CHAR), "6162");
  EXPECT_EQ(external("ab", 2, MPI_BYTE), "6162");
}

TEST(PackExternal, HasNoPadding) {
  struct Padded {
    char letter;
    double number;
    short pair[2];
  } items[2] = {{'x', 1.0, {1, 2}}, {'y', 2.0, {3, 4}}};
  const int lengths[] = {1, 1, 2};
  const MPI_Aint places[] = {offsetof(Padded, letter), offsetof(Padded, number),
                             offsetof(Padded, pair)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_create_struct(3, lengths, places, types, &type), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
  EXPECT_EQ(external(items, 2, type),
            "78"
            "3ff0000000000000"
            "0001"
            "0002"
            "79"
            "4000000000000000"
            "0003"
            "0004");
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  const struct {
    short value;
    int index;
  } pair = {7, 8};
  EXPECT_EQ(external(&pair, 1, MPI_SHORT_INT), "000700000008");
}

TEST(PackExternal, ComesBackThroughNestedTypes) {
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(3, 2, 3, MPI_LONG, &inner), MPI_SUCCESS);
  const int lengths[] = {2, 3};
  const MPI_Aint places[] = {0, 200};
  const MPI_Datatype types[] = {inner, MPI_LONG_DOUBLE};
  ASSERT_EQ(MPI_Type_create_struct(2, lengths, places, types, &outer), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_commit(&outer), MPI_SUCCESS);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  ASSERT_EQ(MPI_Type_get_extent(outer, &lower, &extent), MPI_SUCCESS);
  std::vector<unsigned char> in(static_cast<std::size_t>(3 * extent));
  for (std::size_t item = 0; item < 3; ++item) {
    unsigned char* const at = in.data() + item * static_cast<std::size_t>(extent);
    for (int i = 0; i < 16; ++i) reinterpret_cast<long*>(at)[i] = i % 2 == 0 ? -i : 1000000 * i;
    for (int i = 0; i < 3; ++i) {
      const long double number = 0.1L * i;
      std::memcpy(at + 200 + i * 16, &number, sizeof number);
    }
  }
  MPI_Count size = -1;
  ASSERT_EQ(MPI_Pack_external_size_c(kFormat, 3, outer, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 3 * (2 * 6 * 4 + 3 * 16));
  std::vector<unsigned char> packed(static_cast<std::size_t>(size));
  MPI_Count position = 0;
  ASSERT_EQ(MPI_Pack_external_c(kFormat, in.data(), 3, outer, packed.data(), size, &position),
            MPI_SUCCESS);
  std::vector<unsigned char> out(in.size());
  position = 0;
  ASSERT_EQ(MPI_Unpack_external_c(kFormat, packed.data(), size, &position, out.data(), 3, outer),
            MPI_SUCCESS);
  EXPECT_EQ(position, size);
  std::vector<unsigned char> again(packed.size());
  MPI_Count second = 0;
  ASSERT_EQ(MPI_Pack_external_c(kFormat, out.data(), 3, outer, again.data(), size, &second),
            MPI_SUCCESS);
  EXPECT_EQ(again, packed);
  long there[16];
  std::memcpy(there, out.data() + extent, sizeof there);
  EXPECT_EQ(there[1], 1000000);
  EXPECT_EQ(there[2], 0) << "a hole";
  EXPECT_EQ(there[4], -4);
  ASSERT_EQ(MPI_Type_free(&inner), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&outer), MPI_SUCCESS);
}

TEST(PackExternal, SizeOfDeepAndHugeTypesIsFoundAtOnce) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(2, MPI_LONG, &type), MPI_SUCCESS);
  for (int level = 0; level < 50; ++level) {
    MPI_Datatype next = MPI_DATATYPE_NULL;
    const MPI_Datatype parts[] = {type, type};
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 0};
    ASSERT_EQ(MPI_Type_create_struct(2, lengths, places, parts, &next), MPI_SUCCESS);
    ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    type = next;
  }
  MPI_Count size = -1;
  ASSERT_EQ(MPI_Pack_external_size_c(kFormat, 1, type, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_Count{8} << 50);
  EXPECT_EQ(MPI_Pack_external_size_c(kFormat, MPI_Count{1} << 20, type, &size),
            MPI_ERR_VALUE_TOO_LARGE);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

TEST(PackExternal, WrongArgumentsMoveNothing) {
  const long numbers[] = {1, 1L << 40};
  std::array<unsigned char, 8> buffer{};
  MPI_Aint position = 0;
  EXPECT_EQ(MPI_Pack_external("native", numbers, 1, MPI_LONG, buffer.data(), 8, &position),
            MPI_ERR_UNSUPPORTED_DATAREP);
  EXPECT_EQ(MPI_Pack_external(nullptr, numbers, 1, MPI_LONG, buffer.data(), 8, &position),
            MPI_ERR_ARG);
  EXPECT_EQ(MPI_Pack_external(kFormat, numbers, -1, MPI_LONG, buffer.data(), 8, &position),
            MPI_ERR_COUNT);
  EXPECT_EQ(MPI_Pack_external(kFormat, numbers, 1, MPI_DATATYPE_NULL, buffer.data(), 8, &position),
            MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Pack_external(kFormat, numbers, 3, MPI_LONG, buffer.data(), 8, &position),
            MPI_ERR_TRUNCATE);
  EXPECT_EQ(MPI_Pack_external(kFormat, nullptr, 1, MPI_LONG, buffer.data(), 8, &position),
            MPI_ERR_BUFFER);
  EXPECT_EQ(MPI_Pack_external(kFormat, numbers, 2, MPI_LONG, buffer.data(), 8, &position),
            MPI_ERR_CONVERSION)
      << "2^40 in four bytes";
  EXPECT_EQ(position, 0);
  EXPECT_EQ(buffer, (std::array<unsigned char, 8>{}));
  position = 9;
  EXPECT_EQ(MPI_Pack_external(kFormat, numbers, 1, MPI_LONG, buffer.data(), 8, &position),
            MPI_ERR_ARG);
}

}  // namespace
}  // namespace lintel::mpi
