#include "pooling/shard_search.hpp"

#include <algorithm>
#include <initializer_list>

namespace cliquepool {

namespace {

// Cliques of unit weights up to these sizes are found without bitsets.
constexpr Node kPair = 2;
constexpr Node kTriangle = 3;

void append_list(FoundCliques& found, std::initializer_list<Node> clique) {
  found.lists.append({clique.begin(), clique.size()});
}

}  // namespace

// From the last vertex to the first: the later neighbours of a vertex are coloured before it, and it takes the least
// colour that none of them has.
Buffer<Node> colour_shard(const ShardView& shard, Budget& budget) {
  Pace pace(budget);
  std::size_t longest = 0;
  for (Node v = 0; v < shard.num_vertices(); ++v) longest = std::max(longest, shard[v].size());
  ChargedBuffer<unsigned char> taken(budget, longest + 1, 0);
  Buffer<Node> colours;
  resize_result(colours, shard.weights.size(), budget);
  for (Node v = shard.num_vertices(); v-- > 0;) {
    const auto mark = [&](unsigned char flag) {
      for (const Node u : shard[v])
        if (idx(colours[idx(u)]) <= shard[v].size()) taken[idx(colours[idx(u)])] = flag;
    };
    mark(1);
    Node least_free = 0;
    while (taken[idx(least_free)] != 0) ++least_free;
    colours[idx(v)] = least_free;
    mark(0);
    pace.step(shard[v].size() + 1);
  }
  return colours;
}

ShardSearch::ShardSearch(const ShardView& shard, const ShardState& state, Budget& budget)
    : shard_(shard),
      state_(state),
      budget_(budget),
      pace_(budget),
      heaviest_of_colour_(budget),
      local_(budget),
      index_(budget, idx(shard.num_vertices()), 0) {
  assert(state.colours.size() == shard.weights.size() && state.live.size() == shard.weights.size());
  assert(state.bounds.size() == shard.own.size());
  const auto highest = std::max_element(state.colours.begin(), state.colours.end());
  heaviest_of_colour_.assign(highest == state.colours.end() ? 0 : idx(*highest) + 1, 0);
}

void ShardSearch::find_bounds(Node most) {
  for (std::size_t i = 0; i < shard_.own.size(); ++i) {
    const Node leader = shard_.own[i];
    state_.bounds[i] = 0;
    if (!state_.live[idx(leader)]) continue;
    take_live(leader);
    state_.bounds[i] = std::min(most, bound_by_colours(leader));
  }
}

std::size_t ShardSearch::find_cliques(Node weight, FoundCliques& found, std::size_t first, std::int64_t most_bytes) {
  for (std::size_t i = first; i < shard_.own.size(); ++i) {
    if (state_.bounds[i] != weight) continue;
    if (found.lists.size() > 0 && found.lists.bytes() >= most_bytes) {
      found.charge(budget_);
      return i;
    }
    const Node leader = shard_.own[i];
    state_.bounds[i] = state_.live[idx(leader)] ? search_leader(leader, weight, found) : 0;
  }
  found.charge(budget_);
  // Leaders of cliques of this weight are pooled in this round: they lead no other.
  for (Node& bound : state_.bounds)
    if (bound == weight) bound = 0;
  return shard_.own.size();
}

// Finds the cliques of this weight that a live vertex leads, and returns the weight. Otherwise returns a reduced upper
// bound for the vertex.
Node ShardSearch::search_leader(Node leader, Node weight, FoundCliques& found) {
  take_live(leader);
  const Node bound = bound_by_colours(leader);
  if (bound < weight) return bound;
  const Node own = shard_.weights[idx(leader)];
  if (local_.empty()) {
    append_list(found, {leader});
    return own;
  }
  const Offset before = found.lists.size();
  if (weight == kPair) {
    append_pairs(leader, weight, found);
    return weight;
  }
  if (weight == kTriangle && own == 1) {
    append_pairs(leader, weight, found);
    append_triangles(leader, found);
    if (found.lists.size() > before) found.charge(budget_);
    return found.lists.size() > before ? weight : kPair;
  }
  build_local();
  const Node first[] = {leader};
  const auto vertex_of = [&](Node local) { return local_[idx(local) - 1]; };
  const Node reached = found.append_heaviest(search_, weight - own, first, vertex_of, pace_, budget_);
  if (own + reached == weight) return weight;
  return std::min(own + search_.tighten(reached, pace_), weight - 1);
}

void ShardSearch::take_live(Node leader) {
  local_.clear();
  for (const Node u : shard_[leader])
    if (state_.live[idx(u)]) local_.push_back(u);
  pace_.step(shard_[leader].size() + 1);
}

// The weight of the leader and of its heaviest live neighbour of each colour.
Node ShardSearch::bound_by_colours(Node leader) {
  Node bound = shard_.weights[idx(leader)];
  for (const Node u : local_.span()) {
    Node& heaviest = heaviest_of_colour_[idx(state_.colours[idx(u)])];
    const Node more = std::max(shard_.weights[idx(u)] - heaviest, 0);
    bound += more;
    heaviest += more;
  }
  for (const Node u : local_.span()) heaviest_of_colour_[idx(state_.colours[idx(u)])] = 0;
  return bound;
}

// With unit weights, or with the one weight that is missing.
void ShardSearch::append_pairs(Node leader, Node weight, FoundCliques& found) {
  for (const Node u : local_.span())
    if (shard_.weights[idx(leader)] + shard_.weights[idx(u)] == weight) append_list(found, {leader, u});
}

void ShardSearch::append_triangles(Node leader, FoundCliques& found) {
  for (const Node u : local_.span()) index_[idx(u)] = shard_.weights[idx(u)] == 1;
  for (const Node u : local_.span()) {
    if (shard_.weights[idx(u)] != 1) continue;
    for (const Node x : shard_[u])
      if (index_[idx(x)] != 0) append_list(found, {leader, u, x});
    pace_.step(shard_[u].size());
  }
  for (const Node u : local_.span()) index_[idx(u)] = 0;
}

// Fills `search_` with the graph between the vertices of `local_`.
void ShardSearch::build_local() {
  const Node size = static_cast<Node>(local_.size());
  if (const std::int64_t more = LocalSearch::bytes(size) - search_bytes_; more > 0) {
    budget_.add_bytes(more);
    search_bytes_ += more;
  }
  search_.reset(size);
  // A vertex is indexed when it is added. Lists are descending: neighbours that are added after it join it then.
  for (Node local = 1; local <= size; ++local) {
    const Node u = local_[idx(local) - 1];
    search_.add(local, shard_.weights[idx(u)], [&](auto&& join) {
      for (const Node x : shard_[u]) join(index_[idx(x)]);
    });
    index_[idx(u)] = local;
    pace_.step(shard_[u].size() / 8);
  }
  for (const Node u : local_.span()) index_[idx(u)] = 0;
}

}  // namespace cliquepool
