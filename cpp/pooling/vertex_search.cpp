#include "pooling/vertex_search.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "pooling/pairs_and_singles.hpp"

namespace cliquepool {

namespace {

// Local graphs of at least this many vertices are peeled before their bitset rows are built.
constexpr Node kPeelFrom = 1024;

}  // namespace

void VertexSearch::bind(Budget& budget) {
  budget_ = &budget;
  bind_all(budget, local_, degree_, small_index_, index_);
}

void VertexSearch::unbind() {
  budget_->release_bytes(std::exchange(search_bytes_, 0));
  unbind_all(local_, degree_, small_index_, index_);
}

void VertexSearch::begin(RemainingGraph& graph, FoundCliques& found, unsigned thread) {
  graph_ = &graph;
  thread_ = thread;
  found_ = &found;
}

// Vertices that lead no clique of three nodes are left to the last rounds.
bool VertexSearch::triangles_and_smaller(Rank v, Node weight) {
  const auto neighbours = graph_->later(v);
  const Node own = graph_->weight(v);
  const auto pool = [&](std::initializer_list<Rank> clique) {
    for (const Rank member : clique) found_->lists.members.push_back(graph_->vertex(member));
    found_->lists.close_list();
  };
  if (neighbours.empty()) {
    assert(own == weight);  // a vertex alone is its own bound
    pool({v});
    found_->charge_some(*budget_);
    return true;
  }
  if (weight > kPairWeight + 1) return false;

  for (const Rank u : neighbours)
    if (own + graph_->weight(u) == weight) pool({v, u});
  if (own == 1 && neighbours.size() > 1) {
    if (small_index_.empty()) small_index_.assign(idx(graph_->num_vertices()), 0);
    unsigned char* const marked = small_index_.data();
    graph_->prefetch_later_of(neighbours);
    for (const Rank u : neighbours) marked[idx(u)] = graph_->weight(u) == 1;
    for (const Rank u : neighbours) {
      if (graph_->weight(u) != 1) continue;
      for (const Rank x : graph_->later(u))
        if (marked[idx(x)]) found_->append_triangle(graph_->vertex(v), graph_->vertex(u), graph_->vertex(x));
    }
    for (const Rank u : neighbours) marked[idx(u)] = 0;
  }
  found_->charge_some(*budget_);
  return true;
}

Node VertexSearch::search_vertex(Rank v, Node weight, Pace& pace, BranchExchange* exchange) {
  const Node own = graph_->weight(v);
  const auto neighbours = graph_->later(v);
  local_.resize(neighbours.size());
  std::copy(neighbours.begin(), neighbours.end(), local_.begin());

  Node peeled_bound = 0;
  if (static_cast<Node>(local_.size()) >= kPeelFrom) peeled_bound = peel(weight - own);
  pace.step(neighbours.size());
  if (local_.empty()) return own + peeled_bound;

  charge_search(static_cast<Node>(local_.size()));
  if (neighbours.size() < kWordBits) {
    build_small(v, pace);
  } else {
    build_local(pace);
  }
  const Node reached = append_heaviest(v, weight - own, pace, exchange);
  if (own + reached == weight) return weight;
  const Node bound = std::max(search_.tighten(reached, pace), peeled_bound);
  return std::min(own + bound, weight - 1);
}

// Appends the cliques that consist of the leader and of local vertices of the weight `target`. Returns as LocalSearch
// does.
Node VertexSearch::append_heaviest(Rank leader, Node target, Pace& pace, BranchExchange* exchange) {
  const Node first_member[] = {graph_->vertex(leader)};
  const auto vertex_of = [this](Node local) { return graph_->vertex(local_[idx(local) - 1]); };
  if (exchange == nullptr || local_.size() < kWordBits)
    return found_->append_heaviest(search_, target, first_member, vertex_of, pace, *budget_);
  // Other threads may call this even after an exception has ended this function.
  const auto append = [=, this](std::span<const Node> local_clique, FoundCliques& found) {
    found.append(first_member, local_clique, vertex_of, *budget_);
  };
  const Node reached = search_.heaviest(target, pace, *found_, append, *exchange);
  while (const auto branch = exchange->take_until_ended(search_.shared())) search_branch(*branch, *exchange, pace);
  found_->charge_some(*budget_);
  return search_.with_branches(reached, target);
}

void VertexSearch::search_branches(BranchExchange& exchange, Pace& pace) {
  while (const auto branch = exchange.take()) search_branch(*branch, exchange, pace);
}

void VertexSearch::search_branch(const OfferedBranch& branch, BranchExchange& exchange, Pace& pace) {
  charge_search(branch.search->graph->size);
  search_.search_branch(branch, pace, *found_, exchange);
}

void VertexSearch::mark_local() {
  if (index_.empty()) index_.assign(idx(graph_->num_vertices()), 0);
  Node local = 0;
  for (const Rank u : local_.span()) index_[idx(u)] = ++local;
}

void VertexSearch::unmark_local() {
  for (const Rank u : local_.span()) index_[idx(u)] = 0;
}

// Drops local vertices that are too light, with all their neighbours, for a clique of this weight. Returns an upper
// bound on the weight of cliques that have a dropped member.
Node VertexSearch::peel(Node weight) {
  Node bound = 0;
  for (;;) {
    const auto size = local_.size();
    mark_local();
    degree_.resize(size);
    for (std::size_t i = 0; i < size; ++i) degree_[i] = graph_->weight(local_[i]);
    for (std::size_t i = 0; i < size; ++i) {
      const Rank u = local_[i];
      Node sum = 0;
      for (const Rank x : graph_->later(u)) {
        const Node other = index_[idx(x)];
        if (other == 0) continue;
        sum += graph_->weight(x);
        degree_[idx(other) - 1] += graph_->weight(u);
      }
      degree_[i] += sum;
    }
    unmark_local();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (degree_[i] >= weight) {
        local_[kept++] = local_[i];
      } else {
        bound = std::max(bound, degree_[i]);
      }
    }
    local_.resize(kept);
    // Another pass over the lists pays only while many vertices are dropped.
    if (kept > size - size / 4 || kept < static_cast<std::size_t>(kPeelFrom)) return bound;
  }
}

