// SPDX-License-Identifier: Apache-2.0
#include "io/files/load_model.h"

#include <gtest/gtest.h>

#include "model/library/library.h"

namespace stiffit::internal {
namespace {

TEST(LoadModel, ContentDecidesBeforeTheEnding) {
  EXPECT_EQ(kind_of_model("m.txt", "<?xml version='1.0'?>\n<sbml>"), ModelKind::sbml);
  EXPECT_EQ(kind_of_model("m.ant", "\n  <sbml level='2'>"), ModelKind::sbml);
  EXPECT_EQ(kind_of_model("m", "# a network\n begin  parameters\n"), ModelKind::bng);
  EXPECT_EQ(kind_of_model("m.NET", "nothing known"), ModelKind::bng);
  EXPECT_EQ(kind_of_model("m.xml", ""), ModelKind::sbml);
  EXPECT_EQ(kind_of_model("m.ant", "A -> B; k"), ModelKind::text);
  EXPECT_EQ(kind_of_model("m", "beginning = 3; begin_species = 2"), ModelKind::text);
}

TEST(LoadModel, EveryLibraryModelLoadsWithoutAWord) {
  for (const LibraryModel& entry : library_models()) {
    LoadedModel loaded = load_model(std::string(entry.name));
    EXPECT_EQ(loaded.warnings, "") << entry.name;
    EXPECT_EQ(loaded.model->title, entry.title);
  }
}

TEST(LoadModel, UnknownSubmodelIsAnError) {
  EXPECT_THROW(load_model("escep#nothing"), InputError);
  EXPECT_EQ(load_model("escep#escep").model->id, "escep");
}

}  // namespace
}  // namespace stiffit::internal
