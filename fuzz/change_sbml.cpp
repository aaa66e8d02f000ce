// Changes of an SBML file that leave it XML: elements, attributes, values, ids and mathematics are
// taken away, repeated, moved, exchanged and made extreme.
// SPDX-License-Identifier: Apache-2.0
#include "change_sbml.h"

#include <algorithm>

#include "change.h"
#include "xml_tree.h"

namespace stiffit::internal {
namespace {

using Attribute = std::pair<std::string, std::string>;

template <class List>
auto& any_of(List& list, SplitMix& random) {
  return list[static_cast<std::size_t>(random.next() % std::size(list))];
}

const std::string_view operators[] = {
    "plus",       "minus",        "times",   "divide",    "power",   "root",      "exp",
    "ln",         "log",          "abs",     "floor",     "ceiling", "factorial", "sin",
    "arctan",     "sech",         "eq",      "neq",       "lt",      "leq",       "gt",
    "geq",        "and",          "or",      "xor",       "not",     "min",       "max",
    "quotient",   "rem",          "implies", "true",      "false",   "pi",        "infinity",
    "notanumber", "exponentiale", "rateOf",  "piecewise", "piece",   "otherwise", "degree",
    "logbase",    "bvar",         "lambda",  "cn",        "ci",      "csymbol",   "sep"};

const std::string_view elements[] = {"model",
                                     "listOfFunctionDefinitions",
                                     "functionDefinition",
                                     "listOfUnitDefinitions",
                                     "unitDefinition",
                                     "listOfUnits",
                                     "unit",
                                     "listOfCompartments",
                                     "compartment",
                                     "listOfSpecies",
                                     "species",
                                     "listOfParameters",
                                     "parameter",
                                     "localParameter",
                                     "listOfLocalParameters",
                                     "listOfInitialAssignments",
                                     "initialAssignment",
                                     "listOfRules",
                                     "assignmentRule",
                                     "rateRule",
                                     "algebraicRule",
                                     "listOfConstraints",
                                     "constraint",
                                     "listOfReactions",
                                     "reaction",
                                     "listOfReactants",
                                     "listOfProducts",
                                     "listOfModifiers",
                                     "speciesReference",
                                     "modifierSpeciesReference",
                                     "stoichiometryMath",
                                     "kineticLaw",
                                     "listOfEvents",
                                     "event",
                                     "trigger",
                                     "delay",
                                     "priority",
                                     "listOfEventAssignments",
                                     "eventAssignment",
                                     "math",
                                     "notes",
                                     "annotation",
                                     "parameterRule",
                                     "speciesConcentrationRule",
                                     "compartmentVolumeRule",
                                     "specie"};

const std::string_view attributes[] = {"id",
                                       "name",
                                       "constant",
                                       "value",
                                       "compartment",
                                       "species",
                                       "variable",
                                       "symbol",
                                       "size",
                                       "spatialDimensions",
                                       "initialAmount",
                                       "initialConcentration",
                                       "hasOnlySubstanceUnits",
                                       "boundaryCondition",
                                       "conversionFactor",
                                       "stoichiometry",
                                       "reversible",
                                       "fast",
                                       "units",
                                       "kind",
                                       "exponent",
                                       "scale",
                                       "multiplier",
                                       "offset",
                                       "substanceUnits",
                                       "timeUnits",
                                       "extentUnits",
                                       "volumeUnits",
                                       "formula",
                                       "type",
                                       "persistent",
                                       "initialValue",
                                       "useValuesFromTriggerTime",
                                       "metaid",
                                       "charge",
                                       "volume",
                                       "denominator",
                                       "outside",
                                       "level",
                                       "version",
                                       "xmlns",
                                       "base"};

const std::string_view values[] = {"true",
                                   "false",
                                   "",
                                   "0",
                                   "1",
                                   "2",
                                   "3",
                                   "-1",
                                   "mole",
                                   "litre",
                                   "second",
                                   "dimensionless",
                                   "item",
                                   "substance",
                                   "time",
                                   "volume",
                                   "x y",
                                   "&amp;",
                                   "http://www.sbml.org/sbml/symbols/time",
                                   "http://www.sbml.org/sbml/symbols/delay",
                                   "http://www.sbml.org/sbml/symbols/avogadro",
                                   "http://www.sbml.org/sbml/symbols/rateOf",
                                   "integer",
                                   "rational",
                                   "e-notation",
                                   "real"};

struct Namespace {
  std::string_view level, version, uri;
};
const Namespace namespaces[] = {{"1", "1", "http://www.sbml.org/sbml/level1"},
                                {"1", "2", "http://www.sbml.org/sbml/level1"},
                                {"2", "1", "http://www.sbml.org/sbml/level2"},
                                {"2", "4", "http://www.sbml.org/sbml/level2/version4"},
                                {"2", "5", "http://www.sbml.org/sbml/level2/version5"},
                                {"3", "1", "http://www.sbml.org/sbml/level3/version1/core"},
                                {"3", "2", "http://www.sbml.org/sbml/level3/version2/core"}};

void set(XmlElement& element, std::string_view name, std::string_view value) {
  for (Attribute& a : element.attributes)
    if (a.first == name) {
      a.second = value;
      return;
    }
  element.attributes.emplace_back(name, value);
}

bool is_word_list(const std::string_view* first, std::size_t count, const std::string& name) {
  return std::find(first, first + count, name) != first + count;
}

class Change {
 public:
  Change(XmlElement& root, SplitMix& random) : root_(root), random_(random) {
    collect(root_, all_);
    for (XmlElement* e : all_)
      if (!e->children.empty()) parents_.push_back(e);
  }

