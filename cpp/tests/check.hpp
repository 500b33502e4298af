// A test framework in one header: TEST(name) { ... }, CHECK(condition), CHECK_THROWS(expression, Type).
//
// A failed check is reported with its place and the test goes on; an escaped exception ends only its
// own test. The program runs every test of every file linked in (or those whose names contain an
// argument), and its last line is `N passed, M failed`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

// All tests of the program, in the order their files were initialised.
std::vector<Test>& tests();

// Counts a failure of the running test and prints where it happened. Safe to call from any thread.
void fail(const char* file, int line, const std::string& what);

struct Registration {
  Registration(const char* name, void (*body)()) { tests().push_back({name, body}); }
};

// Runs the tests whose names contain one of `filters` (all when there is none); returns how many failed.
std::size_t run(const std::vector<std::string>& filters);

// std::ranges::equal, which the libc++ of some systems lacks.
template <typename A, typename B>
bool equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

}  // namespace check

#define TEST(name)                                                             \
  static void test_##name();                                                   \
  static const ::check::Registration registration_##name{#name, &test_##name}; \
  static void test_##name()

#define CHECK(...)                                                       \
  do {                                                                   \
    if (!(__VA_ARGS__)) ::check::fail(__FILE__, __LINE__, #__VA_ARGS__); \
  } while (false)

#define CHECK_THROWS(expression, Type)                                                     \
  do {                                                                                     \
    bool check_thrown = false;                                                             \
    try {                                                                                  \
      static_cast<void>(expression);                                                       \
    } catch (const Type&) {                                                                \
      check_thrown = true;                                                                 \
    }                                                                                      \
    if (!check_thrown) ::check::fail(__FILE__, __LINE__, #expression " throws no " #Type); \
  } while (false)
