// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/fit_records.h"

#include "base/record.h"

namespace stiffit::internal {
namespace {

void write(RecordWriter& w, const Evaluation& e) {
  w.number(e.value);
  w.number(e.llh);
  w.number(e.chi2);
  w.numbers(e.gradient);
  w.numbers(e.fisher);
  w.numbers(e.residuals);
  w.numbers(e.jacobian);
  w.text(e.failure);
}

Evaluation read_evaluation(RecordReader& r) {
  Evaluation e;
  e.value = r.number();
  e.llh = r.number();
  e.chi2 = r.number();
  e.gradient = r.numbers();
  e.fisher = r.numbers();
  e.residuals = r.numbers();
  e.jacobian = r.numbers();
  e.failure = r.text();
  return e;
}

void write(RecordWriter& w, const LocalFit& fit) {
  w.whole(static_cast<std::int64_t>(fit.outcome));
  w.text(fit.message);
  w.numbers(fit.start);
  w.numbers(fit.x);
  w.number(fit.start_value);
  write(w, fit.at);
  w.numbers(std::vector<double>(fit.insensitive.begin(), fit.insensitive.end()));
  w.whole(fit.iterations);
  w.whole(fit.values);
  w.whole(fit.gradients);
  w.whole(fit.failures);
  w.text(fit.last_failure);
  w.number(fit.promised);
}

template <class Kind>
Kind kind_of(std::int64_t number, Kind last) {
  if (number < 0 || number > static_cast<std::int64_t>(last))
    throw BadRecord("a stored record is damaged");
  return static_cast<Kind>(number);
}

LocalFit read_fit(RecordReader& r) {
  LocalFit fit;
  fit.outcome = kind_of(r.whole(), FitOutcome::interrupted);
  fit.message = r.text();
  fit.start = r.numbers();
  fit.x = r.numbers();
  fit.start_value = r.number();
  fit.at = read_evaluation(r);
  for (double i : r.numbers()) fit.insensitive.push_back(static_cast<int>(i));
  fit.iterations = static_cast<int>(r.whole());
  fit.values = r.whole();
  fit.gradients = r.whole();
  fit.failures = r.whole();
  fit.last_failure = r.text();
  fit.promised = r.number();
  return fit;
}

template <class Read>
auto whole_record(std::string_view record, const Read& read) {
  RecordReader r(record);
  auto value = read(r);
  r.finish();
  return value;
}

template <class Value>
std::string written(const Value& value) {
  RecordWriter w;
  write(w, value);
  return w.bytes();
}

}  // namespace

std::string record_of(const Evaluation& evaluation) { return written(evaluation); }
Evaluation evaluation_of(std::string_view record) { return whole_record(record, read_evaluation); }

std::string record_of(const LocalFit& fit) { return written(fit); }
LocalFit fit_of(std::string_view record) { return whole_record(record, read_fit); }

std::string record_of(const StartResult& result) {
  RecordWriter w;
  w.whole(result.index);
  w.whole(result.given);
  write(w, result.fit);
  for (long count : {result.screened, result.screening_failures, result.descents, result.plateaus,
                     result.unusable, result.values, result.gradients, result.failures})
    w.whole(count);
  w.number(result.seconds);
  return w.bytes();
}

StartResult start_of(std::string_view record) {
  RecordReader r(record);
  StartResult result;
  result.index = r.whole();
  result.given = r.whole() != 0;
  result.fit = read_fit(r);
  for (long* count :
       {&result.screened, &result.screening_failures, &result.descents, &result.plateaus,
        &result.unusable, &result.values, &result.gradients, &result.failures})
    *count = r.whole();
  result.seconds = r.number();
  r.finish();
  return result;
}

std::string record_of(const ProfilePoint& point) {
  RecordWriter w;
  w.number(point.theta);
  w.number(point.value);
  w.number(point.ratio);
  w.numbers(point.x);
  w.number(point.next_step);
  w.whole(point.evaluations);
  return w.bytes();
}

ProfilePoint profile_point_of(std::string_view record) {
  RecordReader r(record);
  ProfilePoint point;
  point.theta = r.number();
  point.value = r.number();
  point.ratio = r.number();
  point.x = r.numbers();
  point.next_step = r.number();
  point.evaluations = r.whole();
  r.finish();
  return point;
}

std::string record_of(const ProfileSide& side) {
  RecordWriter w;
  w.whole(side.direction);
  w.whole(side.done);
  w.whole(static_cast<std::int64_t>(side.stop));
  w.text(side.message);
  w.number(side.limit);
  w.whole(side.failures);
  std::vector<double> beyond;
  for (auto [from, to] : side.beyond) beyond.insert(beyond.end(), {from, to});
  w.numbers(beyond);
  return w.bytes();
}

ProfileSide profile_side_of(std::string_view record) {
  RecordReader r(record);
  ProfileSide side;
  side.direction = static_cast<int>(r.whole());
  side.done = r.whole() != 0;
  side.stop = kind_of(r.whole(), ProfileStop::interrupted);
  side.message = r.text();
  side.limit = r.number();
  side.failures = r.whole();
  const std::vector<double> beyond = r.numbers();
  for (std::size_t k = 0; k + 1 < beyond.size(); k += 2)
    side.beyond.emplace_back(beyond[k], beyond[k + 1]);
  r.finish();
  return side;
}

std::string record_of(const BootstrapSample& sample) {
  RecordWriter w;
  w.whole(static_cast<std::int64_t>(sample.index));
  w.whole(sample.converged);
  w.numbers(sample.x);
  w.numbers(sample.error);
  return w.bytes();
}

BootstrapSample bootstrap_sample_of(std::string_view record) {
  RecordReader r(record);
  BootstrapSample sample;
  sample.index = static_cast<std::size_t>(r.whole());
  sample.converged = r.whole() != 0;
  sample.x = r.numbers();
  sample.error = r.numbers();
  return sample;
}

}  // namespace stiffit::internal
