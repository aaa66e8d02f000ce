// A request that cannot be answered: its status, and what to tell the page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace stiffit::internal {

class RequestError : public std::runtime_error {
 public:
  RequestError(int status, const std::string& message, const std::string& hint = {})
      : std::runtime_error(message), status_(status), hint_(hint) {}
  static RequestError about(nlohmann::json diagnostics, int status, const std::string& message) {
    RequestError error(status, message);
    error.diagnostics_ = std::move(diagnostics);
    return error;
  }
  // About one field of the request, by its name.
  static RequestError at(std::string field, int status, const std::string& message,
                         const std::string& hint = {}) {
    RequestError error(status, message, hint);
    error.field_ = std::move(field);
    return error;
  }
  int status() const { return status_; }
  const std::string& hint() const { return hint_; }
  const std::string& field() const { return field_; }                 // empty: not about one
  const nlohmann::json& diagnostics() const { return diagnostics_; }  // null: none

 private:
  int status_;
  std::string hint_, field_;
  nlohmann::json diagnostics_;
};

}  // namespace stiffit::internal
