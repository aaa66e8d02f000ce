// What there is: models of the library, methods of integration and of fitting, options, the
// version. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stiffit/options.h"

namespace stiffit::api {

std::string version();

struct ListedModel {
  std::string name, title;
};
std::vector<ListedModel> models();                // of the library
std::string model_text(const std::string& name);  // of one of them; throws InputError

struct ListedMethod {
  std::string name, family, order, stability, use;
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

// An option by the name of its field. For bindings to other languages, which set it from texts.
struct ListedOption {
  std::string name, value, help;
  std::string type;   // whole number, number, text, yes or no, flag, list
  std::string range;  // in words; empty: any
  std::string unit;
  std::string fallback;  // the default as text; empty: none of its own
  std::vector<std::string> choices;
};
std::vector<ListedOption> fit_option_list();
std::vector<ListedOption> profile_option_list();    // with those of the fit
std::vector<ListedOption> posterior_option_list();  // likewise
// Throw InputError if there is no such option, or if it cannot have the value.
void set_option(FitOptions& options, const std::string& name,
                const std::vector<std::string>& values);
void set_option(ProfileOptions& options, const std::string& name,
                const std::vector<std::string>& values);
void set_option(PosteriorOptions& options, const std::string& name,
                const std::vector<std::string>& values);

}  // namespace stiffit::api
