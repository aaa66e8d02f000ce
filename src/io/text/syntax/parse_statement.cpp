// Statements other than reactions and events: declarations, values, rules, annotations.
// SPDX-License-Identifier: Apache-2.0
#include "io/text/syntax/keywords.h"
#include "io/text/syntax/parser.h"
#include "io/text/syntax/symbols.h"

namespace stiffit::internal {

void TextParser::leave_out(ModelSyntax& model, std::string_view what) {
  model.statements.push_back(Ignored{peek().span, what});
  while (!at_terminator()) take();
}

void TextParser::not_supported(ModelSyntax& model, std::string_view what) {
  model.statements.push_back(Unsupported{peek().span, what});
  while (!at_terminator()) take();
}

int TextParser::primes() {
  int order = 0;
  while (accept("'")) ++order;
  return order;
}

void TextParser::statement(ModelSyntax& model) {
  const Token& token = peek();
  if (token.kind == TokenKind::directive) {
    model.statements.push_back(Directive{{token.text, token.span}});
    if (take().text == "mass-action") {
      antimony_ = false;
      begin_dialect(last_end_);
    }
    return;
  }
  if (token.kind == TokenKind::name) {
    if (annotation() || keyword_statement(model)) return;
    if (at_bounds()) return leave_out(model, "constraints");
    return named_statement(model);
  }
  if (token.is("@")) {
    take();
    return event(model, {});
  }
  if (token.kind == TokenKind::number && peek(1).is("=")) return algebraic_rule(model);
  if (at_bounds()) return leave_out(model, "constraints");
  if (token.is("-") && peek(1).is("-")) return not_supported(model, "DNA strands");
  if (token.kind == TokenKind::number || token.is("$") || token.is("-") || at_arrow())
    return reaction(model, {}, {});
  fail_expected("a statement");
}

void TextParser::algebraic_rule(ModelSyntax& model) {
  if (peek().number != 0)
    fail(peek().span, "expected a name or 0 before '='", "an algebraic rule says 0 = ...");
  Assignment rule{AssignmentKind::algebraic, {}, 0, {}, peek().span};
  take();
  take();
  rule.value = expression();
  rule.span.end = last_end_;
  model.statements.push_back(rule);
}

// 0 <= J1, J1 < 10, -3 < J1 < 3: Antimony's constraints on fluxes.
bool TextParser::at_bounds() {
  const std::size_t first = peek().is("-") && peek(1).kind == TokenKind::number ? 1 : 0;
  if (peek(first).kind != TokenKind::number && peek(first).kind != TokenKind::name) return false;
  const Token& sign = peek(first + 1);
  return sign.is("<") || sign.is("<=") || sign.is(">") || sign.is(">=") || sign.is("==") ||
         sign.is("!=");
}

bool TextParser::keyword_statement(ModelSyntax& model) {
  std::string_view word = peek().text;
  bool defines = peek(1).is("=") || peek(1).is(":=") || peek(1).is("'");
  if (defines && is_keyword(word))
    fail(peek().span, quoted(word) + " is a keyword and cannot be a name");
  if (word == "species" || word == "compartment" || word == "formula" || word == "const" ||
      word == "var" || word == "substanceOnly" || word == "reaction" || word == "event") {
    declarations(model);
  } else if (word == "unit") {
    unit_definition(model);
  } else if (word == "at") {
    take();
    event(model, {});
  } else if (word == "import") {
    import();
  } else if (word == "delete") {
    deletion(model);
  } else if (word == "gene" || word == "operator" || word == "DNA") {
    not_supported(model, "DNA strands, genes and operators");
  } else if ((word == "maximize" || word == "minimize") && !defines) {
    not_supported(model, "flux-balance objectives");
  } else if ((word == "constraint" || word == "assert") && !defines) {
    leave_out(model, "constraints");
  } else if (antimony_ && word == "geneProduct" && !defines) {
    leave_out(model, "gene products");
  } else if (antimony_ && word == "ext" && peek(1).kind == TokenKind::name) {
    declarations(model);
  } else {
    return false;
  }
  return true;
}

// S1 is "display name"; S1 identity "urn:..."; model notes ```...```: for people and databases.
bool TextParser::annotation() {
  if (peek().kind != TokenKind::name || peek(1).kind != TokenKind::name ||
      peek(2).kind != TokenKind::string)
    return false;
  Token subject = take();
  bool names = take().text == "is";
  Token value = take();
  if (names) {
    for (ModelSyntax& model : syntax_.models)
      if (model.name.text == subject.text) model.title = value.text;
  }
  while (accept(",")) {
    skip_newlines();
    if (peek().kind != TokenKind::string) fail_expected("a string");
    take();
  }
  return true;
}

void TextParser::declarations(ModelSyntax& model) {
  Declaration shared;
  for (;;) {
    std::string_view word = peek().kind == TokenKind::name ? peek().text : std::string_view{};
    if (word == "const" || (antimony_ && word == "ext"))
      shared.constant = true;
    else if (word == "var")
      shared.variable = true;
    else if (word == "substanceOnly")
      shared.substance_only = true;
    else if (word == "species")
      shared.role = Role::species;
    else if (word == "compartment")
      shared.role = Role::compartment;
    else if (word == "formula")
      shared.role = Role::parameter;
    else if (word == "reaction")
      shared.role = Role::reaction;
    else if (word == "event")
      shared.role = Role::event;
    else if (word == "gene" || word == "operator" || word == "DNA")
      return not_supported(model, "DNA strands, genes and operators");
    else
      break;
    take();
  }
  if (shared.substance_only && shared.role == Role::none) shared.role = Role::species;
  do {
    skip_newlines();
    Declaration item = shared;
    item.boundary = accept("$");
    item.name = expect_name("a name");
    if (accept_name("in")) item.compartment = expect_name("the name of a compartment");
    model.statements.push_back(item);
    value_of(model, item.name);
  } while (accept(","));
}

// What may follow a name: a value, a rule, a unit. False if none does.
bool TextParser::value_of(ModelSyntax& model, const Word& name) {
  Assignment assignment;
  assignment.target = name;
  if (accept_name("has")) {
    Declaration declaration;
    declaration.name = name;
    declaration.unit = unit_text();
    model.statements.push_back(declaration);
    return true;
  }
  if (peek().is("'")) {
    assignment.order = primes();
    assignment.kind = AssignmentKind::rate;
  }
  if (peek().is("(") && peek(1).kind == TokenKind::number && peek(2).is(")")) {
    take();
    if (peek().number != 0) fail(peek().span, "only the initial value can be given", "write (0)");
    take();
    take();
    assignment.kind = AssignmentKind::initial;
  } else if (peek().is(":=")) {
    if (assignment.order > 0) fail_expected("'=' after the prime");
    assignment.kind = AssignmentKind::rule;
    take();
    if (clears(model, assignment)) return true;
    assignment.value = expression();
    assignment.span = {name.span.begin, last_end_};
    model.statements.push_back(assignment);
    return true;
  } else if (!peek().is("=")) {
    if (assignment.order > 0) fail_expected("'=' after the prime");
    return false;
  }
  expect("=");
  if (clears(model, assignment)) return true;
  if (is_annotation(name.text) && peek().is_name("SBO")) {  // SBO:0000236
    while (!at_terminator()) take();
    return true;
  }
  if (is_annotation(name.text) && (peek().is("{") || peek().kind == TokenKind::string)) {
    leave_out(model, "uncertainties, and what is for databases and drawings");
    return true;
  }
  assignment.value = expression();
  assignment.span = {name.span.begin, last_end_};
  model.statements.push_back(assignment);
  return true;
}

void TextParser::named_statement(ModelSyntax& model) {
  const Token& after = peek(1);
  if (after.is("-") && peek(2).is("-")) return not_supported(model, "DNA strands");
  if (after.is("(") && !(peek(2).kind == TokenKind::number && peek(3).is(")")))
    return submodel(model, {}, {});
  bool alone =
      !(after.is("=") || after.is(":=") || after.is("'") || after.is(":") || after.is("(") ||
        after.is_name("in") || after.is_name("has") || after.is_name("is"));
  if (alone) return reaction(model, {}, {});

  Word name = expect_name("a name");
  Word compartment;
  if (accept_name("in")) compartment = expect_name("the name of a compartment");
  if (accept(":")) return labelled_statement(model, name, compartment);
  if (!compartment.empty()) {
    Declaration declaration;
    declaration.name = name;
    declaration.compartment = compartment;
    model.statements.push_back(declaration);
    value_of(model, name);
    return;
  }
  if (peek().is_name("is")) return same_thing(model, name);
  if (!value_of(model, name)) fail_expected("'=' or ':='");
}

void TextParser::labelled_statement(ModelSyntax& model, Word name, Word compartment) {
  if (accept_name("at") || accept("@")) return event(model, name);
  const Token& token = peek();
  if (token.kind == TokenKind::number && peek(1).is("=")) return algebraic_rule(model);
  if (token.kind == TokenKind::name) {
    if (token.text == "maximize" || token.text == "minimize")
      return not_supported(model, "flux-balance objectives");
    if (token.text == "constraint" || token.text == "assert")
      return leave_out(model, "constraints");
    if (peek(1).is("(")) return submodel(model, name, compartment);
    if (peek(1).is("-") && peek(2).is("-")) return not_supported(model, "DNA strands");
  }
  if (token.is("-") && peek(1).is("-")) return not_supported(model, "DNA strands");
  reaction(model, name, compartment);
}

// import "other.rxn": the file is behind this one in the source already, or was reported.
void TextParser::import() {
  take();
  if (peek().kind != TokenKind::string) fail_expected("the name of a file in quotes");
  take();
}

// [A:] inner(x, y) [in c]
void TextParser::submodel(ModelSyntax& model, Word name, Word compartment) {
  SubmodelSyntax result;
  result.name = name;
  result.compartment = compartment;
  std::uint32_t begin = name.empty() ? peek().span.begin : name.span.begin;
  result.model = expect_name("the name of a model");
  Token open = expect("(");
  ++parentheses_;
  while (!look().is(")")) {
    result.arguments.push_back(expression());
    if (!look().is(",")) break;
    take();
  }
  expect_closing(open);
  result.span = {begin, last_end_};
  if (accept_name("in")) result.compartment = expect_name("the name of a compartment");
  if (peek().is(",") && (peek(1).is_name("timeconv") || peek(1).is_name("extentconv")))
    return not_supported(model, "conversion factors of submodels");
  model.statements.push_back(std::move(result));
}

void TextParser::same_thing(ModelSyntax& model, Word name) {
  take();
  if (peek().kind != TokenKind::name) fail_expected("a name or a string");
  SameSyntax same{name, expect_name("a name")};
  if (peek().is("*") || peek().is("/"))
    return not_supported(model, "conversion factors of submodels");
  model.statements.push_back(same);
}

void TextParser::deletion(ModelSyntax& model) {
  take();
  do model.statements.push_back(DeletionSyntax{expect_name("the name of a submodel's part")});
  while (accept(","));
}

// A.x = ; takes away the value that the submodel gives.
bool TextParser::clears(ModelSyntax& model, const Assignment& assignment) {
  if (!at_terminator() || assignment.target.text.find('.') == std::string_view::npos) return false;
  model.statements.push_back(DeletionSyntax{assignment.target, false, assignment.kind});
  return true;
}

std::string_view TextParser::unit_text() {
  Expression unit = expression();
  return text_.substr(unit.span.begin, unit.span.end - unit.span.begin);
}

void TextParser::unit_definition(ModelSyntax& model) {
  take();
  do {
    UnitSyntax unit{expect_name("the name of a unit"), {}};
    if (accept("=")) unit.definition = unit_text();
    model.statements.push_back(unit);
  } while (accept(","));
}

}  // namespace stiffit::internal
