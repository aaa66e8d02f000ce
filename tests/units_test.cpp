// Units of the models at hand: nothing fails, and what we warn of libSBML finds odd as well.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sbml/SBMLTypes.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "io/files/load_model.h"
#include "places.h"
#include "symbolic/checks/check_units.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;
const fs::path shared = shared_path("");

std::vector<fs::path> files_below(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::recursive_directory_iterator(folder, missing))
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::size_t findings(const ReadModel& read) {
  Diagnostics diagnostics(read.diagnostics.shared_source());
  check_units(*read.model, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  return diagnostics.items().size();
}

bool libsbml_finds_something(const fs::path& path) {
  std::unique_ptr<SBMLDocument> document(readSBMLFromFile(path.c_str()));
  for (int category = LIBSBML_CAT_GENERAL_CONSISTENCY; category <= LIBSBML_CAT_MODELING_PRACTICE;
       ++category)
    document->setConsistencyChecks(static_cast<SBMLErrorCategory_t>(category),
                                   category == LIBSBML_CAT_UNITS_CONSISTENCY);
  document->checkConsistency();
  for (unsigned i = 0; i < document->getNumErrors(); ++i)
    if (document->getError(i)->getCategory() == LIBSBML_CAT_UNITS_CONSISTENCY) return true;
  return false;
}

TEST(Units, CuratedModelsAgreeWithLibsbml) {
  auto files = files_below(shared / "biomodels", ".xml");
  STIFFIT_NEEDS_SHARED("biomodels");
  ASSERT_FALSE(files.empty());
  int odd = 0;
  for (const fs::path& file : files) {
    ReadModel read = read_model(file.string());
    ASSERT_TRUE(read.model) << file;
    if (findings(read) == 0) continue;
    ++odd;
    EXPECT_TRUE(libsbml_finds_something(file)) << file;
  }
  EXPECT_GE(odd, 10);
  EXPECT_LE(odd, 40);
}

TEST(Units, TheSuiteIsCheckedWithoutTrouble) {
  auto files = files_below(shared / "sbml-suite", ".xml");
  STIFFIT_NEEDS_SHARED("sbml-suite");
  ASSERT_FALSE(files.empty());
  int checked = 0;
  for (std::size_t i = 0; i < files.size(); i += 7) {
    ReadModel read = read_model(files[i].string());
    if (!read.model) continue;
    findings(read);
    ++checked;
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace stiffit::internal
