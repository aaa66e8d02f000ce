// SPDX-License-Identifier: Apache-2.0
// The words of Stiffit text (docs/text-models.md) and their colours.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";

export const KEYWORDS = [
  "model", "end", "species", "compartment", "const", "var", "substanceOnly", "function", "unit", "import", "has",
  "in", "is", "at", "after", "delete", "priority", "persistent", "fromTrigger", "t0", "identity",
];
export const CONSTANTS = ["pi", "exponentiale", "avogadro", "time", "true", "false", "inf", "nan"];
export const FUNCTIONS = [
  "abs", "floor", "ceil", "sqrt", "sqr", "exp", "ln", "log10", "log", "sign", "factorial", "root", "pow", "sin", "cos",
  "tan", "sec", "csc", "cot", "sinh", "cosh", "tanh", "asin", "acos", "atan", "arcsin", "arccos", "arctan", "asinh",
  "acosh", "atanh", "min", "max", "quotient", "rem", "lt", "leq", "gt", "geq", "eq", "neq", "and", "or", "xor", "not",
  "implies", "piecewise", "delay", "memory", "rateOf", "table",
];

const keywords = new Set(KEYWORDS);
const constants = new Set(CONSTANTS);
const functions = new Set(FUNCTIONS);

interface State {
  inComment: boolean;
}

export const stiffitLanguage = StreamLanguage.define<State>({
  name: "stiffit",
  startState: () => ({ inComment: false }),
  token(stream, state) {
    if (state.inComment) {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.inComment = false;
      } else {
        stream.skipToEnd();
      }
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("/*")) {
      state.inComment = true;
      return "comment";
    }
    if (stream.match("#:")) {
      stream.skipToEnd();
      return "meta";
    }
    if (stream.match("//") || stream.match("#")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
    if (stream.match(/^(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/)) return "number";
    if (stream.match(/^(<=>|<==>|<->|->|=>|-o|-\||-\(|:=)/)) return "arrow";
    const word = stream.match(/^[\p{L}_][\p{L}\p{N}_.]*/u) as RegExpMatchArray | null;
    if (word) {
      if (keywords.has(word[0])) return "keyword";
      if (constants.has(word[0])) return "atom";
      if (functions.has(word[0]) && stream.match(/^\s*\(/, false)) return "builtin";
      if (stream.match(/^\s*:(?!=)/, false)) return "labelName";
      return "variableName";
    }
    stream.next();
    return "operator";
  },
  tokenTable: { arrow: tags.controlOperator, builtin: tags.function(tags.variableName) },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", '"'] } },
});

/** Colours come from the style sheet, so that light and dark need nothing here. */
export const stiffitColours = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.keyword, class: "tok-keyword" },
    { tag: tags.comment, class: "tok-comment" },
    { tag: tags.meta, class: "tok-meta" },
    { tag: tags.number, class: "tok-number" },
    { tag: tags.atom, class: "tok-atom" },
    { tag: tags.string, class: "tok-string" },
    { tag: tags.controlOperator, class: "tok-arrow" },
    { tag: tags.function(tags.variableName), class: "tok-function" },
    { tag: tags.labelName, class: "tok-label" },
  ]),
);
