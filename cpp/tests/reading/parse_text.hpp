// Graphs and errors parsed from strings, for the tests of every format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "reading/reading.hpp"

namespace cliquepool::tests {

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Read {
  std::int64_t num_nodes = 0;
  Edges edges;  // by their labels
  bool labelled = false;
  bool operator==(const Read&) const = default;
};

// Feeds the text in pieces of this many bytes.
inline LabelledGraph parse(Format format, std::string_view text, std::size_t piece, const EdgeListOptions& options) {
  const auto parser = make_parser(format, options);
  for (; text.size() > piece; text.remove_prefix(piece)) {
    const std::string copy(text.substr(0, piece));  // a copy, so that a sanitizer detects reads beyond it
    parser->feed(std::string_view(copy.data(), copy.size()));
  }
  parser->feed(text);
  // A mutated header may ask for billions of nodes.
  Budget budget(Limits{.max_bytes = 1 << 26});
  return parser->finish(budget);
}

inline Read read(Format format, std::string_view text, std::size_t piece = 1 << 16,
                 const EdgeListOptions& options = {}) {
  const LabelledGraph result = parse(format, text, piece, options);
  const GraphView graph = result.graph.view();
  Read read{graph.num_nodes(), {}, result.labels.has_value()};
  const auto label = [&](Node v) { return result.labels ? (*result.labels)[idx(v)] : v; };
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    for (const Node w : graph[v]) {
      if (v < w) read.edges.emplace_back(label(v), label(w));
    }
  }
  return read;
}

struct Named {
  std::vector<std::string> names;
  Edges edges;  // by their ranks
  bool operator==(const Named&) const = default;
};

inline Named read_names(Format format, std::string_view text, const EdgeListOptions& options = {}) {
  const LabelledGraph result = parse(format, text, 1 << 16, options);
  Named named;
  for (std::size_t i = 0; i < result.names.value().size(); ++i) named.names.emplace_back((*result.names)[i]);
  const GraphView graph = result.graph.view();
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    for (const Node w : graph[v]) {
      if (v < w) named.edges.emplace_back(v, w);
    }
  }
  return named;
}

inline std::string error_of(Format format, std::string_view text, const EdgeListOptions& options = {}) {
  try {
    read(format, text, 1 << 16, options);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace cliquepool::tests
