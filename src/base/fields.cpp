// SPDX-License-Identifier: Apache-2.0
#include "base/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

[[noreturn]] void not_this(const FieldInfo& info, const std::string& wanted,
                           const std::string& given) {
  throw OptionError(option(info.name) + " needs " + wanted + ", not '" + given + "'");
}

long whole_of(const FieldInfo& info, const Texts& texts) {
  const std::string& text = texts.front();
  long value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size())
    not_this(info, "a whole number above zero", text);
  return value;
}

void check_range(const FieldInfo& info, long value, long least, long most) {
  if (value < 1 && least >= 1) not_this(info, "a whole number above zero", std::to_string(value));
  if (value < least || value > most)
    throw OptionError(option(info.name) + " is " + std::to_string(least) + " to " +
                      std::to_string(most) + ", not " + std::to_string(value));
}

double number_of(const FieldInfo& info, const Texts& texts) {
  const std::optional<double> value = parse_number(texts.front());
  if (!value || !std::isfinite(*value)) not_this(info, "a number", texts.front());
  return *value;
}

bool yes(const FieldInfo& info, const Texts& texts) {
  const std::string& text = texts.front();
  if (text != "yes" && text != "no") throw OptionError(option(info.name) + " is yes or no");
  return text == "yes";
}

template <class T>
FieldRule<T> whole(long least, long most) {
  FieldRule<T> rule;
  rule.type = "whole number";
  rule.range = std::to_string(least) + " to " + std::to_string(most);
  rule.read = [=](const FieldInfo& info, const Texts& texts) {
    const long value = whole_of(info, texts);
    check_range(info, value, least, most);  // before it is made smaller
    return static_cast<T>(value);
  };
  rule.text = [](const T& value) { return std::to_string(value); };
  rule.check = [=](const FieldInfo& info, const T& value) {
    check_range(info, static_cast<long>(value), least, most);
  };
  return rule;
}

std::string joined(const Texts& texts, const char* between) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : between) + text;
  return all;
}

// `what` in words, for people.
FieldRule<std::vector<double>> numbers(const std::string& what, bool positive) {
  using Numbers = std::vector<double>;
  FieldRule<Numbers> rule;
  rule.type = "numbers";
  rule.range = positive ? "above zero" : "";
  rule.read = [=](const FieldInfo& info, const Texts& texts) {
    Numbers numbers;
    for (const std::string& text : texts)
      for (const std::string& part : split_at_commas(text)) {
        const std::optional<double> number = parse_number(part);
        if (!number || !std::isfinite(*number) || (positive && !(*number > 0)))
          not_this(info, what, part);
        numbers.push_back(*number);
      }
    if (numbers.empty()) throw OptionError(option(info.name) + " needs at least one number");
    return numbers;
  };
  rule.text = [](const Numbers& numbers) {
    Texts texts;
    for (double number : numbers) texts.push_back(format_number(number));
    return joined(texts, ",");
  };
  rule.check = [=](const FieldInfo& info, const Numbers& numbers) {
    if (numbers.empty()) throw OptionError(option(info.name) + " needs at least one number");
    for (double number : numbers)
      if (!std::isfinite(number) || (positive && !(number > 0)))
        not_this(info, what, format_number(number));
  };
  return rule;
}

}  // namespace

std::string FieldInfo::keyword() const {
  if (!python.empty()) return python;
  std::string result = name;
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

FieldRule<int> whole_rule(int least, int most) { return whole<int>(least, most); }
FieldRule<long> long_rule(long least, long most) { return whole<long>(least, most); }

FieldRule<std::uint64_t> seed_rule() {
  constexpr double largest = 9e15;  // beyond it doubles skip whole numbers
  FieldRule<std::uint64_t> rule;
  rule.type = "whole number";
  rule.range = "from 0 on";
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    const double seed = number_of(info, texts);
    if (seed < 0 || seed != std::floor(seed) || seed > largest)
      throw OptionError(option(info.name) + " is a whole number from 0 on");
    return static_cast<std::uint64_t>(seed);
  };
  rule.text = [](const std::uint64_t& value) { return std::to_string(value); };
  return rule;
}

FieldRule<double> above_zero() {
  FieldRule<double> rule;
  rule.type = "number";
  rule.range = "above zero";
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    const double value = number_of(info, texts);
    if (!(value > 0)) not_this(info, "a number above zero", texts.front());
    return value;
  };
  rule.text = [](const double& value) { return std::isnan(value) ? "" : format_number(value); };
  rule.check = [](const FieldInfo& info, const double& value) {
    if (!(value > 0)) not_this(info, "a number above zero", format_number(value));
  };
  return rule;
}

FieldRule<double> number_rule() {
  FieldRule<double> rule;
  rule.type = "number";
  rule.read = number_of;
  rule.text = [](const double& value) { return std::isnan(value) ? "" : format_number(value); };
  rule.check = [](const FieldInfo& info, const double& value) {
    if (!std::isfinite(value)) not_this(info, "a number", format_number(value));
  };
  return rule;
}

FieldRule<double> tolerance_rule() {
  FieldRule<double> rule = above_zero();
  rule.text = [](const double& value) { return value < 0 ? "" : format_number(value); };
  rule.check = [](const FieldInfo& info, const double& value) {
    if (!std::isfinite(value) || value == 0)
      not_this(info, "a number above zero", format_number(value));
  };
  return rule;
}

