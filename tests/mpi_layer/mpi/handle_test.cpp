// Handles that name nothing: null, freed, invented, of another kind. Each gives the error class of
// its kind and touches no memory.
#include <gtest/gtest.h>

#include <climits>
#include <string>
#include <vector>

#include "mpi_layer/mpi/functions/function_call.h"
#include "mpi_layer/mpi/functions/local_objects.h"

namespace lintel::mpi {
namespace {

// Numbers that are no handle of any kind: small ones, addresses of memory and of nothing, all ones.
std::vector<std::uintptr_t> wrong_numbers() {
  static int memory = 0;
  std::vector<std::uintptr_t> numbers = {
      0, 1, 0xfff, 0x1000, reinterpret_cast<std::uintptr_t>(&memory), ~std::uintptr_t{0}};
  for (unsigned bit = 0; bit < 64; ++bit) numbers.push_back(std::uintptr_t{1} << bit);
  return numbers;
}

MPI_Datatype new_type() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_contiguous(3, MPI_INT, &type), MPI_SUCCESS);
  return type;
}

TEST(Handle, OfADatatypeThatIsNone) {
  for (const std::uintptr_t number : wrong_numbers()) {
    if (predefined_datatype(number)) continue;
    auto handle = reinterpret_cast<MPI_Datatype>(number);
    int size = -7;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    EXPECT_EQ(MPI_Type_size(handle, &size), MPI_ERR_TYPE) << number;
    EXPECT_EQ(MPI_Type_contiguous(1, handle, &made), MPI_ERR_TYPE) << number;
    EXPECT_EQ(MPI_Type_commit(&handle), MPI_ERR_TYPE) << number;
    EXPECT_EQ(MPI_Type_free(&handle), MPI_ERR_TYPE) << number;
    EXPECT_EQ(size, -7);
    EXPECT_EQ(made, MPI_DATATYPE_NULL);
  }
}

TEST(Handle, OfAPredefinedTypeIsNotFreed) {
  for (const DatatypeRef& type : predefined_datatypes()) {
    auto handle = reinterpret_cast<MPI_Datatype>(type->number());
    EXPECT_EQ(MPI_Type_free(&handle), MPI_ERR_TYPE) << type->name();
    EXPECT_EQ(MPI_Type_commit(&handle), MPI_SUCCESS) << type->name();
  }
}

TEST(Handle, ThatWasFreedNamesNothingEvenWhenItsPlaceIsTakenAgain) {
  const MPI_Datatype old = new_type();
  MPI_Datatype handle = old;
  ASSERT_EQ(MPI_Type_free(&handle), MPI_SUCCESS);
  EXPECT_EQ(handle, MPI_DATATYPE_NULL);
  handle = old;
  EXPECT_EQ(MPI_Type_free(&handle), MPI_ERR_TYPE);
  std::vector<MPI_Datatype> others;
  for (int i = 0; i < 1000; ++i) {
    others.push_back(new_type());
    ASSERT_NE(others.back(), old);
  }
  int size = 0;
  EXPECT_EQ(MPI_Type_size(old, &size), MPI_ERR_TYPE);
  for (MPI_Datatype& other : others) ASSERT_EQ(MPI_Type_free(&other), MPI_SUCCESS);
}

