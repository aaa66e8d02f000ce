// Formulas in .ant files against libSBML's own parser, which is what libAntimony reads them with.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sbml/SBMLTypes.h>
#include <sbml/math/L3Parser.h>

#include <cmath>
#include <memory>

#include "base/splitmix.h"
#include "io/sbml/read_sbml.h"
#include "io/text/read_text.h"
#include "io/text/writer/write_text.h"
#include "symbolic/start_values.h"

namespace stiffit::internal {
namespace {

const std::vector<std::string> names{"a", "b", "c", "d"};
const std::vector<double> values{1.5, -0.75, 2, 0.25};

// A formula of any operators, with parentheses in places only, so that their binding shows.
class Formulas {
 public:
  explicit Formulas(std::uint64_t seed) : random_(seed) {}

  std::string number() { return sum(2); }

 private:
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(random_.next() % n); }
  std::string any(const std::vector<std::string>& of) { return of[pick(of.size())]; }

  std::string leaf() {
    static const std::vector<std::string> literals{"2",      "3.5", "1e-2",        "pi",
                                                   "1.5E+1", "0.5", "exponentiale"};
    return pick(3) == 0 ? any(literals) : any(names);
  }
  std::string sum(int depth) {
    if (depth == 0) return leaf();
    std::string text = term(depth);
    for (std::size_t i = pick(3); i > 0; --i)
      text += any({" + ", "-", " * ", "/", "^"}) + term(depth);
    return text;
  }
  std::string term(int depth) {
    switch (pick(10)) {
      case 0:
        return "-" + term(depth - 1 > 0 ? depth - 1 : 0);
      case 1:
        return "(" + sum(depth - 1) + ")";
      case 2:
        return any({"sin", "exp", "abs", "floor", "ceil", "ceiling", "cos", "tanh", "arctan",
                    "atan", "sqr", "factorial"}) +
               "(" + leaf() + ")";
      case 3:
        return any({"log", "log10", "ln", "sqrt"}) + "(abs(" + sum(depth - 1) + ") + 1)";
      case 4:
        return any({"max", "min", "pow", "power", "quotient", "rem", "plus", "times"}) + "(" +
               leaf() + ", " + leaf() + ")";
      case 5:
        return "piecewise(" + sum(depth - 1) + ", " + condition(2) + ", " + sum(depth - 1) + ")";
      case 7:  // libSBML writes it out, each time it is used: no formulas in it, and no numbers
               // where rounding decides
        return "(" + any(names) + "%" + any(names) + ")";
      case 6:
        return any({"root(3, ", "log(2, "}) + "abs(" + leaf() + ") + 1)";
      default:
        return leaf();
    }
  }
  std::string condition(int depth) {
    std::string text = comparison(depth);
    for (std::size_t i = pick(4); i > 0; --i) text += any({" && ", " || "}) + comparison(depth);
    return text;
  }
  std::string comparison(int depth) {
    if (depth > 0 && pick(5) == 0) return "(" + condition(depth - 1) + ")";
    if (depth > 0 && pick(6) == 0) return "!(" + condition(depth - 1) + ")";
    std::string text = leaf() + any({" < ", ">", " <= ", " >= ", "==", "!="}) + leaf();
    if (pick(4) == 0) text += any({" < ", " > "}) + leaf();
    return text;
  }

  SplitMix random_;
};

std::vector<double> values_of(const std::shared_ptr<const Model>& model, std::size_t count) {
  ResolvedSystem resolved = resolve(model);
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < count; ++i)
    nodes.push_back(resolved.find("r" + std::to_string(i)).value().node);
  const std::vector<double> all = node_values(resolved.system, 0, start_states(resolved.system));
  std::vector<double> found;
  for (NodeId node : nodes) found.push_back(all[node]);
  return found;
}

std::shared_ptr<const Model> read_antimony(const std::string& text) {
  auto source = std::make_shared<const Source>("m.ant", text);
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  EXPECT_TRUE(model) << render(diagnostics);
  return model ? std::make_shared<const Model>(std::move(*model)) : nullptr;
}

