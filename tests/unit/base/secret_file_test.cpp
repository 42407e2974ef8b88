// Which files are accepted as secrets, and what is said about the others.

#include "base/secret_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temporary_folder.h"

namespace lintel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SecretFile : public ::testing::Test {
 protected:
  void write(const std::string& content, mode_t mode = 0600) {
    std::ofstream(path_) << content;
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  void expect_refused(const std::string& what) {
    const SecretReading reading = read_secret_file(path_);
    EXPECT_THAT(reading.secret, IsEmpty());
    EXPECT_THAT(reading.problem, AllOf(HasSubstr(path_), HasSubstr(what), HasSubstr("expected")));
  }

  lintel::testing::TemporaryFolder folder_;
  const std::string path_ = folder_.file("secret");
};

const std::string kText = "sixteen bytes!!\n";

TEST_F(SecretFile, AllBytesOfAFileOfTheUserAloneAreTheSecret) {
  for (const mode_t mode : {mode_t{0600}, mode_t{0400}}) {
    write(kText, mode);
    const SecretReading reading = read_secret_file(path_);
    EXPECT_EQ(reading.problem, "");
    EXPECT_EQ(
        std::string(reinterpret_cast<const char*>(reading.secret.data()), reading.secret.size()),
        kText);
    std::filesystem::remove(path_);
  }
}

TEST_F(SecretFile, FileThatOthersMayUseIsRefused) {
  for (const mode_t mode : {mode_t{0640}, mode_t{0604}, mode_t{0620}, mode_t{0601}}) {
    write(kText, mode);
    expect_refused("expected 0600 or 0400");
    std::filesystem::remove(path_);
  }
}

TEST_F(SecretFile, FileThatDoesNotExistIsRefused) { expect_refused("No such file"); }

TEST_F(SecretFile, ShortSecretIsRefused) {
  write("fifteen bytes!!");
  expect_refused("has 15 bytes; expected 16 to 4096");
}

TEST_F(SecretFile, LongSecretIsRefused) {
  write(std::string(kMostSecretBytes + 1, 'x'));
  expect_refused("has too many bytes; expected 16 to 4096");
}

TEST_F(SecretFile, WhatIsNoFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  expect_refused("is no regular file");
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  expect_refused("is no regular file");
}

TEST_F(SecretFile, FileOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a file of another user";
  write(kText);
  ASSERT_EQ(::chown(path_.c_str(), 12345, 0), 0);
  expect_refused("belongs to user 12345");
}

}  // namespace
}  // namespace lintel
