// SPDX-License-Identifier: Apache-2.0
#include "stiffit/reading.h"

#include "api/impl.h"
#include "io/files/read_source.h"
#include "io/text/read_text.h"

namespace stiffit {
inline namespace api {
Reading read(const ModelText& source, const RunOptions& run) {
  return at_border(run.interrupt, [&] {
    SourceReading found = read_source(source.name, source.text, source.files);
    Reading reading;
    reading.findings = public_findings(found.findings);
    if (!found.model) return reading;
    auto impl = std::make_shared<Model::Impl>();
    impl->name = source.name;
    impl->model = std::move(found.model);
    impl->is_file = false;
    reading.model = Model(std::move(impl));
    return reading;
  });
}

std::string model_language(const std::string& name, const std::string& text) {
  switch (kind_of_model(name, text)) {
    case ModelKind::sbml:
      return "sbml";
    case ModelKind::bng:
      return "net";
    case ModelKind::text:
      break;
  }
  return dialect_of(name) == TextDialect::antimony ? "antimony" : "text";
}

std::vector<Finding> findings_in(const std::string& text, const std::string& name) {
  return public_findings(rendered_findings(text, name));
}

}  // namespace api
}  // namespace stiffit
