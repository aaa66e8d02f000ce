// Reactions, interactions and events.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "io/text/syntax/keywords.h"
#include "io/text/syntax/parser.h"

namespace stiffit::internal {

bool TextParser::at_arrow() {
  const Token& t = peek();
  if (t.is("->") || t.is("=>") || t.is("<->") || t.is("<=>") || t.is("<==>")) return true;
  return t.is("-") && (peek(1).is_name("o") || peek(1).is("|") || peek(1).is("("));
}

Arrow TextParser::arrow() {
  if (!at_arrow()) {
    std::string hint;
    if (peek().kind == TokenKind::name) hint = "is a '+' or an arrow missing?";
    fail_expected("'->'", hint);
  }
  Token token = take();
  if (antimony_ && token.is("<==>")) return Arrow::reversible;
  if (antimony_ && (token.is("<->") || token.is("<=>")))
    fail(token.span, quoted(token.text) + " is no arrow of Antimony",
         "write '->' and the rate; the shorthand is for .rxn files, or under '#: mass-action'");
  if (token.is("->")) return Arrow::reversible;
  if (token.is("=>")) return Arrow::irreversible;
  if (!token.is("-")) return Arrow::both_ways;
  take();
  return Arrow::interaction;
}

Participant TextParser::participant() {
  Participant result;
  std::uint32_t begin = peek().span.begin;
  if (peek().is("-") && peek(1).kind == TokenKind::number) {
    take();
    take();
    fail({begin, last_end_}, "a stoichiometry cannot be negative",
         "write the species on the other side");
  }
  if (peek().kind == TokenKind::number) {
    result.stoichiometry = take().number;
    if (peek().is("/") && peek(1).kind == TokenKind::number) {
      take();
      result.stoichiometry /= take().number;
    }
    accept("*");
  } else if (peek().kind == TokenKind::name && !is_keyword(peek().text) &&
             (peek(1).is("$") || (peek(1).kind == TokenKind::name && !is_keyword(peek(1).text)))) {
    result.stoichiometry_name = expect_name("a stoichiometry");
  }
  result.boundary = accept("$");
  result.species = expect_name("the name of a species");
  result.span = {begin, last_end_};
  return result;
}

std::vector<Participant> TextParser::side() {
  std::vector<Participant> result;
  if (at_arrow() || at_terminator()) return result;
  result.push_back(participant());
  while (accept("+")) result.push_back(participant());
  return result;
}

// After "A -> B;": is the rest of the line its law, or another statement?
bool TextParser::law_follows() {
  const Token& token = peek();
  if (at_terminator()) return false;
  if (token.kind != TokenKind::name) return true;
  if (is_keyword(token.text)) return false;
  const Token& after = peek(1);
  return !(after.is("=") || after.is(":=") || after.is(":") || after.is("->") || after.is("=>") ||
           after.is("<->") || after.is_name("has") || after.is_name("is"));
}

void TextParser::reaction(ModelSyntax& model, Word name, Word compartment) {
  ReactionSyntax result;
  result.name = name;
  result.compartment = compartment;
  std::uint32_t begin = name.empty() ? peek().span.begin : name.span.begin;
  Token first = peek();
  result.left = side();
  if (!at_arrow() && result.left.size() == 1 && first.kind == TokenKind::name) {
    // Not a reaction at all, perhaps a misspelt keyword: "speces A, B".
    std::string meant = nearest_name(first.text, keyword_names());
    bool misspelt = !meant.empty() && peek(0).kind != TokenKind::end &&
                    !result.left[0].stoichiometry_name.empty();
    if (misspelt)
      fail(first.span, "unknown keyword " + quoted(first.text), "did you mean '" + meant + "'?");
  }
  result.arrow = arrow();
  result.right = side();
  result.span = {begin, last_end_};
  if (peek().is(";")) {
    Token separator = take();
    if (law_follows()) {
      do result.law.push_back(expression());
      while (accept(","));
      if (accept_name("in")) result.compartment = expect_name("the name of a compartment");
    } else {
      ahead_.push_front(separator);  // it ends the statement
    }
  }
  model.statements.push_back(std::move(result));
}

void TextParser::event_option(EventSyntax& event) {
  Word option = expect_name("an option of the event");
  expect("=", "after the option");
  if (option.text == "priority") {
    event.priority = expression();
    return;
  }
  bool* flag = option.text == "t0"            ? &event.initial_value
               : option.text == "persistent"  ? &event.persistent
               : option.text == "fromTrigger" ? &event.values_at_trigger
                                              : nullptr;
  if (!flag) {
    std::string meant = nearest_name(option.text, {"priority", "t0", "persistent", "fromTrigger"});
    fail(option.span, "unknown event option " + quoted(option.text),
         meant.empty() ? "known are priority, t0, persistent, fromTrigger"
                       : "did you mean '" + meant + "'?");
  }
  const Token& value = peek();
  bool yes = value.is_name("true") || (value.kind == TokenKind::number && value.number == 1);
  bool no = value.is_name("false") || (value.kind == TokenKind::number && value.number == 0);
  if (!yes && !no) fail_expected("true or false");
  take();
  *flag = yes;
}

void TextParser::event(ModelSyntax& model, Word name) {
  EventSyntax result;
  result.name = name;
  std::uint32_t begin = name.empty() ? peek().span.begin : name.span.begin;
  result.trigger = expression();
  if (accept_name("after")) {
    result.delay = result.trigger;
    result.trigger = expression();
  }
  while (accept(",")) {
    skip_newlines();
    event_option(result);
  }
  if (peek().is("=")) fail_expected("':' after the trigger", "'==' compares");
  result.span = {begin, last_end_};
  expect(":", "after the trigger");
  do {
    skip_newlines();
    Assignment assignment;
    assignment.target = expect_name("a name to assign to");
    assignment.order = primes();
    expect("=", "of the event's assignment");
    assignment.value = expression();
    assignment.span = {assignment.target.span.begin, last_end_};
    result.assignments.push_back(assignment);
  } while (accept(",") || (antimony_ && accept(":")));
  model.statements.push_back(std::move(result));
}

}  // namespace stiffit::internal
