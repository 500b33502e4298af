#include "pooling/pooling_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/parallel_flags.hpp"
#include "base/parallel_sorting.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kPoolsPerRange = 1024;
constexpr std::size_t kPoolsWorthThreads = 1 << 14;  // for fewer, starting threads costs more
constexpr std::size_t kShareWorthCounting = 16;      // live vertices are counted again if 1 in 16 of all is removed

// Returns the first member of a pool from its first two.
std::uint32_t first_of(std::uint64_t first_two) { return static_cast<std::uint32_t>(first_two >> 32); }

// Most pools have two or three members.
void sort_few(Node* begin, Node* end) {
  if (end - begin > 3) {
    std::sort(begin, end);
    return;
  }
  for (Node* i = begin + 1; i < end; ++i)
    for (Node* j = i; j > begin && *j < *(j - 1); --j) std::swap(*j, *(j - 1));
}

// Returns the number of members of every clique; 0 if they differ.
std::size_t common_size(std::span<const FoundCliques> all) {
  Offset size = 0;
  for (const FoundCliques& found : all) {
    const auto offsets = found.lists.offsets.span();
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      if (size == 0) size = offsets[i] - offsets[i - 1];
      if (offsets[i] - offsets[i - 1] != size) return 0;
    }
  }
  return idx(size);
}

// Sorts lists of equal size, end to end, and the members of each.
template <std::size_t kSize>
void sort_lists(std::span<Node> members, unsigned threads, Budget& budget) {
  using List = std::array<Node, kSize>;
  const std::span<List> lists(reinterpret_cast<List*>(members.data()), members.size() / kSize);
  share_ranges(threads, lists.size(), kPoolsPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) sort_few(lists[i].data(), lists[i].data() + kSize);
  });
  sort_shared(lists, threads, budget, [](const List& list) { return static_cast<std::uint32_t>(list[0]); });
}

// Appends offsets for the members that have none yet, in lists of equal size.
void append_offsets(Ragged& pools, std::size_t size) {
  const std::size_t first_pool = idx(pools.size());
  const std::size_t num_lists = (pools.members.size() - idx(pools.offsets.back())) / size;
  pools.offsets.resize(first_pool + 1 + num_lists);
  Offset* const offsets = pools.offsets.data() + first_pool;
  for (std::size_t i = 0; i < num_lists; ++i) offsets[i + 1] = offsets[i] + static_cast<Offset>(size);
}

// The quick way for rounds of cliques that all have the same few members, as most have where no nodes are twins: they
// are sorted in place, without keys. Returns false, with nothing appended, in other cases.
bool append_equal_lists(Ragged& pools, std::span<const FoundCliques> all, unsigned threads, Budget& budget) {
  const std::size_t size = common_size(all);
  if (size < 3 || size > 6) return false;
  const std::size_t first_member = pools.members.size();
  for (const FoundCliques& found : all) pools.members.append(found.lists.members.span());
  const auto members = pools.members.span().subspan(first_member);
  if (size == 3) sort_lists<3>(members, threads, budget);
  if (size == 4) sort_lists<4>(members, threads, budget);
  if (size == 5) sort_lists<5>(members, threads, budget);
  if (size == 6) sort_lists<6>(members, threads, budget);
  append_offsets(pools, size);
  return true;
}

// Moves the values of `more` to the end of `values`. Where these are fewer, they are put before those of `more`
// instead: then no large array exists twice.
void move_to_end(Buffer<Node>& values, Buffer<Node>& more) {
  const std::size_t size = values.size();
  if (size < more.size()) {
    const std::size_t moved = more.size();
    more.resize(moved + size);
    std::memmove(more.data() + size, more.data(), moved * sizeof(Node));
    std::copy_n(values.data(), size, more.data());
    std::swap(values, more);
  } else {
    values.append(more.span());
  }
  more = Buffer<Node>();
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
  const Node live_before = num_live_;
  if (vertices.size() < memory_.live.size() / kShareWorthCounting) {
    for (const Node v : vertices) {
      num_live_ -= live[v];
      live[v] = 0;
    }
    pace_.step(vertices.size());
  } else {
    clear_flags(live, vertices, threads_, budget_, [](Node v) { return idx(v); });
    num_live_ = std::accumulate(live, live + memory_.live.size(), Node{0});
  }
  if (options_.progress) budget_.add_done(live_before - num_live_);
}

void PoolingRun::charge_pools() {
  budget_.add_cliques(pools_.size() - counted_pools_);
  counted_pools_ = pools_.size();
  const std::int64_t bytes = pools_.bytes();
  budget_.add_bytes(bytes - charged_bytes_);
  charged_bytes_ = bytes;
}

bool PoolingRun::nothing_found() const {
  return std::all_of(memory_.found.begin(), memory_.found.end(),
                     [](const FoundCliques& found) { return found.size() == 0; });
}

std::span<const Node> PoolingRun::close_round() {
  if (nothing_found()) return {};
  const std::size_t before = pools_.members.size();
  if (!append_triangles() && (!only_pairs() || !append_pairs())) append_sorted();
  return end_round(before);
}

