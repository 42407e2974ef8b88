#include "mpi_layer/impi/label_collection.h"

#include <gmock/gmock.h>

namespace lintel::mpi::impi {

void PrintTo(const LabelSet& set, std::ostream* out) {
  *out << text_of_label(set.label) << " mask " << set.mask << " '" << set.contributions << "'";
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Set = LabelSet;

constexpr Label kBeyond = 0x7000;  // beyond all labels of IMPI 0.0
constexpr Label kNext = 0x7001;

TEST(LabelCollection, ASetIsCompleteWhenTheLastClientHasContributed) {
  LabelCollection collection(3);
  EXPECT_EQ(collection.add(2, kVersion, "c"), "");
  EXPECT_EQ(collection.add(0, kVersion, "aa"), "");
  EXPECT_THAT(collection.take_complete(), IsEmpty());
  EXPECT_EQ(collection.add(1, kVersion, ""), "");
  EXPECT_THAT(collection.take_complete(), ElementsAre(Set{kVersion, 7, "aac"}));
  EXPECT_THAT(collection.take_complete(), IsEmpty());
}

TEST(LabelCollection, ALabelThatAClientHasGonePastIsCompleteWithoutIt) {
  LabelCollection collection(2);
  EXPECT_EQ(collection.add(0, kVersion, "v"), "");
  EXPECT_EQ(collection.add(0, kClientHosts, "h"), "");
  EXPECT_THAT(collection.take_complete(), IsEmpty());
  EXPECT_EQ(collection.add(1, kClientHosts, "i"), "");
  EXPECT_THAT(collection.take_complete(),
              ElementsAre(Set{kVersion, 1, "v"}, Set{kClientHosts, 3, "hi"}));
}

TEST(LabelCollection, AnsweringGoesAsFarAsTheSlowestClient) {
  LabelCollection collection(2);
  EXPECT_EQ(collection.add(0, kVersion, "v"), "");
  EXPECT_EQ(collection.add(0, kClientHosts, "h"), "");
  EXPECT_EQ(collection.add(1, kVersion, "w"), "");
  EXPECT_THAT(collection.take_complete(), ElementsAre(Set{kVersion, 3, "vw"}));
  EXPECT_TRUE(collection.is_waiting(0));
  EXPECT_FALSE(collection.is_waiting(1));
}

TEST(LabelCollection, LabelsOfImpiThatNobodyHasSentAreEmptySets) {
  LabelCollection collection(1);
  EXPECT_EQ(collection.add(0, kClientProcs, "p"), "");
  EXPECT_THAT(
      collection.take_complete(),
      ElementsAre(Set{kVersion, 0, ""}, Set{kClientHosts, 0, ""}, Set{kClientProcs, 1, "p"}));
}

TEST(LabelCollection, TheEndOfAllClientsCompletesEverything) {
  LabelCollection collection(2);
  EXPECT_EQ(collection.add(0, kProcAddress, "x"), "");
  EXPECT_EQ(collection.finish(0), "");
  EXPECT_FALSE(collection.all_finished());
  EXPECT_THAT(collection.take_complete(), IsEmpty());
  EXPECT_EQ(collection.finish(1), "");
  EXPECT_TRUE(collection.all_finished());
  const auto sets = collection.take_complete();
  ASSERT_EQ(sets.size(), labels().size());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(sets[i].label, labels()[i].label);
    EXPECT_EQ(sets[i].mask, sets[i].label == kProcAddress ? 1U : 0U);
  }
}

TEST(LabelCollection, LabelsThatAreUnknownArePassedOnLikeAnyOther) {
  LabelCollection collection(2);
  for (const unsigned client : {0U, 1U}) EXPECT_EQ(collection.add(client, kProcPid, ""), "");
  EXPECT_EQ(collection.take_complete().size(), labels().size());
  for (const unsigned client : {0U, 1U}) EXPECT_EQ(collection.add(client, kBeyond, "u"), "");
  EXPECT_THAT(collection.take_complete(), ElementsAre(Set{kBeyond, 3, "uu"}));
}

TEST(LabelCollection, OnlyAscendingLabelsAreTaken) {
  LabelCollection collection(2);
  EXPECT_EQ(collection.add(0, kClientProcs, "p"), "");
  EXPECT_EQ(collection.add(0, kClientHosts, "h"),
            "it sent label IMPI_C_NHOSTS (0x1100) after IMPI_C_NPROCS (0x1200); expected ascending "
            "labels");
  EXPECT_EQ(collection.add(0, kClientProcs, "q"),
            "it sent label IMPI_C_NPROCS (0x1200) after IMPI_C_NPROCS (0x1200); expected ascending "
            "labels");
  EXPECT_EQ(collection.add(1, -1, "x"), "it sent label 0xffffffff first; expected a label above 0");
  EXPECT_EQ(collection.add(1, kClientProcs, "r"), "");
  EXPECT_EQ(collection.take_complete().back(), (Set{kClientProcs, 3, "pr"}));
}

TEST(LabelCollection, NothingComesAfterTheEnd) {
  LabelCollection collection(2);
  EXPECT_EQ(collection.finish(0), "");
  EXPECT_EQ(collection.add(0, kVersion, ""), "it sent label IMPI_C_VERSION (0x1000) after DONE");
  EXPECT_EQ(collection.finish(0), "it sent DONE twice");
}

TEST(LabelCollection, TheReservedLabelIsSentToNobody) {
  LabelCollection collection(1);
  EXPECT_EQ(collection.add(0, kNoLabel, "x"), "");
  EXPECT_THAT(collection.take_complete(), IsEmpty());
  EXPECT_EQ(collection.add(0, kVersion, "v"), "");
  EXPECT_THAT(collection.take_complete(), ElementsAre(Set{kVersion, 1, "v"}));
}

TEST(LabelCollection, WhatAClientMayContributeIsBounded) {
  LabelCollection collection(2);
  const std::string much(kMaxContributionBytes, 'm');
  const auto times = static_cast<Label>(kMaxClientBytes / kMaxContributionBytes);
  for (Label i = 0; i < times; ++i) EXPECT_EQ(collection.add(0, kBeyond + i, much), "");
  EXPECT_EQ(collection.add(0, kBeyond + times, "m"),
            "it sent labels with more than 4194304 bytes together");
  for (std::size_t i = 0; i < kMaxClientLabels; ++i)
    EXPECT_EQ(collection.add(1, kBeyond + static_cast<Label>(i), ""), "");
  EXPECT_EQ(collection.add(1, kBeyond + 0x1000, ""), "it sent more than 256 labels");
}

TEST(LabelCollection, AForgottenClientBeginsAnew) {
  LabelCollection collection(2);
  EXPECT_EQ(collection.add(0, kBeyond, "old"), "");
  EXPECT_EQ(collection.add(1, kBeyond, "b"), "");
  EXPECT_EQ(collection.finish(0), "");
  collection.forget(0);
  EXPECT_FALSE(collection.is_finished(0));
  EXPECT_THAT(collection.take_complete(), IsEmpty());
  EXPECT_EQ(collection.add(0, kNext, "new"), "");
  const auto sets = collection.take_complete();
  EXPECT_EQ(sets.back(), (Set{kBeyond, 2, "b"}));
}

}  // namespace
}  // namespace lintel::mpi::impi
