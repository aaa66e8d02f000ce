// Known inputs: a column of a table as a function of time, made of ordinary operations. Between its
// rows it is piecewise linear, constant or cubic; before the first and after the last row it keeps
// their values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "io/text/syntax/syntax.h"
#include "model/model.h"

namespace stiffit::internal {

// The text of a file beside the model; throws InputError if it may not or cannot be read.
using TextFiles = std::function<std::string(const std::string& name)>;

enum class Tabulation { linear, steps, cubic };

struct TabulatedPoint {
  double time, value;
};

// Points in order of time; the same time twice in a row is a jump. The pieces hang in a balanced
// tree of selections, so that even thousands of rows do not nest deeply.
ExprId tabulated_function(const std::vector<TabulatedPoint>& points, Tabulation kind,
                          Expressions& expressions, Span span);

// The tables that a model uses, each read once.
class TabulatedInputs {
 public:
  TabulatedInputs(const TextFiles& files, Diagnostics& diagnostics)
      : files_(files), diagnostics_(diagnostics) {}

  // The expression of `table("f.csv", column)`; no_expr after a report.
  ExprId build(const TableSyntax& table, Expressions& expressions, Span span);

 private:
  struct File {
    bool good = false;
    std::map<std::string, std::vector<TabulatedPoint>, std::less<>> columns;
  };
  const File& file_named(const Word& name);
  static void read(File& file, Diagnostics& of_table);

  const TextFiles& files_;
  Diagnostics& diagnostics_;
  std::map<std::string, File, std::less<>> known_;
};

}  // namespace stiffit::internal
