// What there is: models of the library, methods of integration, the version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

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

}  // namespace stiffit::api
