// SPDX-License-Identifier: Apache-2.0
#include "report/plots/page.h"

#include <algorithm>

#include "base/markup.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr const char* page_style =
    "body{font-family:sans-serif;line-height:1.45;margin:0;background:#fff;color:#1a1a1a}"
    "main{max-width:1000px;margin:0 auto;padding:16px}"
    "h1{font-size:1.5em;overflow-wrap:anywhere}h2{font-size:1.2em;margin-top:1.8em}"
    ".wide{overflow-x:auto}svg{max-width:100%;height:auto}"
    ".gallery{display:flex;flex-wrap:wrap;align-items:flex-start;gap:8px}"
    "table{border-collapse:collapse;font-size:.9em}"
    "th,td{padding:3px 10px;border-bottom:1px solid #ddd;text-align:left;vertical-align:top}"
    "td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    "nav ul{padding:0;display:flex;flex-wrap:wrap;gap:4px 14px;list-style:none}"
    "pre{overflow-x:auto;background:#f4f5f7;padding:10px;font-size:.85em}"
    "summary{cursor:pointer}a{color:#0059a8}"
    ".saving{font-size:.9em;margin:.3em 1.2em .3em 0;display:inline-block}"
    "td:last-child:not(.number){min-width:11em}.facts td{overflow-wrap:anywhere}"
    "@media screen and (prefers-color-scheme:dark){body{background:#16181c;color:#e6e6e6}"
    "th,td{border-color:#3d4148}a{color:#7cbcff}pre{background:#22252b}}"
    "@media print{.saving,nav{display:none}svg,tr,.wide{break-inside:avoid}h2{break-after:avoid}"
    "pre{white-space:pre-wrap}.wide{overflow:visible}.gallery svg{width:48%}"
    "td{overflow-wrap:anywhere}}";

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
  head_ =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      shown + "</title>\n<style>" + page_style + dark_plot_rules() +
      "</style>\n</head>\n<body>\n<main>\n<h1>" + shown + "</h1>\n";
}

void HtmlPage::heading(std::string_view text) {
  const std::string id = "part" + std::to_string(++headings_);
  contents_ += "<li><a href=\"#" + id + "\">" + escape_markup(text) + "</a></li>\n";
  body_ += "<h2 id=\"" + id + "\">" + escape_markup(text) + "</h2>\n";
}

void HtmlPage::paragraph(std::string_view text) { body_ += "<p>" + escape_markup(text) + "</p>\n"; }

void HtmlPage::table(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  add_table("<table>", header, rows);
}

void HtmlPage::facts(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  add_table("<table class=\"facts\">", header, rows);
}

void HtmlPage::add_table(const std::string& kind, const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows) {
  const bool numbers = kind == "<table>";
  body_ += "<div class=\"wide\">" + kind + "\n<thead><tr>";
  for (const std::string& cell : header)
    body_ += "<th scope=\"col\">" + escape_markup(cell) + "</th>";
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    body_ += "<tr>";
    for (const std::string& cell : row)
      body_ += (numbers && parse_number(cell) ? "<td class=\"number\">" : "<td>") +
               escape_markup(cell) + "</td>";
    body_ += "</tr>\n";
  }
  body_ += "</tbody></table></div>\n";
}

void HtmlPage::preformatted(std::string_view summary, std::string_view text) {
  constexpr long short_enough = 40;  // lines
  const bool open = std::count(text.begin(), text.end(), '\n') <= short_enough;
  body_ += std::string("<details") + (open ? " open=\"open\"" : "") + "><summary>" +
           escape_markup(summary) + "</summary>\n<pre>" + escape_markup(text) +
           "</pre></details>\n";
}

void HtmlPage::picture(const std::vector<Plot>& plots, double wide, const std::string& file) {
  body_ += svg_of(plots, wide, "picture" + std::to_string(++pictures_));
  download(file + ".svg", "image/svg+xml", svg_of(plots, wide));
}

void HtmlPage::gallery(const std::vector<Plot>& plots, const std::string& file) {
  if (plots.empty()) return;
  body_ += "<div class=\"gallery\">\n";
  for (const Plot& plot : plots)
    body_ += svg_of({plot}, plot.width, "picture" + std::to_string(++pictures_));
  body_ += "</div>\n";
  const std::string whole = svg_of(plots, page_width);
  if (2 * whole.size() < room()) download(file + ".svg", "image/svg+xml", whole);
}

void HtmlPage::picture(const HeatMap& map, const std::string& file) {
  body_ +=
      "<div class=\"wide\">" + svg_of(map, "picture" + std::to_string(++pictures_)) + "</div>\n";
  download(file + ".svg", "image/svg+xml", svg_of(map));
}

void HtmlPage::download(const std::string& file, const std::string& type,
                        std::string_view content) {
  body_ += "<p class=\"saving\"><a download=\"" + escape_markup(file) + "\" href=\"data:" + type +
           ";base64," + base64(content) + "\">" + escape_markup(file) + "</a></p>\n";
}

void HtmlPage::table_download(const std::string& file, const std::string& type,
                              std::string_view content) {
  const std::size_t may = room() / 4;  // in base64; others come after it
  const std::size_t every = may == 0 ? content.size() + 1 : content.size() * 4 / 3 / may + 1;
  if (every == 1) return download(file, type, content);
  std::string kept;
  std::size_t line = 0;
  for (std::size_t at = 0; at < content.size(); ++line) {
    const std::size_t end = std::min(content.find('\n', at), content.size() - 1) + 1;
    if (line == 0 || (line - 1) % every == 0) kept += content.substr(at, end - at);
    at = end;
  }
  download(file, type, kept);
  paragraph("This file holds one of every " + std::to_string(every) +
            " rows, to keep the page small.");
}

std::string HtmlPage::text() const {
  const std::string nav =
      headings_ < 4 ? "" : "<nav aria-label=\"Contents\"><ul>\n" + contents_ + "</ul></nav>\n";
  return head_ + nav + body_ + "</main>\n</body>\n</html>\n";
}

}  // namespace stiffit::internal
