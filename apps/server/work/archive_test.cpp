// SPDX-License-Identifier: Apache-2.0
#include "server/work/archive.h"

#include <gtest/gtest.h>

#include "server/http/request_error.h"
#include "server/work/base64.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t large = 1u << 20;

std::string refusal(const std::string& bytes, std::size_t most = large, std::size_t files = 10) {
  try {
    unzip(bytes, most, files);
  } catch (const RequestError& error) {
    return error.what();
  }
  return "";
}

TEST(Archive, WhatIsPackedIsUnpacked) {
  FileMap files{{"a.txt", "one"}, {"b/c.csv", std::string(100000, 'x')}, {"empty", ""}};
  const std::string bytes = zip(files);
  EXPECT_TRUE(is_zip(bytes));
  EXPECT_LT(bytes.size(), 5000u);
  EXPECT_EQ(unzip(bytes, large, 10), files);
  EXPECT_EQ(unzip(zip({{"__MACOSX/a", "1"}, {"a", "2"}}), large, 10), (FileMap{{"a", "2"}}));
}

TEST(Archive, BombsAreRefused) {
  const std::string bytes = zip({{"bomb", std::string(3 * large, '\0')}});
  EXPECT_LT(bytes.size(), large / 10);
  EXPECT_NE(refusal(bytes).find("too large"), std::string::npos);
  EXPECT_NE(refusal(zip({{"a", std::string(large, '\0')}, {"b", "1"}})).find("too large"),
            std::string::npos);
  FileMap many;
  for (int i = 0; i < 20; ++i) many["f" + std::to_string(i)] = "";
  EXPECT_NE(refusal(zip(many)).find("more than 10"), std::string::npos);
}

TEST(Archive, NamesThatLeadElsewhereAreRefused) {
  for (const char* name : {"/etc/x", "../x", "a/../../x", "a/./b", ".hidden", "a\\b", "C:x", "a//b",
                           "-o", "a\nb", "a/b/c/d/e/f/g/h/i/j"}) {
    EXPECT_FALSE(is_safe_path(name)) << name;
    EXPECT_NE(refusal(zip({{name, "1"}})).find("not allowed"), std::string::npos) << name;
  }
  EXPECT_FALSE(is_safe_path(""));
  EXPECT_FALSE(is_safe_path(std::string(300, 'a')));
  EXPECT_TRUE(is_safe_path("a/b-c_d.tsv"));
}

TEST(Archive, DamageIsRefused) {
  std::string bytes = zip({{"a", std::string(5000, 'x') + "end"}, {"b", "2"}});
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("PK\x03\x04"), "");
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() / 2)), "");
  bytes[45] = static_cast<char>(~bytes[45]);  // within the compressed bytes
  EXPECT_NE(refusal(bytes), "");
  // A link, as Unix archivers write it: mode 120777 in the attributes of the directory entry.
  std::string link = zip({{"a", "/etc/passwd"}});
  const std::size_t entry = link.rfind("PK\x01\x02");
  ASSERT_NE(entry, std::string::npos);
  link[entry + 5] = 3;  // made on Unix
  link[entry + 40] = static_cast<char>(0xff);
  link[entry + 41] = static_cast<char>(0xa1);
  EXPECT_NE(refusal(link).find("link"), std::string::npos) << refusal(link);
}

TEST(Base64, BothWays) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", "\xff\x01\x80"})
    EXPECT_EQ(from_base64(to_base64(text)), text);
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("M"), "TQ==");
  for (const char* bad : {"*", "a", "TQ===", "T=Q=", "TQ==x"})
    EXPECT_FALSE(from_base64(bad)) << bad;
}

}  // namespace
}  // namespace stiffit::internal
