// A page that says what the server offers, for programs that speak to it.
// SPDX-License-Identifier: Apache-2.0
#include "serve/page_files.h"

namespace stiffit {
namespace {

constexpr std::string_view index_html =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Stiffit</title>"
    "<h1>Stiffit</h1><p>The server runs. <a href=\"/api/library\">The models of the library</a>."
    "</p></html>\n";

constexpr PageFile files[] = {{"/", "text/html; charset=utf-8", index_html}};

}  // namespace

std::span<const PageFile> page_files() { return files; }

}  // namespace stiffit
