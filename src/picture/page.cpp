// SPDX-License-Identifier: Apache-2.0
#include "picture/page.h"

#include "base/number.h"

namespace stiffit {
namespace {

constexpr const char* style =
    "body{font-family:sans-serif;line-height:1.45;margin:0;background:#fff;color:#1a1a1a}"
    "main{max-width:1000px;margin:0 auto;padding:16px}"
    "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:1.8em}"
    ".wide{overflow-x:auto}svg{max-width:100%;height:auto}"
    "table{border-collapse:collapse;font-size:.9em}"
    "th,td{padding:3px 10px;border-bottom:1px solid #ddd;text-align:left}"
    "td.number{text-align:right;font-variant-numeric:tabular-nums}"
    "a{color:#0059a8}"
    "@media screen and (prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}"
    "th,td{border-color:#3d4148}a{color:#7cbcff}}"
    "@media print{.saving{display:none}svg,table{break-inside:avoid}}";

std::string base64(std::string_view bytes) {
  constexpr const char* letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned long group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? letters[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

HtmlPage::HtmlPage(std::string_view title) {
  const std::string shown = escape_markup(title);
  body_ =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      shown + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<main>\n<h1>" + shown +
      "</h1>\n";
}

void HtmlPage::heading(std::string_view text) { body_ += "<h2>" + escape_markup(text) + "</h2>\n"; }

void HtmlPage::paragraph(std::string_view text) { body_ += "<p>" + escape_markup(text) + "</p>\n"; }

void HtmlPage::table(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  body_ += "<div class=\"wide\"><table>\n<tr>";
  for (const std::string& cell : header) body_ += "<th>" + escape_markup(cell) + "</th>";
  body_ += "</tr>\n";
  for (const auto& row : rows) {
    body_ += "<tr>";
    for (const std::string& cell : row)
      body_ +=
          (parse_number(cell) ? "<td class=\"number\">" : "<td>") + escape_markup(cell) + "</td>";
    body_ += "</tr>\n";
  }
  body_ += "</table></div>\n";
}

void HtmlPage::picture(const std::vector<Plot>& plots, double wide, const std::string& file) {
  body_ += svg_of(plots, wide, "picture" + std::to_string(++pictures_));
  download(file + ".svg", "image/svg+xml", svg_of(plots, wide));
}

void HtmlPage::download(const std::string& file, const std::string& type,
                        std::string_view content) {
  body_ += "<p class=\"saving\"><a download=\"" + escape_markup(file) + "\" href=\"data:" + type +
           ";base64," + base64(content) + "\">" + escape_markup(file) + "</a></p>\n";
}

}  // namespace stiffit
