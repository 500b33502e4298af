// Parsers of graph files, fed in pieces, so that a file is never held in memory as a whole.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/budget.hpp"
#include "base/buffer.hpp"
#include "base/types.hpp"
#include "reading/name_table.hpp"

namespace cliquepool {

enum class Format { edge_list, csv, dimacs, matrix_market, metis };

enum class IdKind { integers, text };

// Options of edge lists and csv; those not given are deduced from the first lines.
struct EdgeListOptions {
  std::optional<IdKind> ids;
  std::optional<bool> header;  // whether the first line has column names
};

struct LabelledGraph {
  Graph graph;
  std::optional<Buffer<std::int64_t>> labels;  // the id of each node in the file; none if they are 0..n-1 or text
  std::optional<Names> names;                  // the same for ids that are text
};

// The nodes of a file whose edges the caller takes in pieces.
struct NodeIds {
  std::optional<Node> num_nodes;  // none: the nodes are the integers that occur in the pairs
  std::optional<Buffer<Node>>
      ranks;                   // for ids that are text: the node of each id, which the pairs number by occurrence
  std::optional<Names> names;  // the text of each node
};

// The edges read so far, u0 v0 u1 v1 ..., as 32-bit integers until an id does not fit.
class EdgePairs {
 public:
  void add(std::int64_t u, std::int64_t v) {
    if (!is_wide_ && std::max(u, v) > std::numeric_limits<Node>::max()) widen();
    if (is_wide_) {
      add_to(wide_, u, v);
    } else {
      add_to(narrow_, static_cast<Node>(u), static_cast<Node>(v));
    }
  }

  bool is_wide() const { return is_wide_; }
  Buffer<Node>& narrow() { return narrow_; }
  Buffer<std::int64_t>& wide() { return wide_; }
  std::size_t size() const { return (narrow_.size() + wide_.size()) / 2; }
  std::size_t bytes() const { return narrow_.size() * sizeof(Node) + wide_.size() * sizeof(std::int64_t); }

 private:
  template <typename Id>
  static void add_to(Buffer<Id>& pairs, Id u, Id v) {
    Id* const pair = pairs.reserve_more(2);
    pair[0] = u;
    pair[1] = v;
    pairs.commit(2);
  }

  void widen() {
    wide_.resize(narrow_.size());
    std::copy(narrow_.begin(), narrow_.end(), wide_.begin());
    narrow_ = {};
    is_wide_ = true;
  }

  Buffer<Node> narrow_;
  Buffer<std::int64_t> wide_;
  bool is_wide_ = false;
};

// Parser of one format: `feed` takes the bytes of a file in order, in pieces of any size, `finish` returns the graph.
// Both throw GraphError with the line number, what was expected and what was got.
class GraphParser {
 public:
  virtual ~GraphParser() = default;
  GraphParser(const GraphParser&) = delete;
  GraphParser& operator=(const GraphParser&) = delete;

  void feed(std::string_view bytes);
  LabelledGraph finish(Budget& budget);

  // In place of `finish`, for files with more edges than memory holds: `take_pairs` hands out the edges read since the
  // last call, at any time; `finish_ids` ends the file and returns its nodes. Edges may be left to take after it.
  // `check_counts` compares the number of pairs taken, and of edges of the graph made of them, with those that the file
  // states.
  EdgePairs take_pairs() { return std::exchange(pairs_, {}); }
  NodeIds finish_ids(Budget& budget);
  virtual void check_counts(std::int64_t /*num_pairs*/, std::int64_t /*num_edges*/) const {}

  // The number of bytes held so far.
  std::int64_t bytes() const { return static_cast<std::int64_t>(pairs_.bytes() + carry_.size()) + more_bytes(); }

 protected:
  // A longer line is no text of this format, and must not fill the memory.
  explicit GraphParser(std::size_t longest_line = std::size_t{1} << 20) : longest_line_(longest_line) {}

  // Parses whole lines: `lines` ends with a newline.
  virtual void parse_lines(std::string_view lines);
  // Parses one line, without its newline or carriage return.
  virtual void parse_line(std::string_view line) = 0;
  // The nodes, after the last line.
  virtual NodeIds node_ids(Budget& budget) = 0;
  // Builds the graph, after the last line. By default with `num_nodes` of `node_ids`, and with labels that count from
  // 1, as the file does; the pairs count from 0.
  virtual LabelledGraph assemble(Budget& budget);
  // The number of bytes held besides the pairs.
  virtual std::int64_t more_bytes() const { return 0; }

  [[noreturn]] void fail(const std::string& expected, const std::string& got) const;
  // Returns a field as an integer in this range, or fails.
  std::int64_t integer(std::string_view field, std::int64_t lowest, std::int64_t highest, const char* what) const;
  // Returns whether a field is a number other than zero; fails if it is no number.
  bool is_nonzero(std::string_view field, const char* what) const;
  void expect_end(std::string_view field, const char* what) const;

  EdgePairs pairs_;
  std::int64_t line_ = 0;  // number of the current line, from 1

 private:
  void end_input();
  void parse_whole_lines(std::string_view lines);
  void carry_over(std::string_view part);

  std::string carry_;  // the beginning of a line whose end is in the next piece
  std::size_t longest_line_;
  bool begun_ = false;
  bool finished_ = false;
};

// The options apply to edge lists and csv only.
std::unique_ptr<GraphParser> make_parser(Format format, const EdgeListOptions& options = {});

// One for each format; defined in the file of the format.
std::unique_ptr<GraphParser> make_edge_list_parser(bool is_csv, const EdgeListOptions& options);
std::unique_ptr<GraphParser> make_dimacs_parser();
std::unique_ptr<GraphParser> make_matrix_market_parser();
std::unique_ptr<GraphParser> make_metis_parser();

}  // namespace cliquepool
