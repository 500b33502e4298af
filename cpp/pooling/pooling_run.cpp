#include "pooling/pooling_run.hpp"

#include <algorithm>
#include <utility>

#include "base/sorting.hpp"

namespace cliquepool {

namespace {

// Most pools have two or three members.
void sort_few(Node* begin, Node* end) {
  if (end - begin > 3) {
    std::sort(begin, end);
    return;
  }
  for (Node* i = begin + 1; i < end; ++i)
    for (Node* j = i; j > begin && *j < *(j - 1); --j) std::swap(*j, *(j - 1));
}

}  // namespace

PoolingRun::PoolingRun(const WeightedGraph& graph, const PoolingOptions& options, Budget& budget, Ragged& pools,
                       Memory& memory)
    : graph_(graph),
      options_(options),
      threads_(std::max(options.threads, 1U)),
      budget_(budget),
      pace_(budget),
      pools_(pools),
      memory_(memory),
      live_scope_(budget, memory.live),
      num_live_(graph.num_nodes()) {
  pools_.clear();
  memory_.live.assign(idx(graph.num_nodes()), 1);
  if (memory_.found.size() < threads_) memory_.found.resize(threads_);
  for (FoundCliques& found : memory_.found) found.forget();
  if (options_.progress) budget_.set_total(graph.num_nodes());
}

void PoolingRun::remove(std::span<const Node> vertices) {
  unsigned char* const live = memory_.live.data();
  Node removed = 0;
  for (const Node v : vertices) {
    removed += live[v];
    live[v] = 0;
  }
  pace_.step(vertices.size());
  num_live_ -= removed;
  if (options_.progress) budget_.add_done(removed);
}

void PoolingRun::charge_pools() {
  budget_.add_cliques(pools_.size() - counted_pools_);
  counted_pools_ = pools_.size();
  const std::int64_t bytes = pools_.bytes();
  budget_.add_bytes(bytes - charged_bytes_);
  charged_bytes_ = bytes;
}

std::span<const Node> PoolingRun::close_round(Order found_in) {
  const auto is_empty = [](const FoundCliques& found) { return found.lists.size() == 0; };
  if (std::all_of(memory_.found.begin(), memory_.found.end(), is_empty)) return {};
  const std::size_t before = pools_.members.size();
  if (found_in == Order::canonical) {
    pools_.append_all(found().lists.view());
  } else if (!only_pairs() || !append_pairs()) {
    append_sorted();
  }
  counted_pools_ = pools_.size();  // they were counted when they were found
  charge_pools();
  for (FoundCliques& found : memory_.found) found.clear(budget_);
  const auto members = std::as_const(pools_.members).span().subspan(before);
  remove(members);
  return members;
}

// Whether there may be no clique of more than two members: a quick test that some rounds pass wrongly.
bool PoolingRun::only_pairs() const {
  return std::all_of(memory_.found.begin(), memory_.found.end(), [](const FoundCliques& found) {
    return found.lists.members.size() <= 2 * idx(found.lists.size());
  });
}

// The quick way for rounds of nothing but pools of one or two members, of which there may be very many: a number stands
// for such a pool. Returns false, with nothing appended, if there are others.
bool PoolingRun::append_pairs() {
  ChargedBuffer<std::uint64_t>& keys = memory_.pair_keys;
  const ChargeScope scope(budget_, keys);
  for (const FoundCliques& found : memory_.found) {
    for (Offset i = 0; i < found.lists.size(); ++i) {
      const auto pool = found.lists[i];
      if (pool.size() > 2) return false;
      const auto [first, second] = std::minmax(pool.front(), pool.back());
      keys.push_back(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second));
      pace_.step();
    }
  }
  sort_in_pieces(keys.begin(), keys.end(), pace_);
  for (const std::uint64_t key : keys.span()) {
    const Node first = static_cast<Node>(key >> 32);
    const Node second = static_cast<Node>(key & 0xFFFFFFFF);
    pools_.members.push_back(first);
    if (second != first) pools_.members.push_back(second);
    pools_.close_list();
    pace_.step();
  }
  return true;
}

void PoolingRun::append_sorted() {
  ChargedBuffer<PoolKey>& keys = memory_.keys;
  const ChargeScope scope(budget_, keys);
  for (FoundCliques& found : memory_.found) {
    Ragged& lists = found.lists;
    for (Offset i = 0; i < lists.size(); ++i) {
      Node* const begin = lists.members.data() + lists.offsets[idx(i)];
      Node* const end = lists.members.data() + lists.offsets[idx(i) + 1];
      sort_few(begin, end);
      const auto second = end - begin > 1 ? static_cast<std::uint64_t>(begin[1]) : 0;
      keys.push_back({static_cast<std::uint64_t>(*begin) << 32 | second, begin, static_cast<Node>(end - begin)});
      pace_.step(static_cast<std::size_t>(end - begin));
    }
  }
  sort_in_pieces(keys.begin(), keys.end(), pace_, [](const PoolKey& a, const PoolKey& b) {
    if (a.first_two != b.first_two) return a.first_two < b.first_two;
    return std::lexicographical_compare(a.members, a.members + a.size, b.members, b.members + b.size);
  });
  for (const PoolKey& pool : keys.span()) {
    pools_.append({pool.members, idx(pool.size)});
    pace_.step(idx(pool.size));
  }
}

}  // namespace cliquepool