FieldRule<std::vector<double>> numbers_rule() { return numbers("numbers", false); }
FieldRule<std::vector<double>> positive_numbers_rule() { return numbers("positive numbers", true); }

FieldRule<std::map<std::string, double>> values_rule() {
  using Values = std::map<std::string, double>;
  FieldRule<Values> rule;
  rule.type = "values";
  rule.repeated = true;
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    Values values;
    for (const std::string& text : texts) {
      // The last '=': names of BioNetGen species may hold anything, a number does not.
      const std::size_t equals = text.rfind('=');
      if (equals == std::string::npos || equals == 0) not_this(info, "name=value", text);
      const std::string name = text.substr(0, equals), given = text.substr(equals + 1);
      const std::optional<double> value = parse_number(given);
      if (!value || !std::isfinite(*value))
        throw OptionError(option(info.name) + " " + name + " needs a number, not '" + given + "'");
      values[name] = *value;
    }
    return values;
  };
  rule.words = [](const Values& values) {
    Texts texts;
    for (const auto& [name, value] : values) texts.push_back(name + "=" + format_number(value));
    return texts;
  };
  rule.text = [words = rule.words](const Values& values) { return joined(words(values), " "); };
  rule.check = [](const FieldInfo& info, const Values& values) {
    for (const auto& [name, value] : values)
      if (!std::isfinite(value))
        throw OptionError(option(info.name) + " " + name + " needs a number, not '" +
                          format_number(value) + "'");
  };
  return rule;
}

std::pair<std::string, std::string> name_and_rest(const FieldInfo& info, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) not_this(info, "name=...", text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

FieldRule<bool> yes_or_no() {
  FieldRule<bool> rule;
  rule.type = "yes or no";
  rule.choices = {"yes", "no"};
  rule.read = yes;
  rule.text = [](const bool& value) { return std::string(value ? "yes" : "no"); };
  return rule;
}

FieldRule<std::optional<bool>> perhaps_yes_or_no() {
  FieldRule<std::optional<bool>> rule;
  rule.type = "yes or no";
  rule.choices = {"yes", "no"};
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    return std::optional<bool>(yes(info, texts));
  };
  rule.text = [](const std::optional<bool>& value) {
    return std::string(!value ? "" : *value ? "yes" : "no");
  };
  return rule;
}

FieldRule<bool> flag_rule() {
  FieldRule<bool> rule = yes_or_no();
  rule.type = "flag";
  rule.choices.clear();
  rule.read = [](const FieldInfo& info, const Texts& texts) {
    return texts.empty() || texts.front().empty() || yes(info, texts);
  };
  return rule;
}

FieldRule<std::string> text_rule() {
  FieldRule<std::string> rule;
  rule.type = "text";
  rule.read = [](const FieldInfo&, const Texts& texts) { return texts.front(); };
  rule.text = [](const std::string& value) { return value; };
  return rule;
}

FieldRule<std::string> choice_rule(std::vector<std::string> choices) {
  FieldRule<std::string> rule = text_rule();
  rule.range = either(choices);
  rule.choices = choices;
  rule.check = [choices](const FieldInfo& info, const std::string& value) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      throw OptionError(option(info.name) + " is " + either(choices) + ", not '" + value + "'");
  };
  return rule;
}

FieldRule<Texts> repeated_rule() {
  FieldRule<Texts> rule;
  rule.type = "list";
  rule.repeated = true;
  rule.read = [](const FieldInfo&, const Texts& texts) { return texts; };
  rule.words = [](const Texts& value) { return value; };
  rule.text = [](const Texts& value) { return joined(value, " "); };
  return rule;
}

FieldRule<Texts> list_rule() {
  FieldRule<Texts> rule;
  rule.type = "list";
  rule.read = [](const FieldInfo&, const Texts& texts) {
    Texts parts;
    for (const std::string& text : texts)
      for (std::string& part : split_at_commas(text)) parts.push_back(std::move(part));
    return parts;
  };
  rule.text = [](const Texts& value) { return joined(value, ","); };
  return rule;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  auto finish = [&] {
    std::size_t begin = part.find_first_not_of(" \t");
    std::size_t end = part.find_last_not_of(" \t");
    if (begin != std::string::npos) parts.push_back(part.substr(begin, end - begin + 1));
    part.clear();
  };
  for (char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth <= 0)
      finish();
    else
      part += c;
  }
  finish();
  return parts;
}

std::string either(const std::vector<std::string>& names, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " " + std::string(last) + " " : ", ";
    text += names[i];
  }
  return text;
}

std::size_t field_index(const std::vector<FieldInfo>& table, std::string_view name) {
  std::string dashed(name);
  std::replace(dashed.begin(), dashed.end(), '_', '-');
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == dashed || table[i].keyword() == name) return i;
    names.push_back(table[i].name);
  }
  const std::string nearest = nearest_name(dashed, names);
  throw OptionError("unknown option '" + option(name) + "'",
                    nearest.empty() ? "" : "did you mean '" + option(nearest) + "'?");
}

}  // namespace stiffit::internal
