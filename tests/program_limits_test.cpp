// Inputs at the limits of what can be said: an answer or a clear error, soon, never a crash.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "program_run.h"

namespace stiffit::internal {
namespace {

std::string times(int count, const std::string& text) {
  std::string all;
  for (int k = 0; k < count; ++k) all += text;
  return all;
}

std::string decay(const std::string& rate, const std::string& values = "A = 1; k = 1") {
  return "model m\n  A -> B; " + rate + "\n  B = 0; " + values + "\nend\n";
}

struct Extreme {
  const char* name;
  const char* file;
  std::string text;
  int exit_code;
  const char* message;  // in the error
};

void PrintTo(const Extreme& e, std::ostream* out) { *out << e.name; }

std::string functions_of_functions(int depth) {
  std::string text = "function f0(x)\n  x\nend\n";
  for (int k = 1; k < depth; ++k) {
    const std::string inner = "f" + std::to_string(k - 1) + "(x)";
    text += "function f" + std::to_string(k) + "(x)\n  " + inner + " + " + inner + "\nend\n";
  }
  return text + decay("k*f" + std::to_string(depth - 1) + "(A)", "A = 1; k = 1e-20");
}

std::string models_of_models(int depth) {
  std::string text = "model m0\n  A -> B; k\n  A = 1; B = 0; k = 1\nend\n";
  for (int k = 1; k < depth; ++k) {
    const std::string inner = "m" + std::to_string(k - 1) + "()\n";
    text += "model m" + std::to_string(k) + "\n  a: " + inner + "  b: " + inner + "end\n";
  }
  return text;
}

std::string xml(const std::string& inside) {
  return "<?xml version=\"1.0\"?><sbml "
         "xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" version=\"1\">" +
         inside + "</sbml>";
}

const std::string mathml = "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">";

std::string function_that_calls_itself() {
  return xml(
      "<model id=\"m\"><listOfFunctionDefinitions><functionDefinition id=\"f\">" + mathml +
      "<lambda><bvar><ci>x</ci></bvar><apply><ci>f</ci><ci>x</ci></apply></lambda></math>"
      "</functionDefinition></listOfFunctionDefinitions><listOfParameters><parameter id=\"p\" "
      "value=\"1\" constant=\"false\"/></listOfParameters><listOfRules><rateRule variable=\"p\">" +
      mathml + "<apply><ci>f</ci><ci>p</ci></apply></math></rateRule></listOfRules></model>");
}

std::string parameter_named(const std::string& id) {
  return xml("<model id=\"m\"><listOfParameters><parameter id=\"" + id +
             "\" value=\"1\" constant=\"false\"/></listOfParameters><listOfRules><rateRule "
             "variable=\"" +
             id + "\">" + mathml + "<ci>" + id + "</ci></math></rateRule></listOfRules></model>");
}

// Definition k holds `copies` of definition k - 1, the first one of definition `first`.
std::string definitions(int count, int copies, const std::string& first) {
  const std::string comp = "http://www.sbml.org/sbml/level3/version1/comp/version1";
  auto parts = [&](const std::string& of) {
    std::string text = "<comp:listOfSubmodels>";
    for (int k = 0; k < copies; ++k)
      text +=
          "<comp:submodel comp:id=\"s" + std::to_string(k) + "\" comp:modelRef=\"" + of + "\"/>";
    return text + "</comp:listOfSubmodels>";
  };
  std::string text =
      "<?xml version=\"1.0\"?><sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" "
      "xmlns:comp=\"" +
      comp + "\" level=\"3\" version=\"1\" comp:required=\"true\"><comp:listOfModelDefinitions>";
  for (int k = 0; k < count; ++k) {
    const std::string of = k > 0 ? "d" + std::to_string(k - 1) : first;
    text += "<comp:modelDefinition id=\"d" + std::to_string(k) + "\">" +
            (of.empty() ? "<listOfParameters><parameter id=\"p\" value=\"1\" constant=\"true\"/>"
                          "</listOfParameters>"
                        : parts(of)) +
            "</comp:modelDefinition>";
  }
  return text + "</comp:listOfModelDefinitions><model id=\"m\">" +
         parts("d" + std::to_string(count - 1)) + "</model></sbml>";
}

std::string network(const std::string& name) {
  return "begin parameters\n 1 " + name + " 1\nend parameters\nbegin species\n 1 A() 1\n" +
         "end species\nbegin reactions\n 1 1 0 " + name + "\nend reactions\n";
}

class Limits : public testing::TestWithParam<Extreme> {};

TEST_P(Limits, AnAnswerOrAClearError) {
  const Extreme& e = GetParam();
  Scratch scratch;
  scratch.write(e.file, e.text);
  // KILL, since our own interrupt would make an end of a hang look like an answer.
  const ProgramRun run = scratch.stiffit(std::string("simulate ") + e.file + " --points 1 --end 1",
                                         "timeout -s KILL 300");
  EXPECT_EQ(run.exit_code, e.exit_code) << run.messages.substr(0, 1000);
  EXPECT_NE(run.messages.find(e.message), std::string::npos) << run.messages.substr(0, 1000);
  if (e.exit_code == 1) {
    EXPECT_NE(run.messages.find(e.file), std::string::npos) << run.messages.substr(0, 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Limits,
    testing::Values(
        Extreme{"Brackets", "m.rxn", decay(times(200000, "(") + "k*A" + times(200000, ")")), 1,
                "nested too deeply"},
        Extreme{"Functions", "m.rxn", decay(times(100000, "exp(") + "k*A" + times(100000, ")")), 1,
                "nested too deeply"},
        Extreme{"Signs", "m.rxn", decay(times(300000, "-") + "k*A"), 1, "nested too deeply"},
        Extreme{"Powers", "m.rxn", decay("k*A" + times(100000, "^2")), 1, "nested too deeply"},
        Extreme{"ALongSum", "m.rxn", decay("k*A*0" + times(100000, "+k*A*1e-9")), 0, ""},
        Extreme{"ALongName", "m.rxn",
                decay(times(1000000, "n"), "A = 1; " + times(1000000, "n") + " = 1"), 0, ""},
        Extreme{"HugeValues", "m.rxn", decay("k*A", "A = 1e308; k = 1e308"), 1, "not finite"},
        Extreme{"BeyondDoubles", "m.rxn", decay("k*A", "A = 1e309; k = 1"), 1, "not finite"},
        Extreme{"TinyValues", "m.rxn", decay("k*A", "A = 1e-320; k = 1e-310"), 0, ""},
        Extreme{"AHugeExponent", "m.rxn", decay("k*A^1e308", "A = 2; k = 1"), 1, "not finite"},
        Extreme{"AnExponentBeyondDoubles", "m.rxn", decay("k*A^-1e309", "A = 0.5; k = 1"), 1,
                "not finite"},
        Extreme{"ATinyExponent", "m.rxn", decay("k*A^1e-320"), 0, ""},
        Extreme{"GrowthBeyondDoubles", "m.rxn", decay("-1e4*A", "A = 1"), 3, "no finite value"},
        Extreme{"NotANumber", "m.rxn", decay("k*A", "A = nan; k = 1"), 1, "not finite"},
        Extreme{"ACircleOfFunctions", "m.rxn",
                "function f(x)\n  g(x)\nend\nfunction g(x)\n  f(x)\nend\n" + decay("f(A)"), 1,
                "calls itself"},
        Extreme{"ACircleOfModels", "m.rxn", "model a\n  x: b()\nend\nmodel b\n  y: a()\nend\n", 1,
                "contains itself"},
        Extreme{"FunctionsOfFunctions", "m.rxn", functions_of_functions(60), 0, ""},
        Extreme{"ModelsOfModels", "m.rxn", models_of_models(40), 1, "too many submodels"},
        Extreme{"NulBytes", "m.rxn", decay(std::string("k\0*A", 4)), 1, "NUL"},
        Extreme{"DeepXml", "m.xml", xml(times(1000000, "<a>")), 1, "nested too deeply"},
        Extreme{"DeepMathMl", "m.xml",
                xml("<model id=\"m\"><listOfParameters><parameter id=\"p\" constant=\"false\"/>"
                    "</listOfParameters><listOfRules><assignmentRule variable=\"p\"><math "
                    "xmlns=\"http://www.w3.org/1998/Math/MathML\">" +
                    times(100000, "<apply><minus/>") + "<cn>1</cn>" + times(100000, "</apply>") +
                    "</math></assignmentRule></listOfRules></model>"),
                1, "nested too deeply"},
        Extreme{"Entities", "m.xml",
                "<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY a \"aaaa\"><!ENTITY b "
                "\"&a;&a;&a;&a;\">]><sbml>&b;</sbml>",
                1, "entities"},
        Extreme{"AnSbmlFunctionThatCallsItself", "m.xml", function_that_calls_itself(), 1,
                "itself"},
        Extreme{"ASubmodelOfItself", "m.xml", definitions(1, 1, "d0"), 1, "error"},
        Extreme{"SubmodelsInACircle", "m.xml", definitions(3, 2, "d2"), 1, "error"},
        Extreme{"SubmodelsOfSubmodels", "m.xml", definitions(40, 2, ""), 1, "too many submodels"},
        Extreme{"DeepSubmodels", "m.xml", definitions(2000, 1, ""), 1, "too many submodels"},
        Extreme{"AnUnknownSubmodel", "m.xml", definitions(1, 1, "none"), 1, "error"},
        Extreme{"ALongId", "m.xml", parameter_named(times(1000000, "n")), 0, ""},
        Extreme{"ALongNameInANetwork", "m.net", network(times(1000000, "n")), 0, ""},
        Extreme{"DeepNetwork", "m.net",
                "begin parameters\n 1 k " + times(200000, "(") + "1" + times(200000, ")") +
                    "\nend parameters\nbegin species\n 1 A() k\nend species\nbegin reactions\n"
                    " 1 1 0 k\nend reactions\n",
                1, "nested too deeply"}),
    [](auto& at) { return std::string(at.param.name); });

TEST(LimitsOfTables, NotANumberInATable) {
  Scratch scratch;
  scratch.write("m.rxn", decay("k*A"));
  scratch.write("d.csv", "time,A\n0,nan\n1,inf\n2,1e400\n-1,3\nnan,1\n");
  const ProgramRun run = scratch.stiffit("fit m.rxn --data d.csv --estimate k");
  EXPECT_EQ(run.exit_code, 1);
  for (const char* place : {"d.csv:2:3", "d.csv:3:3", "d.csv:4:3", "d.csv:5:1", "d.csv:6:1"})
    EXPECT_NE(run.messages.find(place), std::string::npos) << place << "\n" << run.messages;
}

TEST(LimitsOfTables, NumbersThatAreNoneInYaml) {
  for (const char* version : {".nan", ".inf", "-.inf", "1e400", "1e-400", "[]", "~"}) {
    Scratch scratch;
    scratch.write("p.yaml", std::string("format_version: ") + version +
                                "\nparameter_file: p.tsv\nproblems: []\n");
    const ProgramRun run = scratch.stiffit("check p.yaml");
    EXPECT_EQ(run.exit_code, 1) << version;
    EXPECT_NE(run.out.find("p.yaml:1:17"), std::string::npos) << version << run.out;
  }
}

TEST(LimitsOfTables, DeepYaml) {
  Scratch scratch;
  scratch.write("deep.yaml", times(100000, "["));
  EXPECT_EQ(scratch.stiffit("check deep.yaml", "timeout -s KILL 300").exit_code, 1);
}

// Less memory than the model asks for: a sentence, not a crash. (Sanitizers need more by
// themselves.)
TEST(LimitsOfMemory, ASentenceWhenThereIsNotEnough) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "sanitizers map terabytes";
#endif
  Scratch scratch;
  scratch.write("m.rxn", decay("k*A*0" + times(2000000, "+k*A*1e-9")));
  const ProgramRun run = scratch.stiffit("simulate m.rxn --points 1 --end 1 --threads 1",
                                         "timeout -s KILL 300 prlimit --as=300000000");
  EXPECT_EQ(run.exit_code, 70) << run.messages.substr(0, 1000);
  EXPECT_NE(run.messages.find("not enough memory"), std::string::npos)
      << run.messages.substr(0, 1000);
}

// The file ends in the middle while it is read: through a pipe, as a download that breaks off.
TEST(LimitsOfFiles, CutOffWhileReading) {
  Scratch scratch;
  scratch.write("m.rxn", decay("k*A"));
  scratch.write("m.xml", parameter_named("p"));
  scratch.write("m.net", network("k"));
  for (const auto& [file, bytes] : {std::pair("m.rxn", 21), {"m.xml", 150}, {"m.net", 45}}) {
    const std::string pipe = std::string("cut_") + file;
    const ProgramRun run =
        scratch.stiffit("simulate " + pipe + " --end 1",
                        "mkfifo " + pipe + " && { head -c " + std::to_string(bytes) + " " + file +
                            " >" + pipe + " & } ; timeout -s KILL 300");
    EXPECT_EQ(run.exit_code, 1) << file << "\n" << run.messages;
    EXPECT_NE(run.messages.find(pipe), std::string::npos) << run.messages;
  }
}

}  // namespace
}  // namespace stiffit::internal
