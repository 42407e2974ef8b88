// Attributes of datatypes: what the callbacks are given, their order, and what their failure does
// (MPI 5.0, clause 7.7.4).
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mpi.h"

namespace lintel::mpi {
namespace {

// What callbacks do and record. extra_state points to it.
struct Diary {
  std::vector<std::string> lines;
  int fail_copy_of = -1;
  int fail_delete_of = -1;
  MPI_Datatype last_object = MPI_DATATYPE_NULL;
};

int as_value(const void* value) { return static_cast<int>(reinterpret_cast<std::intptr_t>(value)); }
void* value_of(int value) { return reinterpret_cast<void*>(static_cast<std::intptr_t>(value)); }

extern "C" int note_copy(MPI_Datatype type, int, void* extra_state, void* value, void* copied,
                         int* flag) {
  auto* diary = static_cast<Diary*>(extra_state);
  diary->lines.push_back("copy " + std::to_string(as_value(value)));
  diary->last_object = type;
  if (as_value(value) == diary->fail_copy_of) return 4711;
  *static_cast<void**>(copied) = value_of(as_value(value) + 100);
  *flag = as_value(value) % 2;  // even values are not copied
  return MPI_SUCCESS;
}

extern "C" int note_delete(MPI_Datatype type, int, void* value, void* extra_state) {
  auto* diary = static_cast<Diary*>(extra_state);
  diary->lines.push_back("delete " + std::to_string(as_value(value)));
  diary->last_object = type;
  return as_value(value) == diary->fail_delete_of ? 4712 : MPI_SUCCESS;
}

class TypeAttribute : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(MPI_Type_contiguous(2, MPI_INT, &type_), MPI_SUCCESS); }
  void TearDown() override {
    if (type_ != MPI_DATATYPE_NULL) {
      EXPECT_EQ(MPI_Type_free(&type_), MPI_SUCCESS);
    }
  }
  int new_key() {
    int key = MPI_KEYVAL_INVALID;
    EXPECT_EQ(MPI_Type_create_keyval(note_copy, note_delete, &key, &diary_), MPI_SUCCESS);
    return key;
  }
  // The value of a key, or -1 if it has none.
  static int value(MPI_Datatype type, int key) {
    void* found = nullptr;
    int flag = -1;
    EXPECT_EQ(MPI_Type_get_attr(type, key, &found, &flag), MPI_SUCCESS);
    return flag != 0 ? as_value(found) : -1;
  }

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Diary diary_;
};

TEST_F(TypeAttribute, IsSetReadReplacedAndDeleted) {
  int key = new_key();
  EXPECT_EQ(value(type_, key), -1);
  ASSERT_EQ(MPI_Type_set_attr(type_, key, value_of(3)), MPI_SUCCESS);
  EXPECT_EQ(value(type_, key), 3);
  ASSERT_EQ(MPI_Type_set_attr(type_, key, value_of(4)), MPI_SUCCESS);
  EXPECT_EQ(value(type_, key), 4);
  EXPECT_EQ(diary_.last_object, type_);
  ASSERT_EQ(MPI_Type_delete_attr(type_, key), MPI_SUCCESS);
  EXPECT_EQ(value(type_, key), -1);
  EXPECT_EQ(MPI_Type_delete_attr(type_, key), MPI_ERR_KEYVAL);
  EXPECT_EQ(diary_.lines, (std::vector<std::string>{"delete 3", "delete 4"}));
  ASSERT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
  EXPECT_EQ(key, MPI_KEYVAL_INVALID);
}

TEST_F(TypeAttribute, CallbacksRunInOrderAndInReverse) {
  std::vector<int> keys;
  for (int i = 1; i <= 3; ++i) {
    keys.push_back(new_key());
    ASSERT_EQ(MPI_Type_set_attr(type_, keys.back(), value_of(i)), MPI_SUCCESS);
  }
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_dup(type_, &copy), MPI_SUCCESS);
  EXPECT_EQ(diary_.last_object, type_);
  EXPECT_EQ(value(copy, keys[0]), 101);
  EXPECT_EQ(value(copy, keys[1]), -1);
  EXPECT_EQ(value(copy, keys[2]), 103);
  ASSERT_EQ(MPI_Type_free(&copy), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&type_), MPI_SUCCESS);
  EXPECT_EQ(diary_.lines,
            (std::vector<std::string>{"copy 1", "copy 2", "copy 3", "delete 103", "delete 101",
                                      "delete 3", "delete 2", "delete 1"}));
  for (int& key : keys) ASSERT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
}

TEST_F(TypeAttribute, AFreedKeyServesTheValuesSetWithIt) {
  int key = new_key();
  const int old = key;
  ASSERT_EQ(MPI_Type_set_attr(type_, key, value_of(1)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
  EXPECT_EQ(value(type_, old), 1);
  ASSERT_EQ(MPI_Type_set_attr(type_, old, value_of(3)), MPI_SUCCESS);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_dup(type_, &copy), MPI_SUCCESS);
  EXPECT_EQ(value(copy, old), 103);
  ASSERT_EQ(MPI_Type_free(&copy), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&type_), MPI_SUCCESS);
  EXPECT_EQ(diary_.lines,
            (std::vector<std::string>{"delete 1", "copy 3", "delete 103", "delete 3"}));
}

