// Models as text that somebody is still writing: what is wrong with it, place by place, and
// everything that can be shown of it without running it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stiffit/model.h"

namespace stiffit {
inline namespace api {

struct ModelText {
  std::string name;  // of the file, which tells its language where the text does not
  std::string text;
  std::map<std::string, std::string> files = {};  // beside it, for table("f.csv", x); no others
};

struct Reading {
  std::optional<Model> model;     // none if there is an error
  std::vector<Finding> findings;  // with their ends; columns count characters; without `text`
};

// Mistakes of the text, of the equations, and of their values at the start. Opens no file. Throws
// Interrupted.
Reading read(const ModelText& source, const RunOptions& run = {});

// text, antimony, sbml or net.
std::string model_language(const std::string& name, const std::string& text);

// What the text of an InputError, or the messages of the program, say, finding by finding. `name`:
// of the model in it, whose places are found.
std::vector<Finding> findings_in(const std::string& text, const std::string& name = "model");

// What a model says, in the order of its text. Numbers that follow from a computation are NaN.
struct ModelDescription {
  struct Species {
    std::string name;
    double initial = 0;
    std::string unit, compartment;
    bool amount = false;  // the name means an amount
    bool boundary = false, constant = false;
    bool settable = false;  // no rule computes it
  };
  struct Value {
    std::string name;
    double value = 0;
    std::string unit;
    bool settable = false;
  };
  struct Participant {
    std::string species;
    double stoichiometry = 0;
    std::string parameter;  // that the stoichiometry is; empty: the number
  };
  struct Reaction {
    std::string name;
    std::vector<Participant> reactants, products;
    std::vector<std::string> modifiers;  // that its rate depends on besides
    bool reversible = false;
    std::string text, rate;
  };
  struct Equation {
    std::string kind;  // derivative, rate, rule, observable, function
    std::string left, mathml;
  };

  std::string id, title;
  std::string language;               // as of model_language
  std::string text;                   // in Stiffit's own language
  std::vector<std::string> left_out;  // what that has no words for, a sentence each
  double start = 0, end = 0;
  std::vector<Species> species;
  std::vector<Value> parameters, compartments;
  std::vector<Reaction> reactions;
  std::vector<Equation> equations;
  std::vector<std::string> features;
  std::vector<std::string> outputs, default_outputs;  // what can be shown, what is shown by itself
  std::vector<std::string> moieties;                  // of models that are not too large
};

// What a model holds, in words, as `stiffit info` shows it; also of models that cannot be run.
struct ModelSummary {
  struct Value {
    std::string name;
    std::string start;  // "= 3", "= f(k)" at the start, ":= f(x)" at all times, "(no value)"
    std::string unit;
  };
  struct Species {
    std::string name, start, unit;
    std::string kind;         // amount or concentration; boundary, constant
    std::string compartment;  // empty: none
  };
  struct Reaction {
    std::string name, text, rate;
  };
  std::string id, title;
  std::vector<std::string> features;
  double start = 0, end = 0;  // NaN: no default
  std::vector<Value> compartments, parameters;
  std::vector<Species> species;
  std::vector<Reaction> reactions;
  std::vector<std::pair<std::string, std::string>> observables;  // with their formulas
  std::optional<Equations> equations;
  std::string obstacle;  // why there are none
};
ModelSummary summarize(const Model& model, const RunOptions& run = {});

// Throws Interrupted.
ModelDescription describe(const Model& model, const RunOptions& run = {});

}  // namespace api
}  // namespace stiffit
