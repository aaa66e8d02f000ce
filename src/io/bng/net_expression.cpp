// SPDX-License-Identifier: Apache-2.0
#include "io/bng/net_expression.h"

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/number.h"

namespace stiffit::internal {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

ExprId node_of(NetScope& scope, const NetExpression& expression) {
  if (!expression.constant) return expression.id;
  return scope.model().expressions.number(expression.value);
}

namespace {

// Beyond these a text is no model; they keep recursion over expressions within the stack.
constexpr int deepest_nesting = 200;
constexpr int most_operations = 20000;

struct BadExpression {};  // reported already; leaves the recursive descent

struct Operator {
  std::string_view text;
  int level;  // binds tighter the higher it is
  Op op;
};

constexpr int power_level = 6;  // read by unary(), so that -2^2 is -4 and a^b^c is a^(b^c)
// Longer texts first: "<=" must not be read as "<".
constexpr std::array operators{
    Operator{"||", 1, Op::logical_or},  Operator{"&&", 2, Op::logical_and},
    Operator{"==", 3, Op::eq},          Operator{"!=", 3, Op::ne},
    Operator{"~=", 3, Op::ne},          Operator{"<=", 3, Op::le},
    Operator{">=", 3, Op::ge},          Operator{"**", power_level, Op::pow},
    Operator{"<", 3, Op::lt},           Operator{">", 3, Op::gt},
    Operator{"+", 4, Op::add},          Operator{"-", 4, Op::sub},
    Operator{"*", 5, Op::mul},          Operator{"/", 5, Op::div},
    Operator{"^", power_level, Op::pow}};

class Parser {
 public:
  Parser(NetScope& scope, Span text, const std::vector<std::string>& arguments,
         std::vector<std::int32_t>* uses)
      : scope_(scope),
        text_(scope.diagnostics().source().text()),
        at_(text.begin),
        end_(text.end),
        arguments_(arguments),
        uses_(uses) {}

  NetExpression whole() {
    NetExpression result = conditional();
    skip_blanks();
    if (at_ < end_) fail({at_, word_end()}, "unexpected " + quoted_here(), "expected an operator");
    result.counts_inside = counts_inside_;
    return result;
  }

 private:
  static NetExpression constant(double value) {
    NetExpression e;
    e.valid = e.constant = true;
    e.value = value;
    return e;
  }
  static NetExpression node(ExprId id) {
    NetExpression e;
    e.valid = true;
    e.id = id;
    return e;
  }

  [[noreturn]] void fail(Span span, std::string message, std::string hint = {}) {
    scope_.diagnostics().error(span, std::move(message), std::move(hint));
    throw BadExpression{};
  }

  // Applies at once what has only numbers.
  NetExpression apply(Op op, const NetExpression& a) {
    count_operation();
    if (a.constant) return constant(evaluate(op, a.value));
    return node(scope_.model().expressions.apply(op, a.id));
  }
  NetExpression apply(Op op, const NetExpression& a, const NetExpression& b) {
    count_operation();
    if (a.constant && b.constant) return constant(evaluate(op, a.value, b.value));
    ExprId left = node_of(scope_, a);
    return node(scope_.model().expressions.apply(op, left, node_of(scope_, b)));
  }
  NetExpression choose(const NetExpression& condition, const NetExpression& yes,
                       const NetExpression& no) {
    count_operation();
    if (condition.constant) return condition.value != 0 ? yes : no;
    ExprId a = node_of(scope_, yes), c = node_of(scope_, no);
    return node(scope_.model().expressions.apply(Op::select, a, condition.id, c));
  }
  void count_operation() {
    if (++operations_ > most_operations)
      fail({at_, at_ + 1},
           "the expression has more than " + std::to_string(most_operations) + " operations");
  }