  void one(std::string_view other) {
    switch (random_.below(14)) {
      case 0:
        return take_away();
      case 1:
        return repeat();
      case 2:
        return exchange();
      case 3:
        return move();
      case 4:
        return take_from(other);
      case 5:
      case 6:
        return change_value();
      case 7:
        return same_value();
      case 8:
        return change_attributes();
      case 9:
      case 10:
        return change_mathematics();
      case 11:
        return rename();
      case 12:
        return change_text_of_leaf();
      default:
        if (random_.chance(80)) return change_value();
        const Namespace& n = any_of(namespaces, random_);
        set(root_, "level", n.level);
        set(root_, "version", n.version);
        if (random_.chance(80)) set(root_, "xmlns", n.uri);
    }
  }

 private:
  XmlElement& any() { return *any_of(all_, random_); }
  XmlElement* parent() { return parents_.empty() ? nullptr : any_of(parents_, random_); }

  void take_away() {
    XmlElement* p = parent();
    if (!p) return;
    p->children.erase(p->children.begin() + static_cast<long>(random_.next() % p->children.size()));
  }
  void repeat() {
    XmlElement* p = parent();
    if (!p) return;
    XmlElement copy = any_of(p->children, random_);
    const std::string id = "n" + std::to_string(random_.below(5));
    if (random_.chance(70)) set(copy, "id", id);
    p->children.insert(
        p->children.begin() + static_cast<long>(random_.next() % (p->children.size() + 1)),
        std::move(copy));
  }
  void exchange() {
    XmlElement *p = parent(), *q = parent();
    if (!p || !q) return;
    XmlElement a = any_of(p->children, random_);
    XmlElement& place = any_of(q->children, random_);
    place = std::move(a);
  }
  void move() {
    XmlElement* p = parent();
    if (!p) return;
    XmlElement copy = any_of(p->children, random_);
    any().children.push_back(std::move(copy));
  }
  // An element of another file goes where one of the same name is, or anywhere.
  void take_from(std::string_view other) {
    auto tree = parse_xml(other);
    if (!tree) return change_value();
    std::vector<XmlElement*> others;
    collect(*tree, others);
    XmlElement piece = *any_of(others, random_);
    for (int k = 0; k < 20; ++k)
      if (XmlElement* p = parent()) {
        const bool fits = std::any_of(p->children.begin(), p->children.end(),
                                      [&](const XmlElement& c) { return c.name == piece.name; });
        if (!fits && k < 19) continue;
        p->children.push_back(std::move(piece));
        return;
      }
  }
  void change_value() {
    for (int k = 0; k < 10; ++k) {
      XmlElement& e = any();
      if (e.attributes.empty()) continue;
      std::string& value = any_of(e.attributes, random_).second;
      value = random_.chance(50) ? some_number(random_) : any_of(values, random_);
      return;
    }
  }
  // The value of an attribute elsewhere: ids that are taken, references to other things.
  void same_value() {
    for (int k = 0; k < 10; ++k) {
      XmlElement &from = any(), &to = any();
      if (from.attributes.empty() || to.attributes.empty()) continue;
      const std::string value = any_of(from.attributes, random_).second;
      any_of(to.attributes, random_).second = value;
      return;
    }
  }
  void change_attributes() {
    XmlElement& e = any();
    if (random_.chance(50) && !e.attributes.empty())
      e.attributes.erase(e.attributes.begin() +
                         static_cast<long>(random_.next() % e.attributes.size()));
    else
      set(e, any_of(attributes, random_),
          random_.chance(40) ? some_number(random_) : any_of(values, random_));
  }
  void change_mathematics() {
    std::vector<XmlElement*> math;
    for (XmlElement* e : all_)
      if (e->name == "apply" || is_word_list(operators, std::size(operators), e->name))
        math.push_back(e);
    if (math.empty()) return take_away();
    XmlElement& e = *any_of(math, random_);
    switch (random_.below(5)) {
      case 0:
        e.name = any_of(operators, random_);
        return;
      case 1: {  // one level deeper
        XmlElement around{"apply", {}, "", {}};
        around.children.push_back({std::string(any_of(operators, random_)), {}, "", {}});
        around.children.push_back(e);
        e = std::move(around);
        return;
      }
      case 2:
        if (!e.children.empty()) {
          const XmlElement copy = any_of(e.children, random_);
          e.children.push_back(copy);
        }
        return;
      case 3: {
        const XmlElement copy = *any_of(math, random_);
        e = copy;
        return;
      }
      default:
        e = {"cn", {}, std::string(some_number(random_)), {}};
    }
  }
  void rename() {
    XmlElement& e = any();
    e.name = is_word_list(operators, std::size(operators), e.name)
                 ? std::string(any_of(operators, random_))
                 : std::string(any_of(elements, random_));
  }
  // Numbers and names of mathematics.
  void change_text_of_leaf() {
    std::vector<XmlElement*> leaves;
    for (XmlElement* e : all_)
      if (e->name == "cn" || e->name == "ci") leaves.push_back(e);
    if (leaves.empty()) return change_value();
    XmlElement& e = *any_of(leaves, random_);
    if (e.name == "cn" || random_.chance(20)) {
      e.text = some_number(random_);
      return;
    }
    for (int k = 0; k < 10; ++k)
      for (const Attribute& a : any().attributes)
        if (a.first == "id") {
          e.text = a.second;
          return;
        }
  }

  XmlElement& root_;
  SplitMix& random_;
  std::vector<XmlElement*> all_, parents_;
};

}  // namespace

std::string change_sbml(std::string_view input, std::string_view other, SplitMix& random) {
  auto tree = parse_xml(input);
  if (!tree || random.chance(3)) return change_text(input, other, elements, random);
  Change(*tree, random).one(other);
  return xml_text(*tree);
}

}  // namespace stiffit::internal
