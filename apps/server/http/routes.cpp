// SPDX-License-Identifier: Apache-2.0
#include "server/http/routes.h"

#include <new>

#include "base/diagnostic.h"
#include "server/http/request_error.h"
#include "server/model_source.h"
#include "stiffit/errors.h"

namespace stiffit::internal {
namespace {

// Not one that the library compresses on the way.
constexpr const char* json_type = "application/json; charset=utf-8";

std::vector<std::string> values_of(const httplib::Request& request, const char* name) {
  std::vector<std::string> values;
  for (auto [i, end] = request.headers.equal_range(name); i != end; ++i)
    values.push_back(i->second);
  return values;
}

Json error_json(const std::string& message, const std::string& hint = {}) {
  Json error{{"message", message}};
  if (!hint.empty()) error["hint"] = hint;
  return {{"error", std::move(error)}};
}

}  // namespace

RequestHead head_of(const httplib::Request& request) {
  RequestHead head;
  head.method = request.method;
  head.path = request.path;
  head.host = values_of(request, "Host");
  head.origin = values_of(request, "Origin");
  head.site = values_of(request, "Sec-Fetch-Site");
  head.mark = values_of(request, "X-Stiffit");
  head.token = values_of(request, "X-Stiffit-Token");
  head.cookie = values_of(request, "Cookie");
  head.type = values_of(request, "Content-Type");
  head.length = values_of(request, "Content-Length");
  head.coding = values_of(request, "Content-Encoding");
  head.transfer = values_of(request, "Transfer-Encoding");
  if (request.has_param("token")) head.token_parameter = request.get_param_value("token");
  return head;
}

httplib::Headers safe_headers() {
  return {{"Content-Security-Policy",
           "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
           "img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
           "form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

void answer(httplib::Response& response, const std::string& json, int status) {
  response.status = status;
  response.set_content(json, json_type);
}

void answer(httplib::Response& response, const Json& json, int status) {
  answer(response, json_text(json), status);
}

void refuse(httplib::Response& response, int status, const std::string& message) {
  answer(response, error_json(message), status);
}

httplib::Server::Handler guarded(Route route) {
  return [route = std::move(route)](const httplib::Request& request, httplib::Response& response) {
    try {
      route(request, response);
    } catch (const RequestError& error) {
      Json json = error_json(error.what(), error.hint());
      if (!error.field().empty()) json["error"]["field"] = error.field();
      if (!error.diagnostics().is_null()) json["error"]["diagnostics"] = error.diagnostics();
      answer(response, json, error.status());
    } catch (const api::InputError& error) {  // of the model, or what does not suit it
      const std::vector<api::Finding> found = api::findings_in(error.what());
      Json json = found.empty() ? error_json("the model cannot be used")
                                : error_json(found[0].message, found[0].hint);
      json["error"]["diagnostics"] = diagnostics_json(found);
      answer(response, json, 422);
    } catch (const InputError& error) {  // of the server's own folder
      const std::vector<api::Finding> found = api::findings_in(error.what());
      refuse(response, 500, found.empty() ? error.what() : found[0].message);
    } catch (const std::bad_alloc&) {
      refuse(response, 503, "not enough memory for this");
    } catch (const std::exception&) {
      refuse(response, 500, "an internal error; this is a bug in Stiffit, not in your input");
    }
  };
}

}  // namespace stiffit::internal
