// Models made of models, and of several files.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/text/read_text.h"

namespace stiffit::internal {
namespace {

const std::string part_model =
    "model part(S, k)\n J0: S + E -> C; k*S*E - b*C\n C -> ; b\n S = 5; E = 3; C = 1; k = 1.2; "
    "b = 0.4\nend\n";

struct Reading {
  std::optional<Model> model;
  std::string findings;
};

Reading reading_of(const std::string& text, const std::string& folder = {},
                   std::string name = "m.rxn", const std::string& pick = {}) {
  auto source = std::make_shared<const Source>(std::move(name), text);
  Diagnostics diagnostics(source);
  Reading result;
  result.model = read_text(source, diagnostics, pick, {}, folder);
  result.findings = render(diagnostics);
  return result;
}

Model sound(const std::string& text) {
  Reading reading = reading_of(text);
  EXPECT_EQ(reading.findings, "");
  return reading.model.value_or(Model());
}

double value(const Model& m, const std::string& id) {
  Ref ref = m.find(id);
  std::size_t i = ref.index;
  if (ref.kind == SymbolKind::species) return m.species[i].initial;
  if (ref.kind == SymbolKind::parameter) return m.parameters[i].value;
  if (ref.kind == SymbolKind::compartment) return m.compartments[i].size;
  return not_set;
}

TEST(Modules, PartsHaveTheirSubmodelsName) {
  Model m = sound(part_model + "model whole\n A: part()\n B: part()\n B.E = 10\nend");
  EXPECT_EQ(m.species.size(), 6u);
  EXPECT_EQ(value(m, "A.E"), 3);
  EXPECT_EQ(value(m, "B.E"), 10);
  EXPECT_EQ(m.find("A.J0").kind, SymbolKind::reaction);
  EXPECT_EQ(m.find("B._J0").kind, SymbolKind::reaction);
}

TEST(Modules, ArgumentsAndIsMakeNamesOne) {
  Model m = sound(part_model +
                  "model whole\n species X = 7\n A: part(X, q)\n B: part(X, 2)\n q = 9\n"
                  " A.E is B.E\nend");
  EXPECT_EQ(m.species.size(), 4u);  // X, B.E, A.C, B.C
  EXPECT_EQ(value(m, "X"), 7);
  EXPECT_EQ(value(m, "B.E"), 3);
  EXPECT_EQ(value(m, "B.k"), 2);
  EXPECT_EQ(m.find("A.k").kind, SymbolKind::none);
  EXPECT_EQ(m.reactions[0].reactants[0].species, m.reactions[2].reactants[0].species);
}

TEST(Modules, TheOuterModelCounts) {
  Model m = sound(part_model +
                  "model whole\n A: part()\n A.k := 2*time\n A.J0 = A.k\n delete A._J0\n"
                  " W: inner()\nend\n"
                  "model inner\n B: part()\n B.S := 3; const B.S\n B.b = 1\nend\nmodel *top\n"
                  " T: whole()\n T.W.B.b = 8\n T.W.B.S = 4\nend");
  EXPECT_EQ(value(m, "T.W.B.b"), 8);
  EXPECT_EQ(value(m, "T.W.B.S"), 4);
  EXPECT_EQ(m.find("T.A._J0").kind, SymbolKind::none);
  ASSERT_EQ(m.rules.size(), 1u);
  EXPECT_EQ(m.id_of(m.rules[0].target), "T.A.k");
  auto& rate = m.reactions[m.find("T.A.J0").index];
  EXPECT_EQ(m.expressions[rate.rate].op, Op::symbol);
}

TEST(Modules, CompartmentsUnitsEventsAndFastReactions) {
  Model m = sound(
      "model part\n #: fast J\n unit per_s = 1/second\n J: S -> P; S - P\n S = 1; P = 0; t = 1 "
      "per_s\n at (time > t): S = 3\nend\nmodel whole\n compartment c = 2\n A in c: part()\nend");
  EXPECT_EQ(m.species[0].compartment, 0);
  EXPECT_TRUE(m.reactions[0].fast);
  EXPECT_EQ(m.events[0].id, "A._E0");
  EXPECT_TRUE(m.unit_named("per_s"));
}

TEST(Modules, NestingIsLimited) {
  std::string text = "model m0\n x = 1\nend\n";
  for (int i = 1; i < 60; ++i) {
    std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += "model m" + n + "\n A: m" + before + "()\n B: m" + before + "()\nend\n";
  }
  Reading reading = reading_of(text);
  EXPECT_FALSE(reading.model);
  EXPECT_NE(reading.findings.find("too many submodels"), std::string::npos);
}

class Imports : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / ("stiffit-import-" + std::to_string(getpid()));
    std::filesystem::create_directories(root_ / "inside" / "deep");
    put("inside/part.rxn", part_model);
    put("inside/deep/more.rxn", "import \"../part.rxn\"\nmodel more\n A: part()\n A.E = q\nend\n");
    put("inside/model.xml", "<?xml version=\"1.0\"?><sbml/>");
    put("outside.rxn", part_model);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void put(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name) << text;
  }
  Reading read_here(const std::string& text, const std::string& pick = {}) {
    return reading_of(text, (root_ / "inside").string(), "m.rxn", pick);
  }
  std::filesystem::path root_;
};

TEST_F(Imports, AreReadOnceAndRelativeToTheirFile) {
  Reading r = read_here(
      "import \"deep/more.rxn\"\nimport \"part.rxn\"\nmodel m\n M: more()\n P: part()\n M.q = 2\n"
      "end");
  ASSERT_TRUE(r.model) << r.findings;
  EXPECT_EQ(r.findings, "");
  EXPECT_EQ(value(*r.model, "M.q"), 2);
  EXPECT_EQ(value(*r.model, "P.E"), 3);
  EXPECT_EQ(read_here("import \"part.rxn\"\n", "part").model->id, "part");
}

TEST_F(Imports, FindingsNameTheFile) {
  Reading r = read_here("import \"deep/more.rxn\"\nmodel m\n M: more()\nend");
  EXPECT_FALSE(r.model);
  EXPECT_NE(r.findings.find("unknown name 'M.q'\n  deep/more.rxn:4:8\n  4 |  A.E = q"),
            std::string::npos)
      << r.findings;
}

TEST_F(Imports, NothingElseIsRead) {
  std::filesystem::create_symlink(root_ / "outside.rxn", root_ / "inside" / "link.rxn");
  for (const std::string& name :
       {std::string("../outside.rxn"), (root_ / "outside.rxn").string(), std::string("link.rxn"),
        std::string("file:part.rxn"), std::string("http://localhost/part.rxn")})
    EXPECT_NE(read_here("import \"" + name + "\"\nx = 1").findings.find("own folder"),
              std::string::npos)
        << name;
  EXPECT_NE(read_here("import \"model.xml\"\nx = 1").findings.find("only text models"),
            std::string::npos);
  EXPECT_NE(reading_of("import \"part.rxn\"\nx = 1").findings.find("own folder"),
            std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
