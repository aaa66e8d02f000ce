// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace stiffit::internal {
namespace {

TEST(Json, NestsAndSeparates) {
  JsonWriter json;
  json.begin_object().member("name", "a").member("count", 3).member("yes", true);
  json.key("rows").begin_array();
  json.begin_array().value(0.1).value(2.0).end_array().begin_array().end_array();
  json.end_array().key("none").null().member("names", std::vector<std::string>{"x", "y"});
  json.end_object();
  EXPECT_EQ(json.text(),
            "{\"name\":\"a\",\"count\":3,\"yes\":true,\"rows\":[[0.1,2],[]],\"none\":null,"
            "\"names\":[\"x\",\"y\"]}\n");
}

TEST(Json, WhatIsNoNumberIsNull) {
  JsonWriter json;
  json.begin_array().value(std::numeric_limits<double>::quiet_NaN());
  json.value(-std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(json.text(), "[null,null]\n");
}

TEST(Json, EscapesAndMendsBrokenBytes) {
  JsonWriter json;
  json.begin_array().value("q\" b\\ n\n t\t e\x01 \xc3\xa9").value("\xff \xed\xa0\x80 \xc3");
  json.end_array();
  EXPECT_EQ(json.text(),
            "[\"q\\\" b\\\\ n\\n t\\t e\\u0001 \xc3\xa9\","
            "\"\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\"]\n");
}

}  // namespace
}  // namespace stiffit::internal