  void skip_blanks() {
    while (at_ < end_ && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  char here() {
    skip_blanks();
    return at_ < end_ ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (here() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (accept(c)) return;
    fail({at_, word_end()}, std::string("expected '") + c + "', found " + quoted_here());
  }
  std::uint32_t word_end() {
    std::uint32_t end = at_;
    while (end < end_ && is_name_part(text_[end])) ++end;
    return end > at_ ? end : at_ + 1;
  }
  std::string quoted_here() {
    if (at_ >= end_) return "the end of the line";
    return scope_.quoted({at_, word_end()});
  }

  // condition ? a : b, as muParser has it
  NetExpression conditional() {
    if (++depth_ > deepest_nesting) fail({at_, at_ + 1}, "the expression is nested too deeply");
    NetExpression result = binary(1);
    if (accept('?')) {
      NetExpression yes = conditional();
      expect(':');
      result = choose(result, yes, conditional());
    }
    --depth_;
    return result;
  }

  const Operator* operator_here() {
    skip_blanks();
    for (const Operator& o : operators)
      if (text_.substr(at_, end_ - at_).starts_with(o.text)) return &o;
    return nullptr;
  }

  NetExpression binary(int level) {
    NetExpression left = unary();
    for (const Operator* o = operator_here(); o && o->level >= level; o = operator_here()) {
      at_ += static_cast<std::uint32_t>(o->text.size());
      left = apply(o->op, left, binary(o->level + 1));
    }
    return left;
  }

  NetExpression unary() {
    if (++depth_ > deepest_nesting) fail({at_, at_ + 1}, "the expression is nested too deeply");
    NetExpression result;
    if (accept('-')) {
      result = apply(Op::neg, unary());
    } else if (accept('+')) {
      result = unary();
    } else if (here() == '!' && text_.substr(at_, 2) != "!=") {
      ++at_;
      result = apply(Op::logical_not, unary());
    } else {
      result = primary();
      if (const Operator* o = operator_here(); o && o->level == power_level) {
        at_ += static_cast<std::uint32_t>(o->text.size());
        result = apply(Op::pow, result, unary());
      }
    }
    --depth_;
    return result;
  }

  NetExpression primary() {
    char c = here();
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (is_name_start(c)) return name();
    if (accept('(')) {
      NetExpression inside = conditional();
      expect(')');
      return inside;
    }
    fail({at_, word_end()}, "expected a number, a name or '(', found " + quoted_here());
  }

  NetExpression number() {
    const char* begin = text_.data() + at_;
    double value = 0;
    auto [stop, code] = std::from_chars(begin, text_.data() + end_, value);
    if (stop == begin) fail({at_, at_ + 1}, "malformed number");
    auto length = static_cast<std::uint32_t>(stop - begin);
    if (code == std::errc::result_out_of_range)
      value = parse_number(text_.substr(at_, length)).value_or(0);
    at_ += length;
    return constant(value);
  }

  NetExpression name() {
    Span span{at_, word_end()};
    std::string_view word = scope_.view(span);
    at_ = span.end;
    bool called = here() == '(';
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (arguments_[i] == word)
        return node(scope_.model().expressions.symbol(
            {SymbolKind::argument, static_cast<std::int32_t>(i)}, span));
    if (const NetName* known = scope_.find(word)) {
      if (called) return call_of_declared(span, *known);
      if (known->function >= 0) fail(span, "function " + scope_.quoted(span) + " needs arguments");
      return use(known->ref);
    }
    if (word == "_pi") return constant(std::numbers::pi);
    if (word == "_e") return constant(std::numbers::e);
    if (word == "time" || word == "t") {
      if (accept('(')) expect(')');
      return node(scope_.symbol({SymbolKind::time, 0}));
    }
    if (called) return builtin(span, word);
    fail(span, "unknown name " + scope_.quoted(span), scope_.hint_for(word));
  }

  NetExpression use(Ref ref) {
    if (uses_ && ref.kind == SymbolKind::parameter) uses_->push_back(ref.index);
    return node(scope_.symbol(ref));
  }

  std::vector<NetExpression> call_arguments() {
    std::vector<NetExpression> values;
    expect('(');
    if (accept(')')) return values;
    do values.push_back(conditional());
    while (accept(','));
    expect(')');
    return values;
  }

  NetExpression call_of_declared(Span span, const NetName& known) {
    std::vector<NetExpression> values = call_arguments();
    if (known.function < 0) {
      if (values.empty()) return use(known.ref);
      if (known.ref.kind == SymbolKind::observable && !arguments_.empty()) {
        counts_inside_ = true;
        return constant(0);
      }
      fail(span, scope_.quoted(span) + " takes no arguments");
    }
    const Function& function = scope_.model().functions[known.function];
    if (function.arguments.size() != values.size())
      fail(span, "function '" + function.id + "' takes " +
                     std::to_string(function.arguments.size()) + " arguments, found " +
                     std::to_string(values.size()));
    scope_.note_call(known.function, span);
    if (uses_) uses_->push_back(-1 - known.function);
    std::vector<ExprId> ids;
    for (const NetExpression& value : values) ids.push_back(node_of(scope_, value));
    return node(scope_.model().expressions.call(known.function, ids, span));
  }

  NetExpression builtin(Span span, std::string_view word) {
    std::vector<NetExpression> values = call_arguments();
    auto need = [&](std::size_t count) {
      if (values.size() != count)
        fail(span, scope_.quoted(span) + " takes " + std::to_string(count) + " arguments, found " +
                       std::to_string(values.size()));
    };
    if (word == "if") return need(3), choose(values[0], values[1], values[2]);
    if (word == "rint") return need(1), apply(Op::floor, apply(Op::add, values[0], constant(0.5)));
    if (word == "log2")
      return need(1), apply(Op::div, apply(Op::ln, values[0]), constant(std::numbers::ln2));
    if (word == "log")
      fail(span, "'log' is the natural logarithm in some versions and the decimal in others",
           "write 'ln' or 'log10'");
    if (word == "min") return fold(span, Op::min, values);
    if (word == "max") return fold(span, Op::max, values);
    if (word == "sum") return fold(span, Op::add, values);
    if (word == "avg")
      return apply(Op::div, fold(span, Op::add, values),
                   constant(static_cast<double>(values.size())));
    std::optional<Op> op = function_named(word);
    if (!op || *op == Op::delay || *op == Op::rate_of)
      fail(span, "unknown function " + scope_.quoted(span), scope_.hint_for(word));
    need(static_cast<std::size_t>(arity(*op)));
    return values.size() == 1 ? apply(*op, values[0]) : apply(*op, values[0], values[1]);
  }

  NetExpression fold(Span span, Op op, const std::vector<NetExpression>& values) {
    if (values.empty()) fail(span, scope_.quoted(span) + " needs at least one argument");
    NetExpression result = values.front();
    for (std::size_t i = 1; i < values.size(); ++i) result = apply(op, result, values[i]);
    return result;
  }

  NetScope& scope_;
  std::string_view text_;
  std::uint32_t at_, end_;
  const std::vector<std::string>& arguments_;
  std::vector<std::int32_t>* uses_;
  int depth_ = 0;
  int operations_ = 0;
  bool counts_inside_ = false;
};

}  // namespace

NetExpression parse_net_expression(NetScope& scope, Span text,
                                   const std::vector<std::string>& arguments,
                                   std::vector<std::int32_t>* uses) {
  try {
    return Parser(scope, text, arguments, uses).whole();
  } catch (const BadExpression&) {
    return {};
  }
}

}  // namespace stiffit::internal
