// `conform` over a suite that is made of links.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "program_run.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

// x' = -x as a model of its own, and one whose only part is that model in the file beside it.
void write_sbml_case(const Scratch& s) {
  const std::string core = "http://www.sbml.org/sbml/level3/version1/core",
                    comp = "http://www.sbml.org/sbml/level3/version1/comp/version1";
  const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sbml xmlns=\"" + core +
                           "\" level=\"3\" version=\"1\"";
  s.write("part.xml", head +
                          "><model id=\"part\"><listOfParameters><parameter id=\"x\" value=\"1\" "
                          "constant=\"false\"/></listOfParameters><listOfRules><rateRule "
                          "variable=\"x\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\">"
                          "<apply><minus/><ci>x</ci></apply></math></rateRule></listOfRules>"
                          "</model></sbml>\n");
  s.write("00001-sbml-l3v1.xml",
          head + " xmlns:comp=\"" + comp +
              "\" comp:required=\"true\"><model id=\"whole\"><comp:listOfSubmodels><comp:submodel "
              "comp:id=\"A\" comp:modelRef=\"p\"/></comp:listOfSubmodels></model>"
              "<comp:listOfExternalModelDefinitions><comp:externalModelDefinition comp:id=\"p\" "
              "comp:source=\"part.xml\"/></comp:listOfExternalModelDefinitions></sbml>\n");
  s.write("00001-settings.txt",
          "start: 0\nduration: 1\nsteps: 1\nvariables: A__x\nabsolute: 1e-6\nrelative: 1e-4\n"
          "amount:\nconcentration:\n");
  s.write("00001-results.csv", "time,A__x\n0,1\n1,0.36787944117144233\n");
}

TEST(Conform, FollowsLinksToFoldersAndFiles) {
  const Scratch real, suite;
  write_sbml_case(real);
  const fs::path links = suite.folder();
  fs::create_directories(links / "files" / "00001");
  for (const char* file : {"00001-sbml-l3v1.xml", "00001-settings.txt", "00001-results.csv"})
    fs::create_symlink(fs::path(real.folder()) / file, links / "files" / "00001" / file);
  fs::create_directories(links / "folders");
  fs::create_directory_symlink(real.folder(), links / "folders" / "00001");
  for (const char* kind : {"files", "folders"}) {
    const ProgramRun run = suite.stiffit("conform sbml " + std::string(kind));
    EXPECT_EQ(run.exit_code, 0) << run.out << run.messages;
    EXPECT_NE(run.out.find("1 passed, 0 failed, 0 skipped"), std::string::npos) << run.out;
  }
}

TEST(Conform, FindsPetabCasesBehindLinksThatGoRound) {
  const Scratch real, suite;
  real.write("_0001.yaml",
             "format_version: 2.0.0\nparameter_files: [p.tsv]\nmodel_files:\n  m:\n"
             "    location: model.ant\n    language: antimony\nmeasurement_files: [m.tsv]\n"
             "observable_files: [o.tsv]\nexperiment_files: []\ncondition_files: []\n");
  real.write("model.ant", "A -> ; (k)\nA = 5; k = 2\n");
  real.write("p.tsv",
             "parameterId\tlowerBound\tupperBound\tnominalValue\testimate\nk\t0\t9\t2\ttrue\n");
  real.write("o.tsv", "observableId\tobservableFormula\tnoiseFormula\nobs\tA\t1\n");
  real.write("m.tsv", "observableId\texperimentId\ttime\tmeasurement\nobs\t\t1\t3\n");
  real.write("_0001_solution.yaml", "chi2: 0\ntol_chi2: 1e-6\n");
  const fs::path links = suite.folder();
  fs::create_directory_symlink(real.folder(), links / "0001");
  fs::create_directory_symlink(links, links / "round");
  const ProgramRun run = suite.stiffit("conform petab .");
  EXPECT_EQ(run.exit_code, 0) << run.out << run.messages;
  EXPECT_NE(run.out.find("1 passed, 0 failed, 0 skipped"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace stiffit::internal