TEST_F(TypeAttribute, AFreedKeyDeletesItsValuesAndIsGoneWithTheLast) {
  int key = new_key();
  int old = key;
  MPI_Datatype other = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_contiguous(3, MPI_INT, &other), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_set_attr(type_, key, value_of(1)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_set_attr(other, key, value_of(2)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free_keyval(&old), MPI_ERR_KEYVAL);
  ASSERT_EQ(MPI_Type_delete_attr(type_, old), MPI_SUCCESS);
  EXPECT_EQ(value(type_, old), -1);
  EXPECT_EQ(value(other, old), 2);
  ASSERT_EQ(MPI_Type_delete_attr(other, old), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_delete_attr(other, old), MPI_ERR_KEYVAL);
  void* found = nullptr;
  int flag = 0;
  EXPECT_EQ(MPI_Type_get_attr(other, old, &found, &flag), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Type_set_attr(other, old, value_of(5)), MPI_ERR_KEYVAL);
  EXPECT_EQ(diary_.lines, (std::vector<std::string>{"delete 1", "delete 2"}));
  ASSERT_EQ(MPI_Type_free(&other), MPI_SUCCESS);
}

TEST_F(TypeAttribute, AFreedKeyIsNoneThatIsMadeLater) {
  int key = new_key();
  const int old = key;
  ASSERT_EQ(MPI_Type_set_attr(type_, key, value_of(1)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
  std::vector<int> later;
  for (int i = 0; i < 100; ++i) later.push_back(new_key());
  for (int& other : later) {
    EXPECT_NE(other, old);
    EXPECT_EQ(value(type_, other), -1);
    ASSERT_EQ(MPI_Type_free_keyval(&other), MPI_SUCCESS);
  }
}

TEST_F(TypeAttribute, AValueThatTakesAnothersPlaceIsSetLast) {
  int first = new_key();
  int second = new_key();
  ASSERT_EQ(MPI_Type_set_attr(type_, first, value_of(1)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_set_attr(type_, second, value_of(2)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_set_attr(type_, first, value_of(3)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free(&type_), MPI_SUCCESS);
  EXPECT_EQ(diary_.lines, (std::vector<std::string>{"delete 1", "delete 3", "delete 2"}));
  ASSERT_EQ(MPI_Type_free_keyval(&first), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free_keyval(&second), MPI_SUCCESS);
}

TEST_F(TypeAttribute, AFailingCopyEndsTheDuplicateAndItsCopies) {
  int first = new_key();
  int second = new_key();
  ASSERT_EQ(MPI_Type_set_attr(type_, first, value_of(1)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_set_attr(type_, second, value_of(3)), MPI_SUCCESS);
  diary_.fail_copy_of = 3;
  MPI_Datatype copy = MPI_INT;
  EXPECT_EQ(MPI_Type_dup(type_, &copy), 4711);
  EXPECT_EQ(copy, MPI_DATATYPE_NULL);
  EXPECT_EQ(diary_.lines, (std::vector<std::string>{"copy 1", "copy 3", "delete 101"}));
  ASSERT_EQ(MPI_Type_free_keyval(&first), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free_keyval(&second), MPI_SUCCESS);
}

TEST_F(TypeAttribute, AFailingDeleteKeepsTheType) {
  int key = new_key();
  ASSERT_EQ(MPI_Type_set_attr(type_, key, value_of(1)), MPI_SUCCESS);
  diary_.fail_delete_of = 1;
  const MPI_Datatype before = type_;
  EXPECT_EQ(MPI_Type_free(&type_), 4712);
  EXPECT_EQ(type_, before);
  EXPECT_EQ(value(type_, key), 1);
  EXPECT_EQ(MPI_Type_set_attr(type_, key, value_of(2)), 4712);
  EXPECT_EQ(value(type_, key), 1);
  EXPECT_EQ(MPI_Type_delete_attr(type_, key), 4712);
  diary_.fail_delete_of = -1;
  ASSERT_EQ(MPI_Type_free_keyval(&key), MPI_SUCCESS);
}

TEST_F(TypeAttribute, PredefinedFunctionsCopyNothingOrTheValue) {
  int dropped = 0;
  int kept = 0;
  ASSERT_EQ(
      MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &dropped, nullptr),
      MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &kept, nullptr),
            MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_set_attr(type_, dropped, value_of(1)), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_set_attr(type_, kept, value_of(2)), MPI_SUCCESS);
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  ASSERT_EQ(MPI_Type_dup(type_, &copy), MPI_SUCCESS);
  EXPECT_EQ(value(copy, dropped), -1);
  EXPECT_EQ(value(copy, kept), 2);
  ASSERT_EQ(MPI_Type_free(&copy), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free_keyval(&dropped), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_free_keyval(&kept), MPI_SUCCESS);
}

TEST_F(TypeAttribute, KeysThatAreNoneAreRefused) {
  int flag = 0;
  void* found = nullptr;
  for (int key : {MPI_KEYVAL_INVALID + 0, MPI_TAG_UB + 0, -1, 1 << 28, 2147483647}) {
    EXPECT_EQ(MPI_Type_set_attr(type_, key, nullptr), MPI_ERR_KEYVAL) << key;
    EXPECT_EQ(MPI_Type_get_attr(type_, key, &found, &flag), MPI_ERR_KEYVAL) << key;
    EXPECT_EQ(MPI_Type_delete_attr(type_, key), MPI_ERR_KEYVAL) << key;
    EXPECT_EQ(MPI_Type_free_keyval(&key), MPI_ERR_KEYVAL) << key;
  }
}

}  // namespace
}  // namespace lintel::mpi