void VertexSearch::build_local(Pace& pace) {
  const Node size = static_cast<Node>(local_.size());
  search_.reset(size);
  mark_local();
  const Node* const index = index_.data();
  for (Node i = 0; i < size; ++i) {
    const Rank u = local_[idx(i)];
    pace.step(graph_->later(u).size() / 8);
    // Falling ranks: the later neighbours of u were added before it.
    search_.add(i + 1, graph_->weight(u), [&](auto&& join) {
      for (const Rank x : graph_->later(u)) join(index[idx(x)]);
    });
  }
  unmark_local();
}

// The local graph of a vertex with fewer later neighbours than a word has bits. Its rows are kept for later searches.
void VertexSearch::build_small(Rank v, Pace& pace) {
  if (small_index_.empty()) small_index_.assign(idx(graph_->num_vertices()), 0);
  std::array<Word, kWordBits> memory;
  const std::span<Word> rows(memory.data(), graph_->later(v).size());
  if (graph_->has_rows(v)) {
    graph_->load_rows(v, rows);
  } else {
    pace.step(graph_->build_rows(v, small_index_.span(), rows, thread_) / 8);
  }
  search_.restore(rows, graph_->live_in_rows(v), [&](Node local) { return graph_->weight(local_[idx(local) - 1]); });
}

void VertexSearch::charge_search(Node size) {
  const std::int64_t bytes = LocalSearch::bytes(size);
  if (bytes <= search_bytes_) return;
  budget_->add_bytes(bytes - search_bytes_);
  search_bytes_ = bytes;
}

}  // namespace cliquepool
