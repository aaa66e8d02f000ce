// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/simulation_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "analysis/pipeline/method_choice.h"
#include "analysis/pipeline/varied_parameters.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

using Complex = std::complex<double>;
using Drawn = std::vector<std::pair<std::string, std::string>>;

std::optional<Complex> parse_eigenvalue(const std::string& text) {
  if (auto real = parse_number(text)) return *real;
  if (text.size() < 2 || (text.back() != 'i' && text.back() != 'j')) return {};
  const std::string body = text.substr(0, text.size() - 1);
  for (std::size_t k = body.size() - 1; k > 0; --k) {
    if ((body[k] != '+' && body[k] != '-') || body[k - 1] == 'e' || body[k - 1] == 'E') continue;
    const std::string tail = body.substr(k + 1);
    const auto real = parse_number(body.substr(0, k));
    const auto imaginary = tail.empty() ? 1.0 : parse_number(tail);
    if (!real || !imaginary) return {};
    return Complex(*real, std::fabs(*imaginary));
  }
  return {};
}

std::string eigenvalue_text(const Complex& value) {
  return format_number(value.real()) +
         (value.imag() == 0 ? "" : "+" + format_number(std::fabs(value.imag())) + "i");
}

bool decays(const Complex& value) { return value.real() < 0 && std::isfinite(std::abs(value)); }

[[noreturn]] void no_eigenvalue(const FieldInfo& info, const std::string& text) {
  throw OptionError(
      option(info.name) + " needs numbers with negative real parts, not '" + text + "'",
      "-40 is one, -5+3i a pair");
}

[[noreturn]] void no_size(const FieldInfo& info, const std::string& text) {
  throw OptionError(
      option(info.name) + " knows size=NUMBER, above 0, for compartments without a size",
      "not '" + text + "'");
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts{""};
  for (char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

api::ScanAxis axis_of(const FieldInfo& info, const std::string& text) {
  auto [name, rest] = name_and_rest(info, text);
  const std::vector<std::string> parts = split(rest, ':');
  auto wrong = [&](const std::string& why) {
    return OptionError(option(info.name) + " " + text + ": " + why,
                       "write name=low:high:count or ...:log");
  };
  const bool log = parts.size() == 4 && parts[3] == "log";
  if (parts.size() != 3 && !log) throw wrong("three numbers are needed");
  double numbers[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const auto number = parse_number(parts[k]);
    if (!number || !std::isfinite(*number)) throw wrong("'" + parts[k] + "' is not a number");
    numbers[k] = *number;
  }
  try {
    return {name, grid_values(numbers[0], numbers[1], numbers[2], log)};
  } catch (const std::invalid_argument& error) {
    throw wrong(error.what());
  }
}

std::string side_by_side(const Texts& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

}  // namespace

FieldRule<std::string> integrator_name_rule() {
  FieldRule<std::string> rule = text_rule();
  for (const MethodEntry& entry : method_entries()) rule.choices.emplace_back(entry.info.name);
  rule.check = [](const FieldInfo&, const std::string& name) { named_method(name); };
  return rule;
}

FieldRule<Texts> names_rule() {
  FieldRule<Texts> rule = list_rule();
  rule.read = [read = rule.read](const FieldInfo& info, const Texts& texts) {
    Texts names = read(info, texts);
    if (names.empty()) throw OptionError(option(info.name) + " needs at least one name");
    return names;
  };
  return rule;
}

FieldRule<int> lanes_rule() {
  FieldRule<int> rule = whole_rule(1, 8);
  rule.range = "1, 4 or 8";
  rule.choices = {"1", "4", "8"};
  rule.check = [](const FieldInfo& info, const int& lanes) {
    if (lanes != 1 && lanes != 4 && lanes != 8)
      throw OptionError(option(info.name) + " is 1, 4 or 8");
  };
  return rule;
}

FieldRule<double> assumed_size_rule() {
  FieldRule<double> rule = above_zero();
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    const std::string& text = texts.front();
    // A program gives the number alone.
    const auto size = parse_number(text.starts_with("size=") ? text.substr(5) : text);
    if (!size || !(*size > 0) || !std::isfinite(*size)) no_size(info, text);
    return *size;
  };
  rule.words = [](const double& size) { return Texts{"size=" + format_number(size)}; };
  return rule;
}

FieldRule<std::vector<Complex>> eigenvalues_rule() {
  FieldRule<std::vector<Complex>> rule;
  rule.type = "list";
  rule.range = "negative real parts";
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    std::vector<Complex> values;
    for (const std::string& text : texts)
      for (const std::string& part : split_at_commas(text)) {
        const std::optional<Complex> value = parse_eigenvalue(part);
        if (!value || !decays(*value)) no_eigenvalue(info, part);
        values.push_back(*value);
      }
    return values;
  };
  rule.text = [](const std::vector<Complex>& values) {
    std::string text;
    for (const Complex& value : values) text += (text.empty() ? "" : ",") + eigenvalue_text(value);
    return text;
  };
  rule.check = [](const FieldInfo& info, const std::vector<Complex>& values) {
    for (const Complex& value : values)
      if (!decays(value)) no_eigenvalue(info, eigenvalue_text(value));
  };
  return rule;
}

FieldRule<Drawn> sample_rule() {
  FieldRule<Drawn> rule;
  rule.type = "values";
  rule.repeated = true;
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    Drawn drawn;
    for (const std::string& text : texts) drawn.push_back(name_and_rest(info, text));
    return drawn;
  };
  rule.words = [](const Drawn& drawn) {
    Texts texts;
    for (const auto& [name, distribution] : drawn) texts.push_back(name + "=" + distribution);
    return texts;
  };
  rule.text = [words = rule.words](const Drawn& drawn) { return side_by_side(words(drawn)); };
  rule.check = [](const FieldInfo& info, const Drawn& drawn) {
    require_names_once(parameter_distributions(drawn), info.name);
  };
  return rule;
}

FieldRule<std::vector<api::ScanAxis>> vary_rule() {
  using Axes = std::vector<api::ScanAxis>;
  FieldRule<Axes> rule;
  rule.type = "values";
  rule.repeated = true;
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    Axes axes;
    for (const std::string& text : texts) axes.push_back(axis_of(info, text));
    return axes;
  };
  rule.text = [](const Axes& axes) {  // for people: the values may be any
    Texts texts;
    for (const api::ScanAxis& axis : axes) {
      std::string values;
      for (double value : axis.values) values += (values.empty() ? "" : ",") + format_number(value);
      texts.push_back(axis.name + "=" + values);
    }
    return side_by_side(texts);
  };
  rule.check = [](const FieldInfo& info, const Axes& axes) {
    for (const api::ScanAxis& axis : axes) {
      const auto finite = [](double value) { return std::isfinite(value); };
      if (axis.values.empty())
        throw OptionError(option(info.name) + ": there are no values of '" + axis.name + "'");
      if (!std::all_of(axis.values.begin(), axis.values.end(), finite))
        throw OptionError(option(info.name) + ": the values of '" + axis.name +
                          "' are finite numbers");
    }
    require_names_once(axes, info.name);
  };
  return rule;
}

}  // namespace stiffit::internal
