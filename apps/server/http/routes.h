// What routes have in common: reading a request, answering, and saying what went wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "server/http/bounded_server.h"
#include "server/http/guard.h"
#include "server/http/json_fields.h"

namespace stiffit::internal {

RequestHead head_of(const httplib::Request& request);
// On every answer: nothing is sniffed, framed, or loaded from elsewhere.
httplib::Headers safe_headers();

void answer(httplib::Response& response, const std::string& json, int status = 200);
void answer(httplib::Response& response, const Json& json, int status = 200);
void refuse(httplib::Response& response, int status, const std::string& message);

// A handler whose exceptions become answers: RequestError its status, a mistake of the model or of
// a setting 422, anything else 500 without details.
using Route = std::function<void(const httplib::Request&, httplib::Response&)>;
httplib::Server::Handler guarded(Route route);

}  // namespace stiffit::internal