// The quick way for rounds of nothing but triangles. Returns false, with nothing appended, if there are others.
bool PoolingRun::append_triangles() {
  const auto any = [&](auto&& has) { return std::any_of(memory_.found.begin(), memory_.found.end(), has); };
  if (!any([](const FoundCliques& found) { return !found.triangles.empty(); })) return false;
  if (any([](const FoundCliques& found) { return found.lists.size() > 0; })) {
    for (FoundCliques& found : memory_.found) {
      found.list_triangles();
      found.charge(budget_);
    }
    return false;
  }
  const std::size_t first_member = pools_.members.size();
  for (FoundCliques& found : memory_.found) move_to_end(pools_.members, found.triangles);
  const auto members = pools_.members.span().subspan(first_member);
  sort_lists<3>(members, threads_for(members.size() / 3), budget_);
  append_offsets(pools_, 3);
  return true;
}

std::span<const Node> PoolingRun::close_round(std::span<const FoundRange> ranges) {
  if (nothing_found()) return {};
  const std::size_t before = pools_.members.size();
  append_ranges(ranges);
  return end_round(before);
}

std::span<const Node> PoolingRun::end_round(std::size_t first_member) {
  counted_pools_ = pools_.size();  // they were counted when they were found
  charge_pools();
  for (FoundCliques& found : memory_.found) found.clear(budget_);
  const auto members = std::as_const(pools_.members).span().subspan(first_member);
  remove(members);
  return members;
}

unsigned PoolingRun::threads_for(std::size_t pools) const { return pools < kPoolsWorthThreads ? 1 : threads_; }

void PoolingRun::append_ranges(std::span<const FoundRange> ranges) {
  struct Target {
    std::size_t pool;
    std::size_t member;
  };
  const auto first_member = [&](const FoundRange& range, Offset list) {
    return idx(memory_.found[range.thread].lists.offsets[idx(list)]);
  };
  ChargedBuffer<Target> targets(budget_, ranges.size());
  Target end{idx(pools_.size()), pools_.members.size()};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    targets[i] = end;
    end.pool += idx(ranges[i].last - ranges[i].first);
    end.member += first_member(ranges[i], ranges[i].last) - first_member(ranges[i], ranges[i].first);
  }
  pools_.offsets.resize(end.pool + 1);
  pools_.members.resize(end.member);
  share_out(threads_for(end.pool - targets[0].pool), ranges.size(), budget_, [&](unsigned, std::size_t i) {
    const Ragged& lists = memory_.found[ranges[i].thread].lists;
    const std::size_t from = first_member(ranges[i], ranges[i].first);
    const std::size_t size = first_member(ranges[i], ranges[i].last) - from;
    std::copy_n(lists.members.data() + from, size, pools_.members.data() + targets[i].member);
    Offset* to = pools_.offsets.data() + targets[i].pool;
    for (Offset list = ranges[i].first; list < ranges[i].last; ++list)
      *++to = lists.offsets[idx(list) + 1] + static_cast<Offset>(targets[i].member) - static_cast<Offset>(from);
  });
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
  sort_shared(keys.span(), threads_for(keys.size()), budget_, first_of);
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
  std::size_t total = 0;
  for (const FoundCliques& found : memory_.found) total += idx(found.lists.size());
  const unsigned threads = threads_for(total);
  if (append_equal_lists(pools_, memory_.found, threads, budget_)) return;
  keys.resize(total);
  PoolKey* to = keys.begin();
  for (FoundCliques& found : memory_.found) {
    const std::size_t size = idx(found.lists.size());
    share_ranges(threads, size, kPoolsPerRange, budget_, [&](unsigned, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) to[i] = sorted_pool(found.lists, static_cast<Offset>(i));
    });
    to += size;
  }
  const auto first_member = [](const PoolKey& key) { return first_of(key.first_two); };
  sort_shared(keys.span(), threads, budget_, first_member, [](const PoolKey& a, const PoolKey& b) {
    if (a.first_two != b.first_two) return a.first_two < b.first_two;
    return std::lexicographical_compare(a.members, a.members + a.size, b.members, b.members + b.size);
  });
  const std::size_t first_pool = idx(pools_.size());
  pools_.offsets.resize(first_pool + 1 + total);
  Offset* const offsets = pools_.offsets.data() + first_pool;
  for (std::size_t i = 0; i < total; ++i) offsets[i + 1] = offsets[i] + keys[i].size;
  pools_.members.resize(idx(offsets[total]));
  share_ranges(threads, total, kPoolsPerRange, budget_, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      std::copy_n(keys[i].members, idx(keys[i].size), pools_.members.data() + offsets[i]);
  });
}

// Sorts the members of a pool, and returns its key.
PoolingRun::PoolKey PoolingRun::sorted_pool(Ragged& lists, Offset pool) {
  Node* const begin = lists.members.data() + lists.offsets[idx(pool)];
  Node* const end = lists.members.data() + lists.offsets[idx(pool) + 1];
  sort_few(begin, end);
  const auto second = end - begin > 1 ? static_cast<std::uint64_t>(begin[1]) : 0;
  return {static_cast<std::uint64_t>(*begin) << 32 | second, begin, static_cast<Node>(end - begin)};
}

}  // namespace cliquepool
