// SPDX-License-Identifier: Apache-2.0
#include "report/fitted_tables.h"

#include "base/number.h"
#include "report/csv.h"

namespace stiffit::internal {

std::string fitted_data_csv(const std::vector<FittedDatum>& data) {
  std::string text = "observable,experiment,dataset,time,measurement,simulation,noise,residual\n";
  for (const FittedDatum& d : data) {
    text += csv_cell(d.observable) + "," + csv_cell(d.experiment) + "," + csv_cell(d.dataset);
    text += "," + format_number(d.time) + ",";
    if (d.censoring != Censoring::none) text += d.censoring == Censoring::below ? "<" : ">";
    text += format_number(d.measurement);
    for (double x : {d.simulation, d.noise, d.residual}) text += "," + format_number(x);
    text += "\n";
  }
  return text;
}

std::string fitted_curves_csv(const FittedCurves& curves) {
  std::string text = "experiment,quantity,time,value\n";
  for (std::size_t i = 0; i < curves.points.size(); ++i) {
    const CoursePoint& p = curves.points[i];
    text += csv_cell(p.experiment) + "," + csv_cell(p.quantity) + "," + format_number(p.time) +
            "," + format_number(curves.values[i]) + "\n";
  }
  return text;
}

}  // namespace stiffit::internal
