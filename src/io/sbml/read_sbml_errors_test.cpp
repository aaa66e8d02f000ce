// What a person is told about a file that cannot be used, and where.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/sbml/read_sbml.h"

namespace stiffit::internal {
namespace {

struct Outcome {
  bool read = false;
  std::string messages;
  std::vector<std::string> parameters;
};

Outcome outcome_of(const std::string& text, const std::string& folder = {},
                   const std::string& submodel = {}) {
  auto source = std::make_shared<const Source>("m.xml", text);
  Diagnostics diagnostics(source);
  auto model = read_sbml(source, diagnostics, folder, submodel);
  EXPECT_EQ(model.has_value(), !diagnostics.has_errors());
  Outcome outcome{model.has_value(), render(diagnostics), {}};
  if (model)
    for (const Parameter& p : model->parameters) outcome.parameters.push_back(p.id);
  return outcome;
}

std::string level3(const std::string& inside, const std::string& attributes = "") {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version2/core\" level=\"3\" version=\"2\"" +
         attributes + ">\n<model>\n" + inside + "\n</model>\n</sbml>\n";
}

std::string rule(const std::string& variable, const std::string& math) {
  return "<listOfParameters><parameter id=\"rate\" value=\"1\" constant=\"false\"/>"
         "</listOfParameters>\n<listOfRules>\n<rateRule variable=\"" +
         variable + "\"><math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + math +
         "</math></rateRule></listOfRules>";
}

void expect_error(const Outcome& outcome, const std::string& message) {
  EXPECT_FALSE(outcome.read);
  EXPECT_NE(outcome.messages.find(message), std::string::npos) << "wanted: " << message << "\n"
                                                               << outcome.messages;
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ReadSbmlErrors, UnknownNamesHaveAPlaceAndAGuess) {
  Outcome outcome = outcome_of(level3(rule("rate", "<ci>rats</ci>")));
  EXPECT_FALSE(outcome.read);
  EXPECT_NE(outcome.messages.find("error: unknown name 'rats' in the mathematics\n  m.xml:6:1\n"),
            std::string::npos)
      << outcome.messages;
  EXPECT_NE(outcome.messages.find("did you mean 'rate'?"), std::string::npos) << outcome.messages;
}

TEST(ReadSbmlErrors, AllFindingsAtOnce) {
  Outcome outcome = outcome_of(level3(rule("nothing", "<apply><ci>f</ci><ci>x</ci></apply>")));
  expect_error(outcome, "a rule sets 'nothing'");
  expect_error(outcome, "unknown function 'f'");
}

const std::string mathml = "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">";

std::string set(const std::string& element, const std::string& attribute,
                const std::string& value) {
  return "<" + element + " " + attribute + "=\"p\">" + mathml + "<cn>" + value + "</cn></math></" +
         element + ">";
}

const std::string one_variable =
    "<listOfParameters><parameter id=\"p\" value=\"1\" constant=\"false\"/></listOfParameters>\n";

// libSBML reads them all; whichever value was taken would be a guess.
TEST(ReadSbmlErrors, TwoValuesForOneThing) {
  expect_error(
      outcome_of(level3(one_variable + "<listOfRules>" + set("assignmentRule", "variable", "1") +
                        set("rateRule", "variable", "2") + "</listOfRules>")),
      "a second rule for 'p'");
  expect_error(
      outcome_of(level3(one_variable + "<listOfInitialAssignments>" +
                        set("initialAssignment", "symbol", "1") +
                        set("initialAssignment", "symbol", "2") + "</listOfInitialAssignments>")),
      "a second initial assignment for 'p'");
  expect_error(outcome_of(level3(one_variable + "<listOfInitialAssignments>" +
                                 set("initialAssignment", "symbol", "1") +
                                 "</listOfInitialAssignments><listOfRules>" +
                                 set("assignmentRule", "variable", "2") + "</listOfRules>")),
               "a rule and an initial assignment for 'p'");
  expect_error(outcome_of(level3(one_variable +
                                 "<listOfEvents><event id=\"e\" useValuesFromTriggerTime=\"true\">"
                                 "<trigger initialValue=\"true\" persistent=\"true\">" +
                                 mathml + "<true/></math></trigger><listOfEventAssignments>" +
                                 set("eventAssignment", "variable", "1") +
                                 set("eventAssignment", "variable", "2") +
                                 "</listOfEventAssignments></event></listOfEvents>")),
               "a second assignment of event 'e' for 'p'");
  expect_error(
      outcome_of(
          level3("<listOfCompartments><compartment id=\"c\" size=\"1\" constant=\"true\"/>"
                 "</listOfCompartments><listOfSpecies><species id=\"p\" compartment=\"c\" "
                 "initialAmount=\"1\" hasOnlySubstanceUnits=\"false\" boundaryCondition=\"false\" "
                 "constant=\"false\"/></listOfSpecies><listOfRules>" +
                 set("rateRule", "variable", "2") +
                 "</listOfRules><listOfReactions><reaction id=\"r\" reversible=\"false\">"
                 "<listOfReactants><speciesReference species=\"p\" stoichiometry=\"1\" "
                 "constant=\"true\"/></listOfReactants></reaction></listOfReactions>")),
      "a rule for species 'p' that reactions change");
}

// The function that is called comes after the one that calls it.
TEST(ReadSbmlErrors, CallsWithTheWrongNumberOfArguments) {
  auto function = [](const std::string& id, const std::string& body) {
    return "<functionDefinition id=\"" + id + "\">" + mathml + "<lambda><bvar><ci>x</ci></bvar>" +
           body + "</lambda></math></functionDefinition>";
  };
  expect_error(outcome_of(level3("<listOfFunctionDefinitions>" +
                                 function("f", "<apply><ci>g</ci><ci>x</ci><ci>x</ci></apply>") +
                                 function("g", "<ci>x</ci>") + "</listOfFunctionDefinitions>")),
               "function 'g' is called with 2 arguments");
  expect_error(
      outcome_of(level3("<listOfFunctionDefinitions>" + function("f", "<apply><ci>g</ci></apply>") +
                        function("g", "<ci>x</ci>") + "</listOfFunctionDefinitions>")),
      "function 'g' is called with 0 arguments");
}

TEST(ReadSbmlErrors, ArgumentsWithoutAName) {
  expect_error(
      outcome_of(level3("<listOfFunctionDefinitions><functionDefinition id=\"f\">" + mathml +
                        "<lambda><bvar><cn>1</cn></bvar><cn>2</cn></lambda></math>"
                        "</functionDefinition></listOfFunctionDefinitions>")),
      "an argument of function 'f' is no name");
}

TEST(ReadSbmlErrors, ANamespaceOfAnotherLevel) {
  auto file = [](const std::string& attributes) {
    return outcome_of("<?xml version=\"1.0\"?>\n<sbml " + attributes + "><model/></sbml>\n");
  };
  const Outcome outcome =
      file("xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"2\" version='4'");
  expect_error(outcome, "the namespace is not that of Level 2 Version 4\n  m.xml:2:1\n");
  expect_error(outcome, "expected xmlns=\"http://www.sbml.org/sbml/level2/version4\"");
  expect_error(file("level = \"3\" version=\"1\" xmlns=\"3\""), "the namespace is not that of");
  expect_error(file("xmlns=\"http://www.sbml.org/sbml/level2\" level=\"2\" version=\"9\""),
               "there is no SBML Level 2 Version 9");
}

TEST(ReadSbmlErrors, FilesThatAreNoSbml) {
  expect_error(outcome_of(""), "the file is empty");
  expect_error(outcome_of("junk"), "this is not an SBML file");
  expect_error(outcome_of("<html><br><p>x</html>"), "this is not an SBML file");
  expect_error(outcome_of(std::string("<sbml>\0</sbml>", 14)), "zero byte");
  expect_error(outcome_of("<?xml version=\"1.0\"?><sbml/>"), "error");
}

TEST(ReadSbmlErrors, EveryTruncationIsAnErrorNotACrash) {
  std::string whole = level3("<!-- why --><notes><![CDATA[ > ]]></notes>" +
                             rule("rate", "<apply><sin/><cn>1</cn></apply>"));
  ASSERT_TRUE(outcome_of(whole).read) << outcome_of(whole).messages;
  const std::size_t last = whole.rfind("</sbml>");
  for (std::size_t size = 1; size < last; size += 7)
    EXPECT_FALSE(outcome_of(whole.substr(0, size)).read) << size;
  expect_error(outcome_of(whole.substr(0, last)), "the file ends before <sbml> closes");
}

TEST(ReadSbmlErrors, BadlyNestedTags) {
  expect_error(outcome_of(level3("<listOfRules></listOfrules>")),
               "expected </listOfRules>, opened on line 4");
}

TEST(ReadSbmlErrors, EntitiesAreRefusedAndNeverFetched) {
  std::string text = level3("");
  text.insert(text.find("<sbml"),
              "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b SYSTEM \"file:///etc/passwd\">]>\n");
  Outcome outcome = outcome_of(text);
  expect_error(outcome, "document types and entities are not read\n  m.xml:2:1");
}

TEST(ReadSbmlErrors, NestingBeyondTheStack) {
  expect_error(outcome_of(level3(rule("rate", repeated("<apply><sin/>", 100000) + "<cn>1</cn>" +
                                                  repeated("</apply>", 100000)))),
               "nested too deeply");
  EXPECT_TRUE(outcome_of(level3(rule("rate", repeated("<apply><sin/>", 1000) + "<cn>1</cn>" +
                                                 repeated("</apply>", 1000))))
                  .read);
  std::string level1 =
      "<sbml xmlns=\"http://www.sbml.org/sbml/level1\" level=\"1\" version=\"2\"><model>"
      "<listOfCompartments><compartment name=\"c\"/></listOfCompartments><listOfParameters>"
      "<parameter name=\"k\"/></listOfParameters><listOfRules><parameterRule name=\"k\" formula=\"";
  std::string end = "1\"/></listOfRules></model></sbml>";
  expect_error(outcome_of(level1 + repeated("1+", 200000) + end), "this formula is too long");
  EXPECT_TRUE(outcome_of(level1 + repeated("1+", 3900) + end).read);
  EXPECT_TRUE(outcome_of(level1 + repeated("-", 3900) + end).read);
  expect_error(outcome_of(level1 + "2*(3+" + end), "cannot read the formula '2*(3+1'");
}

TEST(ReadSbmlErrors, PackagesThatChangeTheMathematicsAreNamed) {
  auto with = [](const std::string& required) {
    return level3("",
                  " xmlns:spatial=\"http://www.sbml.org/sbml/level3/version1/spatial/version1\""
                  " spatial:required=\"" +
                      required + "\"");
  };
  expect_error(outcome_of(with("true")), "the model needs the SBML package 'spatial'");
  EXPECT_TRUE(outcome_of(with("false")).read);
}

TEST(ReadSbmlErrors, EveryPackageIsJudged) {
  auto with = [](const std::string& package, const std::string& inside) {
    return level3(inside, " xmlns:" + package + "=\"http://www.sbml.org/sbml/level3/version1/" +
                              package + "/version1\" " + package + ":required=\"true\"");
  };
  for (const char* package : {"qual", "multi", "spatial", "arrays", "dyn"})
    expect_error(outcome_of(with(package, "")),
                 std::string("the model needs the SBML package '") + package + "'");
  EXPECT_TRUE(outcome_of(with("distrib", "")).read) << outcome_of(with("distrib", "")).messages;
  std::string draw =
      "<apply><csymbol encoding=\"text\" "
      "definitionURL=\"http://www.sbml.org/sbml/symbols/distrib/normal\">normal</csymbol>"
      "<cn>1</cn><cn>2</cn></apply>";
  EXPECT_FALSE(outcome_of(with("distrib", rule("rate", draw))).read);
  std::string annotated =
      "<listOfParameters><parameter id=\"k\" value=\"1\" constant=\"true\">"
      "<distrib:listOfUncertainties><distrib:uncertainty/></distrib:listOfUncertainties>"
      "</parameter></listOfParameters>";
  Outcome kept = outcome_of(with("distrib", annotated));
  EXPECT_EQ(kept.parameters, (std::vector<std::string>{"k"})) << kept.messages;
}

TEST(ReadSbmlErrors, WrongReferences) {
  expect_error(outcome_of(level3("<listOfSpecies><species id=\"S\" compartment=\"c\" "
                                 "hasOnlySubstanceUnits=\"false\" boundaryCondition=\"false\" "
                                 "constant=\"false\"/></listOfSpecies>")),
               "unknown compartment 'c'");
  expect_error(
      outcome_of(
          level3("<listOfReactions><reaction id=\"r\" reversible=\"false\"><listOfReactants>"
                 "<speciesReference species=\"S\" constant=\"true\"/></listOfReactants></reaction>"
                 "</listOfReactions>")),
      "reaction 'r' has an unknown species 'S'");
  expect_error(outcome_of(level3("<listOfParameters><parameter id=\"k\" constant=\"true\"/>"
                                 "<parameter id=\"k\" constant=\"true\"/></listOfParameters>")),
               "two things are called 'k'");
  expect_error(outcome_of(level3(rule("rate", "<apply><sin/><cn>1</cn><cn>2</cn></apply>"))),
               "error");
}

class ExternalModels : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() /
            ("stiffit-sbml-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
             "-" + std::to_string(getpid()));
    std::filesystem::create_directories(root_ / "inside");
    std::string part = level3(
        "<listOfParameters><parameter id=\"k\" value=\"2\" constant=\"true\"/>"
        "</listOfParameters>");
    std::ofstream(root_ / "outside.xml") << part;
    std::ofstream(root_ / "inside" / "part.xml") << part;
    std::ofstream(root_ / "inside" / "broken.xml") << part.substr(0, part.size() / 2);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  Outcome with(const std::string& source) const {
    std::string text = level3(
        "<comp:listOfSubmodels><comp:submodel comp:id=\"a\" comp:modelRef=\"M\"/>"
        "</comp:listOfSubmodels>",
        " xmlns:comp=\"http://www.sbml.org/sbml/level3/version1/comp/version1\" "
        "comp:required=\"true\"");
    text.insert(text.find("</sbml>"),
                "<comp:listOfExternalModelDefinitions><comp:externalModelDefinition comp:id=\"M\" "
                "comp:source=\"" +
                    source + "\"/></comp:listOfExternalModelDefinitions>");
    return outcome_of(text, (root_ / "inside").string());
  }

