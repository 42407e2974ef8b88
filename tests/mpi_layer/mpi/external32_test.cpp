// external32 of part of a message, and the counts of its status (MPI 5.0, clauses 14.5.2 and
// 3.2.5).
#include "mpi_layer/mpi/functions/external32.h"

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "mpi_layer/mpi/functions/local_objects.h"
#include "mpi_layer/mpi/functions/packing_form.h"
#include "mpi_layer/mpi/functions/status_content.h"

namespace lintel::mpi {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

struct Item {
  int number;
  long wide;
};

// An int of four bytes and a long, which has four bytes in external32 too.
class Mixed : public testing::Test {
 protected:
  Mixed() {
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(Item, number), offsetof(Item, wide)};
    const MPI_Datatype types[] = {MPI_INT, MPI_LONG};
    MPI_Type_create_struct(2, lengths, places, types, &handle_);
    MPI_Type_commit(&handle_);
  }
  ~Mixed() override { MPI_Type_free(&handle_); }
  const Datatype& type() const { return *find_datatype(handle_); }

  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

TEST(External32, CharactersAndBytesHaveTheSameBytesInBothForms) {
  for (const MPI_Datatype type : {MPI_BYTE, MPI_PACKED, MPI_CHAR, MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_CHAR, MPI_C_BOOL, MPI_INT8_T, MPI_CHARACTER}) {
    EXPECT_TRUE(external_form(*find_datatype(type)).is_native);
  }
  for (const MPI_Datatype type :
       {MPI_SHORT, MPI_INT, MPI_LONG, MPI_DOUBLE, MPI_WCHAR, MPI_LONG_DOUBLE, MPI_AINT, MPI_2INT}) {
    EXPECT_FALSE(external_form(*find_datatype(type)).is_native);
  }
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(3, 2, 4, MPI_CHAR, &rows), MPI_SUCCESS);
  EXPECT_TRUE(external_form(*find_datatype(rows)).is_native) << "holes do not travel";
  EXPECT_EQ(external_form(*find_datatype(rows)).size.value(), 6);
  ASSERT_EQ(MPI_Type_free(&rows), MPI_SUCCESS);
}

TEST(External32, AllPredefinedTypesComeBack) {
  for (const DatatypeRef& type : predefined_datatypes()) {
    SCOPED_TRACE(type->name());
    const auto items = static_cast<std::size_t>(3 * type->shape().extent());
    Bytes in(items);
    // Small numbers fit every type. A long double has padding that does not count, so it gets a
    // value.
    for (std::size_t i = 0; i < items; i += 2) in[i] = std::byte{1};
    if (type->name().find("LONG_DOUBLE") != std::string::npos) {
      in.assign(items, std::byte{0});
      const long double value = -0.75L;
      std::memcpy(in.data(), &value, 10);
    } else if (type->number() == number_of(MPI_LONG) ||
               type->number() == number_of(MPI_UNSIGNED_LONG) ||
               type->number() == number_of(MPI_WCHAR) ||
               type->number() == number_of(MPI_LONG_INT)) {
      in.assign(items, std::byte{0});
      in[0] = std::byte{9};
    }
    Bytes external(static_cast<std::size_t>(external_form(*type).size.value()) * 3);
    ASSERT_TRUE(pack_external(*type, number_of(in.data()), 3, external));
    Bytes out(items);
    unpack_external(*type, number_of(out.data()), 3, external);
    Bytes packed_in(static_cast<std::size_t>(3 * type->size())), packed_out(packed_in);
    pack(type->items(number_of(in.data()), 3), 0, packed_in);
    pack(type->items(number_of(out.data()), 3), 0, packed_out);
    EXPECT_EQ(packed_out, packed_in);
    if (external_form(*type).is_native) {
      EXPECT_EQ(external, packed_in);
    }
  }
}

TEST(External32, LongsHaveFourBytesAndTheirSign) {
  const DatatypeRef type = find_datatype(MPI_LONG);
  for (const long value : {0L, -1L, 1L, long{INT_MAX}, long{INT_MIN}}) {
    Bytes external(4);
    ASSERT_TRUE(pack_external(*type, number_of(&value), 1, external));
    long back = 5;
    unpack_external(*type, number_of(&back), 1, external);
    EXPECT_EQ(back, value);
  }
  for (const long value : {long{INT_MAX} + 1, long{INT_MIN} - 1, LONG_MAX, LONG_MIN}) {
    Bytes external(4);
    EXPECT_FALSE(pack_external(*type, number_of(&value), 1, external)) << value;
  }
  const unsigned long large[] = {UINT_MAX, UINT_MAX + 1UL};
  Bytes external(4);
  EXPECT_TRUE(pack_external(*find_datatype(MPI_UNSIGNED_LONG), number_of(&large[0]), 1, external));
  EXPECT_FALSE(pack_external(*find_datatype(MPI_UNSIGNED_LONG), number_of(&large[1]), 1, external));
}

TEST_F(Mixed, AMessageMayEndWithinAnItem) {
  const Bytes external = bytes_of({0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 3});
  Item items[2] = {{7, 7}, {7, 7}};
  unpack_external(type(), number_of(items), 2, external);
  EXPECT_EQ(items[0].number, 1);
  EXPECT_EQ(items[0].wide, -2);
  EXPECT_EQ(items[1].number, 3);
  EXPECT_EQ(items[1].wide, 7) << "not sent";
}

