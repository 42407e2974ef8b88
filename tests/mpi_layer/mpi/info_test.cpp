// Info objects (MPI 5.0, chapter 10).
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "mpi.h"

namespace lintel::mpi {
namespace {

class InfoObject : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(MPI_Info_create(&info_), MPI_SUCCESS);
    ASSERT_EQ(MPI_Info_set(info_, "first", "one"), MPI_SUCCESS);
    ASSERT_EQ(MPI_Info_set(info_, "second", "two"), MPI_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(MPI_Info_free(&info_), MPI_SUCCESS); }

  static std::string value(MPI_Info info, const char* key) {
    char text[MPI_MAX_INFO_VAL];
    int flag = -1;
    EXPECT_EQ(MPI_Info_get(info, key, MPI_MAX_INFO_VAL - 1, text, &flag), MPI_SUCCESS);
    return flag != 0 ? text : "(none)";
  }

  MPI_Info info_ = MPI_INFO_NULL;
};

TEST_F(InfoObject, KeepsKeysInTheirOrder) {
  ASSERT_EQ(MPI_Info_set(info_, "first", "new"), MPI_SUCCESS);
  int keys = 0;
  ASSERT_EQ(MPI_Info_get_nkeys(info_, &keys), MPI_SUCCESS);
  EXPECT_EQ(keys, 2);
  char key[MPI_MAX_INFO_KEY];
  ASSERT_EQ(MPI_Info_get_nthkey(info_, 0, key), MPI_SUCCESS);
  EXPECT_STREQ(key, "first");
  ASSERT_EQ(MPI_Info_get_nthkey(info_, 1, key), MPI_SUCCESS);
  EXPECT_STREQ(key, "second");
  EXPECT_EQ(MPI_Info_get_nthkey(info_, 2, key), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Info_get_nthkey(info_, -1, key), MPI_ERR_ARG);
  EXPECT_EQ(value(info_, "first"), "new");
  EXPECT_EQ(value(info_, "third"), "(none)");
}

TEST_F(InfoObject, ACopyIsItsOwn) {
  MPI_Info copy = MPI_INFO_NULL;
  ASSERT_EQ(MPI_Info_dup(info_, &copy), MPI_SUCCESS);
  ASSERT_EQ(MPI_Info_delete(info_, "first"), MPI_SUCCESS);
  EXPECT_EQ(value(copy, "first"), "one");
  EXPECT_EQ(value(info_, "first"), "(none)");
  EXPECT_EQ(MPI_Info_delete(info_, "first"), MPI_ERR_INFO_NOKEY);
  ASSERT_EQ(MPI_Info_free(&copy), MPI_SUCCESS);
  EXPECT_EQ(copy, MPI_INFO_NULL);
}

TEST_F(InfoObject, LongValuesAreCutToTheRoomThereIs) {
  ASSERT_EQ(MPI_Info_set(info_, "long", "abcdefgh"), MPI_SUCCESS);
  char text[5] = "----";
  int flag = 0;
  ASSERT_EQ(MPI_Info_get(info_, "long", 3, text, &flag), MPI_SUCCESS);
  EXPECT_STREQ(text, "abc");
  int length = 0;
  ASSERT_EQ(MPI_Info_get_valuelen(info_, "long", &length, &flag), MPI_SUCCESS);
  EXPECT_EQ(length, 8);
  int room = 4;
  ASSERT_EQ(MPI_Info_get_string(info_, "long", &room, text, &flag), MPI_SUCCESS);
  EXPECT_STREQ(text, "abc");
  EXPECT_EQ(room, 9);
  room = 0;
  ASSERT_EQ(MPI_Info_get_string(info_, "long", &room, nullptr, &flag), MPI_SUCCESS);
  EXPECT_EQ(room, 9);
  EXPECT_EQ(flag, 1);
  room = 4;
  ASSERT_EQ(MPI_Info_get_string(info_, "none", &room, text, &flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(room, 4);
}

TEST_F(InfoObject, KeysAndValuesHaveLimits) {
  const std::string longest_key(MPI_MAX_INFO_KEY - 1, 'k');
  const std::string longest_value(MPI_MAX_INFO_VAL - 1, 'v');
  EXPECT_EQ(MPI_Info_set(info_, longest_key.c_str(), longest_value.c_str()), MPI_SUCCESS);
  EXPECT_EQ(value(info_, longest_key.c_str()), longest_value);
  EXPECT_EQ(MPI_Info_set(info_, (longest_key + "k").c_str(), "v"), MPI_ERR_INFO_KEY);
  EXPECT_EQ(MPI_Info_set(info_, "k", (longest_value + "v").c_str()), MPI_ERR_INFO_VALUE);
  EXPECT_EQ(MPI_Info_set(info_, "", "v"), MPI_ERR_INFO_KEY);
  EXPECT_EQ(MPI_Info_set(info_, nullptr, "v"), MPI_ERR_INFO_KEY);
  EXPECT_EQ(MPI_Info_set(info_, "k", nullptr), MPI_ERR_INFO_VALUE);
  EXPECT_EQ(value(info_, "k"), "(none)");
}

TEST_F(InfoObject, OfTheEnvironmentIsReadOnly) {
  int keys = -1;
  ASSERT_EQ(MPI_Info_get_nkeys(MPI_INFO_ENV, &keys), MPI_SUCCESS);
  EXPECT_EQ(keys, 0);
  EXPECT_EQ(MPI_Info_set(MPI_INFO_ENV, "k", "v"), MPI_ERR_INFO);
  MPI_Info environment = MPI_INFO_ENV;
  EXPECT_EQ(MPI_Info_free(&environment), MPI_ERR_INFO);
}

TEST_F(InfoObject, MadeOfAnEnvironmentIsEmptyAndMayBeChanged) {
  MPI_Info info = MPI_INFO_NULL;
  int keys = -1;
  ASSERT_EQ(MPI_Info_create_env(0, nullptr, &info), MPI_SUCCESS);
  ASSERT_EQ(MPI_Info_get_nkeys(info, &keys), MPI_SUCCESS);
  EXPECT_EQ(keys, 0);
  EXPECT_EQ(MPI_Info_set(info, "k", "v"), MPI_SUCCESS);
  EXPECT_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

}  // namespace
}  // namespace lintel::mpi
