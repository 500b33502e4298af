#include "tests/check.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>

namespace check {

namespace {

std::atomic<std::size_t> failures_of_running_test{0};

bool selected(const Test& test, const std::vector<std::string>& filters) {
  const std::string name = test.name;
  return filters.empty() || std::any_of(filters.begin(), filters.end(),
                                        [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

void fail_by_exception(const Test& test, const char* what) {
  ++failures_of_running_test;
  std::fprintf(stderr, "%s: uncaught exception: %s\n", test.name, what);
}

bool passes(const Test& test) {
  failures_of_running_test = 0;
  try {
    test.body();
  } catch (const std::exception& error) {
    fail_by_exception(test, error.what());
  } catch (...) {
    fail_by_exception(test, "of unknown type");
  }
  return failures_of_running_test == 0;
}

}  // namespace

std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

void fail(const char* file, int line, const std::string& what) {
  ++failures_of_running_test;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
}

std::size_t run(const std::vector<std::string>& filters) {
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (const Test& test : tests()) {
    if (!selected(test, filters)) continue;
    if (passes(test)) {
      ++passed;
    } else {
      ++failed;
      std::fprintf(stderr, "FAILED %s\n", test.name);
    }
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  // No test at all is a broken build or a mistyped filter, not a success.
  return passed == 0 && failed == 0 ? 1 : failed;
}

}  // namespace check

int main(int argc, char** argv) {
  const std::vector<std::string> filters(argv + 1, argv + argc);
  return check::run(filters) == 0 ? 0 : 1;
}