TEST_F(Mixed, AnElementThatIsNotWholeIsNotWritten) {
  const Bytes external = bytes_of({0, 0, 0, 1, 0xff, 0xff, 0xff});
  Item item = {7, 7};
  unpack_external(type(), number_of(&item), 1, external);
  EXPECT_EQ(item.number, 1);
  EXPECT_EQ(item.wide, 7);
  double fraction = 7;
  unpack_external(*find_datatype(MPI_DOUBLE), number_of(&fraction), 1, external);
  EXPECT_EQ(fraction, 7);
}

TEST_F(Mixed, CountsElementsByTheirExternalSizes) {
  EXPECT_EQ(elements_in_external(type(), 0), 0);
  EXPECT_EQ(elements_in_external(type(), 12), 3);
  EXPECT_EQ(elements_in_external(type(), 16), 4);
  EXPECT_EQ(elements_in_external(type(), 14), std::nullopt);
  EXPECT_EQ(native_portion(type(), 12)->counterpart, 16);
  EXPECT_EQ(native_portion(type(), 14)->counterpart, 16);
  EXPECT_EQ(native_portion(type(), 14)->rest, 2);
  EXPECT_EQ(native_portion(type(), 16)->counterpart, 24);
  EXPECT_EQ(native_portion(*find_datatype(MPI_LONG), INT64_MAX), std::nullopt)
      << "twice as many bytes";
}

TEST_F(Mixed, AStatusOfAMessageThatWillBeConvertedCountsByExternalSizes) {
  MPI_Status status = empty_status();
  int count = -1;
  set_external32_bytes(status, 16);
  EXPECT_EQ(received_bytes(status), 16);
  ASSERT_EQ(MPI_Get_count(&status, handle_, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 2);
  ASSERT_EQ(MPI_Get_elements(&status, handle_, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 4);
  ASSERT_EQ(MPI_Get_count(&status, MPI_LONG, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 4);
  ASSERT_EQ(MPI_Get_count(&status, MPI_BYTE, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 16);
  set_external32_bytes(status, 12);
  ASSERT_EQ(MPI_Get_count(&status, handle_, &count), MPI_SUCCESS);
  EXPECT_EQ(count, MPI_UNDEFINED);
  ASSERT_EQ(MPI_Get_elements(&status, handle_, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 3);
  ASSERT_EQ(MPI_Status_set_elements(&status, MPI_LONG, 3), MPI_SUCCESS);
  ASSERT_EQ(MPI_Get_count(&status, MPI_LONG, &count), MPI_SUCCESS);
  EXPECT_EQ(count, 3) << "what a program sets is in this machine's form";
}

TEST(External32, ChainsOfTypesAreCountedInOneGo) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(1, MPI_LONG, &type), MPI_SUCCESS);
  constexpr int kLevels = 20000;
  for (int level = 0; level < kLevels; ++level) {
    MPI_Datatype next = MPI_DATATYPE_NULL;
    const MPI_Datatype parts[] = {MPI_INT, type};
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 4};
    ASSERT_EQ(MPI_Type_create_struct(2, lengths, places, parts, &next), MPI_SUCCESS);
    ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    type = next;
  }
  EXPECT_EQ(elements_in_external(*find_datatype(type), 4 * kLevels), kLevels);
  EXPECT_EQ(native_portion(*find_datatype(type), 4 * kLevels + 4)->counterpart, 4 * kLevels + 8);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

// A communicator that MPI_Pack treats as one of processes that exchange external32.
const MPI_Comm kSpanning = handle_of<MPI_Comm>(0x5000);

class PackedForOthers : public testing::Test {
 protected:
  PackedForOthers() {
    set_packing_form([](MPI_Comm comm) { return comm == kSpanning; });
  }
  ~PackedForOthers() override { set_packing_form(nullptr); }
};

TEST_F(PackedForOthers, PackWritesExternal32AndUnpackReadsIt) {
  const long numbers[] = {1, -2};
  std::array<unsigned char, 20> buffer{};
  int position = 4;
  ASSERT_EQ(MPI_Pack(numbers, 2, MPI_LONG, buffer.data(), 12, &position, kSpanning), MPI_SUCCESS);
  EXPECT_EQ(position, 12);
  EXPECT_EQ(buffer,
            (std::array<unsigned char, 20>{0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe}));
  long back[2] = {};
  position = 4;
  ASSERT_EQ(MPI_Unpack(buffer.data(), 12, &position, back, 2, MPI_LONG, kSpanning), MPI_SUCCESS);
  EXPECT_EQ(position, 12);
  EXPECT_EQ(back[0], 1);
  EXPECT_EQ(back[1], -2);
}

TEST_F(PackedForOthers, OtherCommunicatorsAreAsEver) {
  const long number = 1L << 40;
  std::array<unsigned char, 8> buffer{};
  int position = 0;
  ASSERT_EQ(MPI_Pack(&number, 1, MPI_LONG, buffer.data(), 8, &position, MPI_COMM_WORLD),
            MPI_SUCCESS);
  EXPECT_EQ(std::memcmp(buffer.data(), &number, 8), 0);
  position = 0;
  EXPECT_EQ(MPI_Pack(&number, 1, MPI_LONG, buffer.data(), 8, &position, kSpanning),
            MPI_ERR_CONVERSION);
  EXPECT_EQ(position, 0);
  EXPECT_EQ(std::memcmp(buffer.data(), &number, 8), 0) << "nothing is written";
}

TEST_F(PackedForOthers, SizeIsEnoughForBothForms) {
  int size = 0;
  ASSERT_EQ(MPI_Pack_size(3, MPI_LONG, kSpanning, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 24);
  MPI_Count wide = 0;
  ASSERT_EQ(MPI_Pack_size_c(3, MPI_INT, kSpanning, &wide), MPI_SUCCESS);
  EXPECT_EQ(wide, 12);
}

}  // namespace
}  // namespace lintel::mpi
