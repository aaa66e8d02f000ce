// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/sha256.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace stiffit::internal {
namespace {

// FIPS 180-4's own examples, and a million letters.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("stiffit_sha256_" + std::to_string(getpid())))
          .string();
  for (std::size_t size : {0, 1, 55, 56, 63, 64, 65, 65535, 65536, 65537, 300001}) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(i * i + i / 7));
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(sha256_of_file(path), sha256(text)) << size;
  }
  std::filesystem::remove(path);
  EXPECT_EQ(sha256_of_file(path), "");
}

}  // namespace
}  // namespace stiffit::internal
