// SPDX-License-Identifier: Apache-2.0
#include "report/linear_fit_json.h"

#include "estimation/direct/linear_options.h"

namespace stiffit::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void add_matrix(JsonWriter& json, const char* name, const MatrixXd& matrix) {
  json.key(name).begin_array();
  for (Index i = 0; i < matrix.rows(); ++i) {
    json.begin_array();
    for (Index j = 0; j < matrix.cols(); ++j) json.value(matrix(i, j));
    json.end_array();
  }
  json.end_array();
}

void add_vector(JsonWriter& json, const char* name, const VectorXd& vector) {
  json.key(name).begin_array();
  for (double v : vector) json.value(v);
  json.end_array();
}

}  // namespace

void write_linear_details(JsonWriter& json, const LinearDetails& details) {
  const LinearFitResult& r = details.result;
  const LinearFitOptions& options = details.options;
  json.key("linear_fit").begin_object().member("method", method_name(options.method));
  json.member("quadrature", curve_name(options.curve)).member("bias_corrected", r.corrected);
  json.member("simulated_correction", details.simulated).member("draws", details.draws);
  add_vector(json, "as_estimated", details.as_estimated);
  json.member("unknowns", details.names);
  add_vector(json, "error_bounds", r.bound);
  add_vector(json, "errors_in_practice", r.in_practice);
  add_vector(json, "discretisation", details.discretisation);
  json.member("rank", r.rank).member("condition", r.condition);
  add_vector(json, "singular_values", r.singular);
  json.member("columns", r.columns);
  add_vector(json, "coefficients", r.coefficients);
  add_matrix(json, "G", r.g);
  add_vector(json, "A", r.a);
  json.member("left_over", r.squares).member("equations", r.points);
  json.key("noise").begin_array();
  for (const SeriesNoise& s : r.noise)
    json.begin_object()
        .member("experiment", s.experiment)
        .member("series", s.series)
        .member("sd", s.sd)
        .member("given", s.given)
        .member("points", s.points)
        .member("freedom", s.freedom)
        .end_object();
  json.end_array().end_object();
}

void write_side_by_side(JsonWriter& json, const LinearSideBySide& both) {
  json.key("combined").begin_object();
  auto add = [&](const char* title, const VectorXd& found) {
    json.key(title).begin_object();
    for (std::size_t u = 0; u < both.names.size(); ++u) json.member(both.names[u], found(u));
    json.end_object();
  };
  add("integral", both.integral);
  add("derivative", both.derivative);
  add("mean", both.mean);
  json.end_object();
}

}  // namespace stiffit::internal
