#include "mpi_layer/impi/authentication.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "mpi_layer/impi/key_file.h"

namespace lintel::mpi::impi {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Authentication, KeyIsPreferredToNone) {
  EXPECT_EQ(Authentication(true, 5).choose(3), Mechanism::kKey);
}

TEST(Authentication, WhatOnlyOneSideCanUseIsNotChosen) {
  EXPECT_EQ(Authentication(true, 5).choose(1), Mechanism::kNone);
  EXPECT_EQ(Authentication(true, std::nullopt).choose(3), Mechanism::kNone);
  EXPECT_EQ(Authentication(false, 5).choose(1), std::nullopt);
  EXPECT_EQ(Authentication(true, 5).choose(0), std::nullopt);
  EXPECT_EQ(Authentication(true, 5).choose(0xfffffffc), std::nullopt);
}

TEST(Authentication, MaskHasABitForEachMechanism) {
  EXPECT_EQ(Authentication(true, std::nullopt).mask(), 1U);
  EXPECT_EQ(Authentication(false, 5).mask(), 2U);
  EXPECT_EQ(Authentication(true, 5).mask(), 3U);
  EXPECT_TRUE(Authentication(false, std::nullopt).is_empty());
}

TEST(Authentication, AListSaysTheOrder) {
  const Authentication both(true, 5);
  for (const char* list : {"0-1", "0,1", "none,key", "NONE-KEY"}) {
    auto chosen = both.preferring(list);
    ASSERT_TRUE(chosen.ok()) << list;
    EXPECT_EQ(chosen->choose(3), Mechanism::kNone) << list;
    EXPECT_EQ(chosen->choose(2), Mechanism::kKey) << list;
  }
  EXPECT_EQ(both.preferring("1,0")->choose(3), Mechanism::kKey);
}

TEST(Authentication, WhatTheListDoesNotNameIsNotUsed) {
  EXPECT_EQ(Authentication(true, 5).preferring("1")->choose(1), std::nullopt);
  EXPECT_EQ(Authentication(true, 5).preferring("1")->mask(), 2U);
}

TEST(Authentication, AListThatCannotBeFollowedIsRefused) {
  for (const char* list : {"", "2", "1,", ",1", "1,1", "0 1", "keys"})
    EXPECT_FALSE(Authentication(true, 5).preferring(list).ok()) << list;
  EXPECT_THAT(Authentication(false, 5).preferring("0").sentence(),
              HasSubstr("'0' names NONE; expected IMPI_AUTH_NONE to be set"));
  EXPECT_THAT(Authentication(true, std::nullopt).preferring("1").sentence(),
              HasSubstr("'1' names KEY; expected a key"));
}

TEST(Authentication, OnlyTheKeyIsTheKey) {
  const Authentication both(true, 0x162e);
  EXPECT_TRUE(both.is_key(0x162e));
  EXPECT_FALSE(both.is_key(0x162f));
  EXPECT_FALSE(both.is_key(0x162eULL << 32));
  EXPECT_FALSE(Authentication(true, std::nullopt).is_key(0));
}

TEST(Key, IsADecimalNumberOf64Bits) {
  EXPECT_EQ(*parse_key("5678", "it"), 0x162eU);
  EXPECT_EQ(*parse_key(" 18446744073709551615\n", "it"), UINT64_MAX);
  EXPECT_EQ(*parse_key("-1", "it"), UINT64_MAX);
}

TEST(Key, AnythingElseIsRefusedWithoutRepeatingIt) {
  for (const char* text :
       {"", " ", "56 78", "0x10", "+5", "18446744073709551616", "-9223372036854775809", "5678x"}) {
    auto key = parse_key(text, "what it holds");
    ASSERT_FALSE(key.ok()) << text;
    EXPECT_EQ(key.sentence(),
              "what it holds is not usable as a key; expected a decimal number of 64 bits");
  }
}

class KeyFile : public ::testing::Test {
 protected:
  KeyFile() {
    char name[] = "/tmp/lintel-key-XXXXXX";
    const int fd = ::mkstemp(name);
    if (fd >= 0) ::close(fd);
    path_ = name;
  }
  ~KeyFile() override { ::unlink(path_.c_str()); }
  void write(const std::string& text, mode_t mode) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
  }
  std::string path_;
};

TEST_F(KeyFile, HoldsAKeyAndNothingElse) {
  write("5678\n", 0600);
  EXPECT_EQ(*read_key_file(path_), 5678U);
  write("5678 90\n", 0600);
  EXPECT_THAT(read_key_file(path_).sentence(),
              HasSubstr("what key file " + path_ + " holds is not usable as a key"));
  write(std::string(1000, '1'), 0600);
  EXPECT_FALSE(read_key_file(path_).ok());
}

TEST_F(KeyFile, ThatOthersMayReadIsRefused) {
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U}) {
    write("5678", mode);
    auto key = read_key_file(path_);
    ASSERT_FALSE(key.ok()) << mode;
    EXPECT_THAT(key.sentence(), HasSubstr("expected 600"));
    EXPECT_THAT(key.sentence(), Not(HasSubstr("5678")));
  }
}

TEST_F(KeyFile, ThatIsNoneIsRefused) {
  EXPECT_THAT(read_key_file("/no/such/file").sentence(), HasSubstr("No such file"));
  EXPECT_THAT(read_key_file("/").sentence(), HasSubstr("expected a regular file"));
}

}  // namespace
}  // namespace lintel::mpi::impi
