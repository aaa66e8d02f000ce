// What there is: models of the library, methods of integration and of fitting, options, the
// version. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "stiffit/options.h"

namespace stiffit {
inline namespace api {

std::string version();

struct ListedModel {
  std::string name, title;
};
std::vector<ListedModel> models();                // of the library
std::string model_text(const std::string& name);  // of one of them; throws InputError

struct ListedMethod {
  std::string name, family, order, stability, use;
  bool fixed_steps = false;    // can take them
  bool needs_step = false;     // takes no others
  bool sensitivities = false;  // gives derivatives by parameters, and so fits
  // Where the program chooses it: standard, stiff, large stiff, accurate stiff, non-stiff,
  // reference; empty: nowhere. Each role has one method.
  std::string role = {};
};
std::vector<ListedMethod> methods();  // of integration

// A method of fitting, and what it needs of a problem.
struct ListedOptimizer {
  std::string name;
  bool gradient = false, residuals = false, population = false, linearity = false;
  bool resumable = false;      // its state on the way is kept, not only finished starts
  bool distributable = false;  // its starts may run in other processes
};
std::vector<ListedOptimizer> optimizers();

// An option by the name of its field. For programs that set them from texts, and for bindings to
// other languages.
struct ListedOption {
  std::string name;  // as the program spells it, without the dashes
  std::string value, help;
  std::string type;   // whole number, number, numbers, text, yes or no, flag, list, values (name=x)
  std::string range;  // in words; empty: any
  std::string unit;
  std::string fallback;  // the default as text; empty: none of its own
  std::vector<std::string> choices;
  std::string keyword;           // in Python, and in JSON
  bool program, server, python;  // who shows it
  bool repeated;                 // each time that it is given adds one
  char letter = 0;               // of the program: -o for --output
  bool general = false;          // every command of the program has it
  bool provenance = true;        // the answer may depend on it
};

// `Options` is any of stiffit/options.h but RunOptions. `before` stands in front of the names of
// options in the helps: "--" as the program spells them.
template <class Options>
std::vector<ListedOption> option_list(const std::string& before = {});
// By its name or keyword. Throws InputError if there is no such option, or if it cannot have the
// value.
template <class Options>
void set_option(Options& options, const std::string& name, const std::vector<std::string>& values);
// What is not as by default, by name, as set_option takes it.
template <class Options>
std::vector<std::pair<std::string, std::vector<std::string>>> given_options(const Options& options);
// Throws InputError if an option is wrong, or does not go with the others: what every computation
// begins with.
template <class Options>
void validate(const Options& options);

}  // namespace api
}  // namespace stiffit