TEST(Handle, OfAnotherKindIsRefused) {
  MPI_Datatype type = new_type();
  MPI_Info info = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  int number = 0;
  EXPECT_EQ(MPI_Type_size(reinterpret_cast<MPI_Datatype>(info), &number), MPI_ERR_TYPE);
  EXPECT_EQ(MPI_Info_get_nkeys(reinterpret_cast<MPI_Info>(type), &number), MPI_ERR_INFO);
  EXPECT_EQ(MPI_Group_size(reinterpret_cast<MPI_Group>(type), &number), MPI_ERR_GROUP);
  EXPECT_EQ(MPI_Op_commutative(reinterpret_cast<MPI_Op>(type), &number), MPI_ERR_OP);
  EXPECT_EQ(MPI_Op_commutative(reinterpret_cast<MPI_Op>(MPI_INT), &number), MPI_ERR_OP);
  ASSERT_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

TEST(Handle, OfGroupsOperationsAndInfosThatAreNone) {
  for (const std::uintptr_t number : wrong_numbers()) {
    int value = -7;
    auto group = reinterpret_cast<MPI_Group>(number);
    EXPECT_EQ(MPI_Group_size(group, &value), MPI_ERR_GROUP) << number;
    EXPECT_EQ(MPI_Group_free(&group), MPI_ERR_GROUP) << number;
    auto info = reinterpret_cast<MPI_Info>(number);
    EXPECT_EQ(MPI_Info_get_nkeys(info, &value), MPI_ERR_INFO) << number;
    EXPECT_EQ(MPI_Info_free(&info), MPI_ERR_INFO) << number;
    auto op = reinterpret_cast<MPI_Op>(number);
    EXPECT_EQ(MPI_Op_commutative(op, &value), MPI_ERR_OP) << number;
    EXPECT_EQ(MPI_Op_free(&op), MPI_ERR_OP) << number;
    EXPECT_EQ(value, -7);
  }
}

TEST(Handle, OfTheEmptyGroupMayBeFreedAndStays) {
  MPI_Group group = MPI_GROUP_EMPTY;
  EXPECT_EQ(MPI_Group_free(&group), MPI_SUCCESS);
  EXPECT_EQ(group, MPI_GROUP_NULL);
  int size = -1;
  EXPECT_EQ(MPI_Group_size(MPI_GROUP_EMPTY, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 0);
}

TEST(Handle, IsNeitherASmallNumberNorAnAddress) {
  MPI_Datatype type = new_type();
  EXPECT_GE(number_of(type), std::uintptr_t{1} << 58);
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

TEST(Handle, OfATypeInUseMayBeFreed) {
  MPI_Datatype part = new_type();
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_vector(2, 1, 2, part, &whole), MPI_SUCCESS);
  const DatatypeRef pending = find_datatype(part);  // as an operation under way refers to it
  ASSERT_EQ(MPI_Type_free(&part), MPI_SUCCESS);
  EXPECT_EQ(pending->size(), 12);
  int size = 0;
  ASSERT_EQ(MPI_Type_size(whole, &size), MPI_SUCCESS);
  EXPECT_EQ(size, 24);
  ASSERT_EQ(MPI_Type_free(&whole), MPI_SUCCESS);
}

TEST(HandleInteger, OfAPredefinedHandleIsItsNumber) {
  EXPECT_EQ(MPI_Type_toint(MPI_INT), 0x209);
  EXPECT_EQ(MPI_Type_fromint(0x209), MPI_INT);
  EXPECT_EQ(MPI_Op_toint(MPI_SUM), 0x21);
  EXPECT_EQ(MPI_Op_fromint(0x21), MPI_SUM);
  EXPECT_EQ(MPI_Group_toint(MPI_GROUP_EMPTY), 0x109);
  EXPECT_EQ(MPI_Group_fromint(0x109), MPI_GROUP_EMPTY);
  EXPECT_EQ(MPI_Info_toint(MPI_INFO_NULL), 0x130);
  EXPECT_EQ(MPI_Info_fromint(0x130), MPI_INFO_NULL);
}

TEST(HandleInteger, ComesBackAsTheHandleThatItWasMadeOf) {
  std::vector<MPI_Datatype> types;
  std::vector<int> integers;
  for (int i = 0; i < 1000; ++i) {
    types.push_back(new_type());
    integers.push_back(MPI_Type_toint(types.back()));
    EXPECT_GE(integers.back(), 4096);  // neither a predefined handle nor an error value
  }
  for (std::size_t i = 0; i < types.size(); ++i) ASSERT_EQ(MPI_Type_fromint(integers[i]), types[i]);
  for (MPI_Datatype& type : types) ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  MPI_Info info = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_fromint(MPI_Info_toint(info)), info);
  ASSERT_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

TEST(HandleInteger, OfAHandleThatWasFreedNamesNothingEvenWhenItsPlaceIsTakenAgain) {
  const auto keep = [](void*, void*, int*, MPI_Datatype*) {};
  MPI_Op op = MPI_OP_NULL;
  ASSERT_EQ(MPI_Op_create(keep, 1, &op), MPI_SUCCESS);
  const int old = MPI_Op_toint(op);
  ASSERT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  EXPECT_EQ(MPI_Op_fromint(old), MPI_OP_NULL);
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(MPI_Op_create(keep, 1, &op), MPI_SUCCESS);
    ASSERT_EQ(MPI_Op_fromint(MPI_Op_toint(op)), op);
    ASSERT_NE(MPI_Op_toint(op), old) << i;
    ASSERT_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  }
  EXPECT_EQ(MPI_Op_fromint(old), MPI_OP_NULL);
}

TEST(HandleInteger, OfANumberThatIsNoHandleIsThatOfTheNullHandle) {
  MPI_Datatype type = new_type();
  EXPECT_EQ(MPI_Info_toint(reinterpret_cast<MPI_Info>(type)), MPI_Info_toint(MPI_INFO_NULL));
  ASSERT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  for (const std::uintptr_t number : wrong_numbers()) {
    if (number < 4096 || number >> 58 == static_cast<std::uintptr_t>(ObjectKind::kGroup)) continue;
    EXPECT_EQ(MPI_Group_toint(reinterpret_cast<MPI_Group>(number)), 0x108) << number;
  }
  for (const int integer :
       {-1, INT_MIN, 4096, (1 << 30) - 1, (1 << 30) | ((1 << 26) - 1), INT_MAX}) {
    EXPECT_EQ(MPI_Group_fromint(integer), MPI_GROUP_NULL) << integer;
  }
}

struct Raised {
  ObjectKind kind;
  std::uintptr_t object;
  int error;
  std::string function;
};
Raised last_raised;

int record_error(ObjectKind kind, std::uintptr_t object, int error, const char* function) {
  last_raised = {kind, object, error, function};
  return 12345;
}

TEST(Handle, ErrorsGoThroughTheRaiserWithTheFunctionsName) {
  set_error_raiser(record_error);
  int size = 0;
  const int code = MPI_Type_size(MPI_DATATYPE_NULL, &size);
  set_error_raiser(nullptr);
  EXPECT_EQ(code, 12345);
  EXPECT_EQ(last_raised.kind, ObjectKind::kDatatype);
  EXPECT_EQ(last_raised.error, MPI_ERR_TYPE);
  EXPECT_EQ(last_raised.function, "MPI_Type_size");
  EXPECT_EQ(last_raised.object, 0U);
  EXPECT_EQ(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
}

TEST(Handle, ErrorsOfPackingAreTheCommunicatorsThatWasPassed) {
  set_error_raiser(record_error);
  int size = 0;
  const MPI_Comm some = reinterpret_cast<MPI_Comm>(0x4711);
  EXPECT_EQ(MPI_Pack_size(1, MPI_DATATYPE_NULL, some, &size), 12345);
  set_error_raiser(nullptr);
  EXPECT_EQ(last_raised.kind, ObjectKind::kCommunicator);
  EXPECT_EQ(last_raised.object, 0x4711U);
  EXPECT_EQ(last_raised.error, MPI_ERR_TYPE);
}

}  // namespace
}  // namespace lintel::mpi