// The same formulas by libSBML alone: its trees become MathML, which our SBML reader knows.
std::shared_ptr<const Model> read_by_libsbml(const std::vector<std::string>& formulas) {
  SBMLDocument document(3, 2);
  ::Model* model = document.createModel();
  model->setId("m");
  auto add = [&](const std::string& id) {
    ::Parameter* p = model->createParameter();
    p->setId(id);
    p->setConstant(false);
    return p;
  };
  for (std::size_t i = 0; i < names.size(); ++i) add(names[i])->setValue(values[i]);
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    add("r" + std::to_string(i));
    std::unique_ptr<ASTNode> tree(SBML_parseL3Formula(formulas[i].c_str()));
    EXPECT_TRUE(tree) << formulas[i];
    AssignmentRule* rule = model->createAssignmentRule();
    rule->setVariable("r" + std::to_string(i));
    if (tree) rule->setMath(tree.get());
  }
  std::unique_ptr<char, decltype(&std::free)> text(writeSBMLToString(&document), &std::free);
  auto source = std::make_shared<const Source>("m.xml", text.get());
  Diagnostics diagnostics(source);
  auto read = read_sbml(source, diagnostics);
  EXPECT_TRUE(read) << render(diagnostics);
  return read ? std::make_shared<const Model>(std::move(*read)) : nullptr;
}

void expect_same(const std::vector<double>& got, const std::vector<double>& truth,
                 const std::vector<std::string>& formulas) {
  ASSERT_EQ(got.size(), truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!std::isfinite(truth[i]))  // of either sign: 1/(-1 % 1) may be
      EXPECT_TRUE(std::isinf(got[i]) == std::isinf(truth[i]) && !std::isfinite(got[i]))
          << formulas[i] << ": " << got[i] << " for " << truth[i];
    else
      EXPECT_NEAR(got[i], truth[i], 1e-9 * (1 + std::fabs(truth[i]))) << formulas[i];
  }
}

TEST(AntimonyFormula, MeansWhatLibsbmlMakesOfIt) {
  Formulas random(7);
  std::vector<std::string> formulas{"-a^2",    "2^-c",      "c^a^d",      "a || b && c < 0",
                                    "!a && b", "a%c*2",     "-a^-c^d",    "a - b - c",
                                    "a/b/c",   "a < b < c", "a == b < c", "avogadro*d"};
  // Numbers, so that conditions can stand as such.
  for (std::string& f : formulas) f = "piecewise(1, " + f + " != 0, 0) + 0*(a)";
  for (const char* f : {"-a^2", "2^-c", "c^a^d", "a%c*2", "b%c", "-a^-c^d", "a-b-c", "a/b/c",
                        "avogadro", "3*a%c", "a%c%d", "a+a%c", "-a%c"})
    formulas.emplace_back(f);
  while (formulas.size() < 600) formulas.push_back(random.number());
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += names[i] + " = " + std::to_string(values[i]) + "\n";
  for (std::size_t i = 0; i < formulas.size(); ++i)
    text += "r" + std::to_string(i) + " := " + formulas[i] + "\n";
  const auto ours = read_antimony(text);
  const auto theirs = read_by_libsbml(formulas);
  ASSERT_TRUE(ours && theirs);
  const std::vector<double> truth = values_of(theirs, formulas.size());
  expect_same(values_of(ours, formulas.size()), truth, formulas);
  // And what is written as Antimony says the same, to us and to libSBML.
  const std::string written = write_text(*theirs, TextStyle::antimony).text;
  const auto again = read_antimony(written);
  ASSERT_TRUE(again);
  expect_same(values_of(again, formulas.size()), truth, formulas);
  std::vector<std::string> rewritten(formulas.size());
  for (std::size_t at = 0; (at = written.find(" := ", at)) != std::string::npos; ++at) {
    const std::size_t line = written.rfind('\n', at) + 1;
    const std::string name = written.substr(line, at - line);
    const std::size_t number = std::stoul(name.substr(name.find('r') + 1));
    rewritten[number] = written.substr(at + 4, written.find('\n', at) - at - 4);
  }
  expect_same(values_of(read_by_libsbml(rewritten), formulas.size()), truth, rewritten);
}

}  // namespace
}  // namespace stiffit::internal
