// SPDX-License-Identifier: Apache-2.0
#include "report/derived_tables.h"
#include "report/fit_summary.h"
#include "report/json.h"
#include "report/linear_fit_json.h"

namespace stiffit::internal {
namespace {

void write(JsonWriter& json, std::string_view name, const Limits& limits) {
  json.key(name).begin_array().value(limits.low).value(limits.high).end_array();
}

void write(JsonWriter& json, std::string_view name, const std::vector<Limits>& intervals) {
  json.key(name).begin_array();
  for (const Limits& i : intervals) json.begin_array().value(i.low).value(i.high).end_array();
  json.end_array();
}

void write(JsonWriter& json, std::string_view name, const std::vector<double>& values) {
  json.key(name).begin_array();
  for (double v : values) json.value(v);
  json.end_array();
}

void write_unknown(JsonWriter& json, const ParameterStatistics& u) {
  json.begin_object().member("id", u.id).member("scale", scale_name(u.scale));
  json.member("estimate", u.value).member("standard_error", u.value_error);
  write(json, "limits", u.limits);
  write(json, "intervals", u.intervals.empty() ? std::vector<Limits>{u.limits} : u.intervals);
  json.member("limits_by", u.limits_by);
  write(json, "wald_limits", u.free_single_limits);
  write(json, "limits_others_held", u.held_single_limits);
  write(json, "simultaneous_limits", u.free_limits);
  write(json, "simultaneous_limits_others_held", u.held_limits);
  json.member("theta", u.theta).member("theta_error", u.error).member("noise", u.noise);
  json.key("at_bound");
  if (u.at_bound == 0)
    json.null();
  else
    json.value(u.at_bound < 0 ? "lower" : "upper");
  json.key("determination");
  if (u.identifiability == Identifiability::not_judged)
    json.null();
  else
    json.value(identifiability_name(u.identifiability));
  json.member("with", u.with).member("verdict", u.verdict);
  json.member("judged_by", u.source).end_object();
}

void write_adequacy(JsonWriter& json, const Adequacy& a) {
  json.key("adequacy").begin_object();
  json.key("accepted");
  if (a.tested())
    json.value(a.accepted);
  else
    json.null();
  json.member("p_value", a.p_value).member("words", adequacy_words(a));
  json.member("n_limits", a.limits);
  json.key("tests").begin_array();
  for (const AdequacyTest& t : a.tests) {
    json.begin_object().member("test", t.test).member("observable", t.observable);
    json.member("statistic", t.statistic).member("p_value", t.p_value).end_object();
  }
  json.end_array().key("observables").begin_array();
  for (const ObservableAdequacy& o : a.observables) {
    json.begin_object().member("observable", o.observable).member("n_data", o.data);
    json.member("accepted", o.accepted).member("p_value", o.p_value);
    json.member("s", o.s).member("r2", o.r2).member("words", o.words).end_object();
  }
  json.end_array().member("s", a.s).member("r2", a.r2);
  json.member("aic", a.aic).member("aicc", a.aicc).member("bic", a.bic).end_object();
}

void write_combinations(JsonWriter& json, const std::vector<IdentifiableCombination>& all) {
  json.key("combinations").begin_array();
  for (const IdentifiableCombination& c : all) {
    json.begin_object().member("formula", c.formula).member("value", c.value);
    json.member("low", c.low).member("high", c.high).member("limits_by", "profile");
    json.member("determination", identifiability_name(c.grade));
    json.member("parameters", c.unknowns).end_object();
  }
  json.end_array();
}

void write_derived(JsonWriter& json, const std::vector<DerivedQuantity>& all) {
  json.key("derived").begin_array();
  for (const DerivedQuantity& d : all) write_derived_quantity(json, d);
  json.end_array();
}

void write_statistics(JsonWriter& json, const FitStatistics& s) {
  json.key("parameters").begin_array();
  for (const ParameterStatistics& u : s.each) write_unknown(json, u);
  json.end_array().key("statistics").begin_object();
  json.member("level", s.level).member("noise_known", !s.unknown_noise && !s.estimated_noise);
  json.member("errors_relative", s.relative_errors);
  json.member("n_data", s.data).member("n_free", s.unknowns).member("rank", s.rank);
  json.member("sum_of_squares", s.sum_of_squares).member("variance", s.variance);
  json.member("joint_quantile", s.joint_quantile).member("single_quantile", s.single_quantile);
  std::vector<std::string> names;
  for (int i : s.free) names.push_back(s.each[i].id);
  json.member("free", names);
  std::size_t m = names.size();
  for (auto [name, matrix] :
       {std::pair{"covariance", &s.covariance}, std::pair{"correlation", &s.correlation}}) {
    json.key(name).begin_array();
    for (std::size_t a = 0; a < m; ++a) {
      json.begin_array();
      for (std::size_t b = 0; b < m; ++b) json.value((*matrix)[a * m + b]);
      json.end_array();
    }
    json.end_array();
  }
  json.key("axes").begin_array();
  for (const EllipsoidAxis& axis : s.axes) {
    json.begin_object().member("half_length", axis.half_length);
    write(json, "direction", axis.direction);
    json.end_object();
  }
  json.end_array().member("undetermined", s.undetermined).member("notes", s.notes).end_object();
}

void write_designs(JsonWriter& json, const MeasurementAdvice& next) {
  json.key("next_measurements").begin_array();
  for (const MeasurementDesign& d : next.designs) {
    json.begin_object().member("n", d.points.size()).key("measurements").begin_array();
    for (const DesignPoint& p : d.points) {
      json.begin_object().member("quantity", p.quantity).member("experiment", p.experiment);
      json.member("time", p.time).member("error", p.error).member("measured", p.measured);
      json.member("within", p.within).end_object();
    }
    json.end_array().member("factor", d.factor).key("parameters").begin_array();
    for (const DesignGain& g : d.gains) {
      json.begin_object().member("id", g.name).member("open_so_far", g.open);
      json.member("factor", g.factor);
      write(json, "limits", g.limits);
      json.end_object();
    }
    json.end_array().member("words", d.words).end_object();
  }
  json.end_array();
}

void write_bootstrap(JsonWriter& json, const Bootstrap& b) {
  json.key("bootstrap").begin_object().member("kind", bootstrap_name(b.kind));
  json.member("asked", b.asked).member("used", b.used).member("failed", b.failed);
  json.member("level", b.level).member("words", b.words).key("parameters").begin_array();
  for (const BootstrapParameter& p : b.parameters) {
    json.begin_object().member("id", p.id).member("theta_bias", p.bias);
    json.member("theta_error", p.standard_error);
    write(json, "limits", Limits{p.low, p.high});
    write(json, "percentile_limits", Limits{p.percentile_low, p.percentile_high});
    json.end_object();
  }
  json.end_array().end_object();
}

void write_counts(JsonWriter& json, const FitSummary& f) {
  long values = 0, gradients = 0, failures = 0, screened = 0, screening_failures = 0, plateaus = 0;
  std::size_t converged = 0, lost = 0;
  for (const StartResult& s : f.starts) {
    values += s.values;
    gradients += s.gradients;
    failures += s.failures;
    screened += s.screened;
    screening_failures += s.screening_failures;
    plateaus += s.plateaus;
    converged += s.fit.outcome == FitOutcome::converged;
    lost += s.fit.outcome == FitOutcome::failed;
  }
  json.key("counts").begin_object().member("starts", f.starts.size());
  json.member("converged", converged).member("lost", lost).member("plateaus", plateaus);
  json.member("values", values).member("gradients", gradients);
  json.member("failed_evaluations", failures).member("screened", screened);
  json.member("screening_failures", screening_failures).end_object();
}

}  // namespace

std::string fit_json(const FitSummary& f) {
  JsonWriter json;
  json.begin_object().member("problem", f.problem).member("method", f.method);
  json.member("starts", f.starts_asked).member("seed", f.seed);
  json.member("status", f.interrupted ? "interrupted" : f.found() ? "done" : "failed");
  if (f.found()) {
    const LocalFit& best = f.best().fit;
    json.member("outcome", outcome_name(best.outcome)).member("message", best.message);
    json.member("objective", best.at.value).member("llh", best.at.llh);
    json.member("chi2", best.at.chi2).member("n_data", f.statistics.data);
    write_adequacy(json, f.statistics.adequacy);
    write_statistics(json, f.statistics);
    write_combinations(json, f.statistics.combinations);
    write_derived(json, f.derived);
    json.member("plain_words", plain_words(f.statistics, f.next));
    write_designs(json, f.next);
    json.key("gradient").begin_object();
    for (std::size_t i = 0; i < f.unknowns.size(); ++i)
      json.member(f.unknowns[i].id, best.at.gradient[i]);
    json.end_object();
  }
  json.key("minima").begin_array();
  for (const Minimum& m : f.minima) {
    const StartResult& s = f.starts[m.result];
    json.begin_object().member("objective", s.fit.at.value).member("llh", s.fit.at.llh);
    json.member("starts", m.starts).member("start", s.index);
    json.key("parameters").begin_object();
    for (std::size_t i = 0; i < f.unknowns.size(); ++i)
      json.member(f.unknowns[i].id, from_theta(s.fit.x[i], f.unknowns[i].scale));
    json.end_object().end_object();
  }
  json.end_array();
  json.key("rival_search").begin_object().member("starts", f.rival_search.starts);
  json.member("from_integral", f.rival_search.from_linear);
  json.member("agreed", f.rival_search.agreed).member("elsewhere", f.rival_search.elsewhere);
  json.member("unfinished", f.rival_search.unfinished);
  json.member("words", rival_search_words(f.rival_search)).end_object();
  std::vector<double> waterfall;
  for (std::size_t i : f.order) waterfall.push_back(f.starts[i].fit.at.value);
  write(json, "waterfall", waterfall);
  write_counts(json, f);
  if (f.bootstrap) write_bootstrap(json, *f.bootstrap);
  if (f.linear) write_linear_details(json, *f.linear);
  if (f.combined) write_side_by_side(json, *f.combined);
  json.member("messages", f.messages);
  write_provenance(json, f.provenance);
  return json.end_object().text();
}

std::string timings_json(const FitSummary& f, double seconds) {
  JsonWriter json;
  double sum = 0;
  for (const StartResult& s : f.starts) sum += s.seconds;
  json.begin_object().member("seconds", seconds).member("seconds_in_starts", sum);
  json.key("starts").begin_array();
  for (const StartResult& s : f.starts)
    json.begin_object().member("start", s.index).member("seconds", s.seconds).end_object();
  return json.end_array().end_object().text();
}

namespace {

void write_predictions(JsonWriter& json, const ProfileSummary& p) {
  if (p.predictions.empty()) return;
  json.key("predictions").begin_array();
  for (const PredictionProfile& one : p.predictions) {
    json.begin_object().member("prediction", one.words).member("estimate", one.estimate);
    json.member("standard_error", one.deviation);
    write(json, "limits", Limits{one.lower.limit, one.upper.limit});
    json.member("verdict", one.verdict);
    for (auto [name, side] : {std::pair{"lower", &one.lower}, std::pair{"upper", &one.upper}}) {
      json.key(name).begin_object().member("stop", stop_name(side->stop));
      json.member("limit", side->limit).member("message", side->message);
      json.key("points").begin_array();
      for (const PredictionPoint& at : side->points)
        json.begin_array().value(at.prediction).value(at.value).value(at.ratio).end_array();
      json.end_array().end_object();
    }
    json.end_object();
  }
  json.end_array();
}

void write_pairs(JsonWriter& json, const ProfileSummary& p) {
  if (p.pairs.empty()) return;
  json.key("pairs").begin_array();
  for (const PairRegion& r : p.pairs) {
    const EstimatedParameter &a = p.unknowns[r.first], &b = p.unknowns[r.second];
    json.begin_object().key("parameters").begin_array().value(a.id).value(b.id).end_array();
    json.member("level", p.level).member("degrees_of_freedom", 2);
    json.member("threshold", r.threshold).member("closed", r.closed);
    json.member("stop", stop_name(r.stop)).member("message", r.message);
    json.key("estimate").begin_array().value(from_theta(p.best.x[r.first], a.scale));
    json.value(from_theta(p.best.x[r.second], b.scale)).end_array().key("points").begin_array();
    for (const PairPoint& at : r.points)
      json.begin_array()
          .value(from_theta(at.a, a.scale))
          .value(from_theta(at.b, b.scale))
          .value(at.ratio)
          .end_array();
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string profile_json(const ProfileSummary& p) {
  JsonWriter json;
  json.begin_object().member("problem", p.problem);
  json.member("status", p.interrupted ? "interrupted" : "done");
  json.member("level", p.level).member("threshold", p.quantile);
  json.member("objective", p.best.at.value).member("llh", p.best.at.llh);
  json.member("plain_words", p.words);
  write_combinations(json, p.combinations);
  write_derived(json, p.derived);
  json.key("parameters").begin_array();
  for (const Profile& profile : p.profiles) {
    const EstimatedParameter& u = p.unknowns[profile.unknown];
    json.begin_object().member("id", u.id).member("scale", scale_name(u.scale));
    json.member("estimate", from_theta(p.best.x[profile.unknown], u.scale));
    json.member("verdict", profile.verdict);
    const std::vector<Limits> stretches = profile_stretches(profile, u.scale);
    write(json, "limits", Limits{stretches.front().low, stretches.back().high});
    write(json, "intervals", stretches);
    for (auto [name, side] :
         {std::pair{"lower", &profile.lower}, std::pair{"upper", &profile.upper}}) {
      json.key(name).begin_object().member("stop", stop_name(side->stop));
      json.key("limit");
      if (side->stop == ProfileStop::threshold)
        json.value(from_theta(side->limit, u.scale));
      else
        json.null();
      json.member("message", side->message).member("failures", side->failures);
      json.key("points").begin_array();
      for (const ProfilePoint& point : side->points)
        json.begin_array()
            .value(from_theta(point.theta, u.scale))
            .value(point.value)
            .value(point.ratio)
            .end_array();
      json.end_array().end_object();
    }
    json.end_object();
  }
  json.end_array();
  write_predictions(json, p);
  write_pairs(json, p);
  json.member("messages", p.messages);
  write_provenance(json, p.provenance);
  return json.end_object().text();
}

}  // namespace stiffit::internal
