// What pages of several commands have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/plots/page.h"
#include "report/provenance.h"

namespace stiffit::internal {

// Each line a paragraph.
void add_lines(HtmlPage& page, const std::string& text);
// Which program made the page.
void add_provenance(HtmlPage& page);
// The same with all settings and the hashes of the inputs.
void add_settings(HtmlPage& page, const Provenance& provenance);
// At most so many pictures, and fewer if the page would become too large; it says what is left out.
void add_gallery(HtmlPage& page, std::vector<Plot> plots, const std::string& file,
                 std::size_t most);
// The model's name as a title has it: that of the file, without its folder.
std::string shown_name(const std::string& model);

}  // namespace stiffit::internal
