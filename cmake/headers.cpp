// What the compiled standard headers (rooms.cmake) are compiled with: nothing.
// SPDX-License-Identifier: Apache-2.0
