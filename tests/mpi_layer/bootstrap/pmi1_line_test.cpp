#include "mpi_layer/bootstrap/pmi1_line.h"

#include <gmock/gmock.h>

#include "mpi_layer/bootstrap/pmi1_line_reader.h"

namespace lintel::mpi {
namespace {

using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::Pointee;

Pmi1Line accepted_line(std::string_view text) {
  std::string problem;
  const auto line = parse_pmi1_line(text, problem);
  EXPECT_TRUE(line.has_value()) << text << ": " << problem;
  return line.value_or(Pmi1Line(""));
}

std::string refused_line(std::string_view text) {
  std::string problem;
  EXPECT_FALSE(parse_pmi1_line(text, problem).has_value()) << text;
  return problem;
}

TEST(Pmi1Line, HasACommandAndPairs) {
  const Pmi1Line line = accepted_line("cmd=put kvsname=job_7 key=card-0 value=6c69");
  EXPECT_EQ(line.command(), "put");
  EXPECT_THAT(line.find("kvsname"), Pointee(std::string("job_7")));
  EXPECT_THAT(line.find("value"), Pointee(std::string("6c69")));
  EXPECT_THAT(line.find("cmd"), IsNull());
  EXPECT_THAT(line.find("rc"), IsNull());
}

TEST(Pmi1Line, IsReadBackAsItIsWritten) {
  const Pmi1Line line = Pmi1Line("get_result")
                            .add("rc", "0")
                            .add("msg", "all is well")
                            .add("value", "(vector,(0,1,4))")
                            .add("empty", "");
  EXPECT_EQ(line.text(), "cmd=get_result rc=0 msg=all is well value=(vector,(0,1,4)) empty=\n");
  const std::string text = line.text();
  EXPECT_EQ(accepted_line(std::string_view(text).substr(0, text.size() - 1)), line);
}

TEST(Pmi1Line, TheCommandMayStandAnywhereAndBlanksMayBeMany) {
  EXPECT_EQ(accepted_line("  rc=0   cmd=maxes  vallen_max=1024 "),
            Pmi1Line("maxes").add("rc", "0").add("vallen_max", "1024"));
}

TEST(Pmi1Line, FreeTextEndsWhereTheNextPairBegins) {
  const Pmi1Line line = accepted_line("cmd=get_result rc=-1 msg=key not found value=unknown");
  EXPECT_THAT(line.find("msg"), Pointee(std::string("key not found")));
  EXPECT_THAT(line.find("value"), Pointee(std::string("unknown")));
  EXPECT_THAT(accepted_line("cmd=abort exitcode=1 message=out of memory").find("message"),
              Pointee(std::string("out of memory")));
}

TEST(Pmi1Line, ATextMayHoldAnEqualsSign) {
  EXPECT_THAT(accepted_line("cmd=put value=a=b").find("value"), Pointee(std::string("a=b")));
}

TEST(Pmi1Line, ANumberIsDecimalAndNotAboveItsMaximum) {
  const Pmi1Line line = accepted_line("cmd=maxes a=1024 b=1025 c=-1 d=1k e=");
  EXPECT_EQ(line.number("a", 1024), 1024U);
  for (const char* key : {"b", "c", "d", "e", "absent"})
    EXPECT_EQ(line.number(key, 1024), std::nullopt) << key;
}

TEST(Pmi1Line, WhatIsMalformedIsRefusedWithWhatIsWrong) {
  EXPECT_THAT(refused_line(""), HasSubstr("names no command"));
  EXPECT_THAT(refused_line("   "), HasSubstr("names no command"));
  EXPECT_THAT(refused_line("rc=0 value=x"), HasSubstr("names no command"));
  EXPECT_THAT(refused_line("cmd="), HasSubstr("names no command"));
  EXPECT_THAT(refused_line("mcmd=spawn"), HasSubstr("names no command"));
  EXPECT_THAT(refused_line("cmd=put word"), HasSubstr("'word' is no key with a value"));
  EXPECT_THAT(refused_line("cmd=put =text"), HasSubstr("'' is no key with a value"));
  EXPECT_THAT(refused_line("cmd=put k\xc3\xa4y=text"), HasSubstr("is no key with a value"));
  EXPECT_THAT(refused_line("cmd=put key=a key=b"), HasSubstr("'key' is there twice"));
  EXPECT_THAT(refused_line("cmd=put cmd=get"), HasSubstr("'cmd' is there twice"));
  EXPECT_THAT(refused_line("cmd=put key=a\tb"), HasSubstr("control character"));
  EXPECT_THAT(refused_line(std::string_view("cmd=put\0key=a", 13)), HasSubstr("control character"));
}

TEST(Pmi1Line, ALineOfTheGreatestLengthIsAcceptedAndALongerOneRefused) {
  std::string line = "cmd=put value=";
  line.resize(kMaxPmi1LineBytes, 'x');
  accepted_line(line);
  EXPECT_THAT(refused_line(line + "x"), HasSubstr("it has 4097 bytes; expected at most 4096"));
}

TEST(Pmi1Line, AQuotedLineIsShortAndPrintable) {
  EXPECT_EQ(quoted_pmi1("a\tb\x7f\n"), "a?b?");
  EXPECT_EQ(quoted_pmi1(std::string(200, 'x')), std::string(120, 'x') + "...");
}

TEST(Pmi1LineReader, JoinsWhatComesInPieces) {
  Pmi1LineReader reader;
  for (const char c : std::string("cmd=init")) {
    reader.append({&c, 1});
    EXPECT_EQ(reader.next(), std::nullopt);
  }
  reader.append("\ncmd=fin");
  EXPECT_EQ(reader.next(), "cmd=init");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.rest(), "cmd=fin");
  EXPECT_FALSE(reader.too_long());
}

TEST(Pmi1LineReader, SeparatesWhatComesTogether) {
  Pmi1LineReader reader;
  reader.append("one\n\nthree\n");
  EXPECT_EQ(reader.next(), "one");
  EXPECT_EQ(reader.next(), "");
  EXPECT_EQ(reader.next(), "three");
  EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(Pmi1LineReader, ALineThatIsTooLongIsFoundBeforeItsEndHasCome) {
  Pmi1LineReader reader;
  reader.append("short\n" + std::string(kMaxPmi1LineBytes, 'x'));
  EXPECT_EQ(reader.next(), "short");
  EXPECT_FALSE(reader.too_long());
  reader.append("x");
  EXPECT_TRUE(reader.too_long());
  reader.append("\nshort\n");
  EXPECT_TRUE(reader.too_long());
  EXPECT_EQ(reader.next(), std::nullopt);
}

}  // namespace
}  // namespace lintel::mpi