  std::filesystem::path root_;
};

TEST_F(ExternalModels, DefinitionsArePickedByTheirId) {
  std::string text = level3(
      "<listOfParameters><parameter id=\"top\" value=\"1\" constant=\"true\"/></listOfParameters>",
      " xmlns:comp=\"http://www.sbml.org/sbml/level3/version1/comp/version1\" "
      "comp:required=\"true\"");
  text.insert(text.find("</sbml>"),
              "<comp:listOfModelDefinitions><comp:modelDefinition id=\"inner\"><listOfParameters>"
              "<parameter id=\"q\" value=\"1\" constant=\"true\"/></listOfParameters>"
              "</comp:modelDefinition></comp:listOfModelDefinitions>"
              "<comp:listOfExternalModelDefinitions><comp:externalModelDefinition comp:id=\"M\" "
              "comp:source=\"part.xml\"/><comp:externalModelDefinition comp:id=\"X\" "
              "comp:source=\"../outside.xml\"/></comp:listOfExternalModelDefinitions>");
  std::string folder = (root_ / "inside").string();
  using Ids = std::vector<std::string>;
  EXPECT_EQ(outcome_of(text, folder).parameters, Ids{"top"});
  EXPECT_EQ(outcome_of(text, folder, "inner").parameters, Ids{"q"});
  EXPECT_EQ(outcome_of(text, folder, "M").parameters, Ids{"k"});
  expect_error(outcome_of(text, folder, "X"), "only files of the model's own folder are read");
  expect_error(outcome_of(text, folder, "iner"), "did you mean 'inner'?");
  expect_error(outcome_of(level3(""), folder, "other"), "no model named 'other'");
}

TEST_F(ExternalModels, CirclesEnd) {
  auto file = [&](const std::string& other) {
    std::string text = level3(
        "<comp:listOfSubmodels><comp:submodel comp:id=\"a\" comp:modelRef=\"M\"/>"
        "</comp:listOfSubmodels>",
        " xmlns:comp=\"http://www.sbml.org/sbml/level3/version1/comp/version1\" "
        "comp:required=\"true\"");
    text.insert(text.find("</sbml>"),
                "<comp:listOfExternalModelDefinitions><comp:externalModelDefinition comp:id=\"M\" "
                "comp:source=\"" +
                    other + "\" comp:modelRef=\"M\"/></comp:listOfExternalModelDefinitions>");
    return text;
  };
  std::ofstream(root_ / "inside" / "a.xml") << file("b.xml");
  std::ofstream(root_ / "inside" / "b.xml") << file("a.xml");
  std::string folder = (root_ / "inside").string();
  EXPECT_FALSE(outcome_of(file("b.xml"), folder).read);
  expect_error(outcome_of(file("b.xml"), folder, "M"), "refer to each other");
}

TEST_F(ExternalModels, AreReadFromTheFolderOnly) {
  Outcome inside = with("part.xml");
  EXPECT_TRUE(inside.read) << inside.messages;
  for (const std::string& source :
       {std::string("../outside.xml"), (root_ / "outside.xml").string(),
        "file://" + (root_ / "outside.xml").string(), std::string("http://localhost/part.xml")})
    expect_error(with(source), "only files of the model's own folder are read");
  expect_error(with("absent.xml"), "there is no such file in the model's folder");
  expect_error(with("broken.xml"), "the file ends");
}

}  // namespace
}  // namespace stiffit::internal
