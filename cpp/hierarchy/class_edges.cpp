#include "hierarchy/class_edges.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "base/unused_pages.hpp"

namespace cliquepool {

namespace {

// Pools that share a hub cost most where a range begins: ranges are long.
constexpr std::size_t kSlotsPerRange = 1 << 12;
// Rows wait in buckets until all are known. A bucket is freed when its rows are in the result, which grows with that.
constexpr std::size_t kClassesPerBucket = 1 << 8;
constexpr std::size_t kMostBuckets = 64;

}  // namespace

void ClassEdges::bind(Budget& budget) {
  budget_ = &budget;
  bind_all(budget, touching_start_, touching_, row_size_, closed_weight_, row_start_, row_thread_);
  for (Workspace& workspace : of_thread_) bind_all(budget, workspace.reached, workspace.ascending, workspace.row);
}

void ClassEdges::unbind() {
  unbind_all(touching_start_, touching_, row_size_, closed_weight_, row_start_, row_thread_);
  for (Workspace& workspace : of_thread_) {
    unbind_all(workspace.reached, workspace.ascending, workspace.row);
    workspace.buckets.clear();
  }
  budget_ = nullptr;
}

void ClassEdges::begin(const LevelRows& below, const PoolTrie& trie, std::span<const Node> representatives,
                       std::span<const Node> class_of_pool, unsigned threads) {
  ready_for_rows_ = false;
  below_ = below;
  trie_ = &trie;
  representatives_ = representatives;
  class_of_pool_ = class_of_pool;
  const std::size_t ranges = (representatives.size() + kSlotsPerRange - 1) / kSlotsPerRange;
  threads_ = static_cast<unsigned>(std::clamp<std::size_t>(ranges, 1, std::max(threads, 1U)));
  while (of_thread_.size() < threads_) {
    Workspace& workspace = of_thread_.emplace_back();
    bind_all(*budget_, workspace.reached, workspace.ascending, workspace.row);
  }
  list_touching();
}

// Every thread reads all members, and lists the classes of its own range of vertices.
void ClassEdges::list_touching() {
  const auto num_vertices = idx(below_.num_nodes());
  const auto for_each_member = [&](auto&& visit) {  // calls visit(class, member)
    share_ranges(threads_, num_vertices, num_vertices / threads_ + 1, *budget_,
                 [&](unsigned, std::size_t first, std::size_t last) {
                   Pace pace(*budget_);
                   for (const Node slot : representatives_) {
                     const Node c = class_of_pool_[idx(trie_->pool(slot))];
                     trie_->for_each_member(slot, [&](Node v) {
                       if (idx(v) >= first && idx(v) < last) visit(c, v);
                       pace.step();
                     });
                   }
                 });
  };
  // touching_start_[v + 2] counts the classes of v, then is the start of v + 1; filling in moves it to the end.
  touching_start_.assign(num_vertices + 2, 0);
  for_each_member([&](Node, Node v) { ++touching_start_[idx(v) + 2]; });
  for (std::size_t v = 1; v <= num_vertices; ++v) touching_start_[v + 1] += touching_start_[v];
  touching_.resize(idx(touching_start_.back()));
  for_each_member([&](Node c, Node v) { touching_[idx(touching_start_[idx(v) + 1]++)] = c; });
  touching_start_.pop_back();
}

// Visits the pools of `slots` with the classes that they reach in `workspace.reached`. `push(tail)` and `pop()` follow
// the growth of these along the trie; `tail` are the classes that a member brings.
template <typename Push, typename Pop, typename Visit>
void ClassEdges::walk(Workspace& workspace, std::span<const Node> slots, Pace& pace, Push&& push, Pop&& pop,
                      Visit&& visit) {
  ReachedClasses& reached = workspace.reached;
  reached.reset(below_, touching(), num_classes());
  trie_->walk(
      slots,
      [&](Node v) {
        const std::size_t before = reached.size();
        reached.push(v, pace);
        push(reached.members().subspan(before));
      },
      [&] {
        reached.pop();
        pop();
      },
      [&](Node slot) { visit(class_of_pool_[idx(trie_->pool(slot))]); });
}

// Calls work(thread, slots, pace) on ranges of the representatives.
template <typename Work>
void ClassEdges::share_out_slots(Work&& work) {
  ready_for_rows_ = false;
  const std::size_t ranges = threads_ == 1 ? 1 : (num_classes() + kSlotsPerRange - 1) / kSlotsPerRange;
  const std::size_t per_range = ranges == 1 ? num_classes() : kSlotsPerRange;
  share_out(threads_, ranges, *budget_, [&](unsigned thread, std::size_t range) {
    Pace pace(*budget_);
    const std::size_t first = range * per_range;
    work(thread, representatives_.subspan(first, std::min(per_range, num_classes() - first)), pace);
  });
}

Offset ClassEdges::count(std::span<const Node> weights) {
  row_size_.resize(num_classes());
  if (!weights.empty()) closed_weight_.resize(num_classes());
  share_out_slots([&](unsigned thread, std::span<const Node> slots, Pace& pace) {
    Workspace& workspace = of_thread_[thread];
    ChargedBuffer<Offset> before(*budget_);  // the weight reached by each shorter prefix of the path
    Offset weight = 0;
    walk(
        workspace, slots, pace,
        [&](std::span<const Node> tail) {
          before.push_back(weight);
          if (!weights.empty())
            for (const Node c : tail) weight += weights[idx(c)];
        },
        [&] {
          weight = before.back();
          before.pop_back();
        },
        [&](Node c) {
          row_size_[idx(c)] = static_cast<Node>(workspace.reached.size()) - 1;
          if (!weights.empty()) closed_weight_[idx(c)] = weight;
          pace.step();
        });
  });
  Offset entries = 0;
  for (const Node size : row_size_.span()) entries += size;
  return entries;
}

void ClassEdges::join(Graph& quotient) {
  const std::size_t per_bucket = std::max(kClassesPerBucket, (num_classes() + kMostBuckets - 1) / kMostBuckets);
  collect_rows(per_bucket);
  resize_result(quotient.offsets, num_classes() + 1, *budget_);
  quotient.offsets[0] = 0;
  for (std::size_t c = 0; c < num_classes(); ++c) quotient.offsets[c + 1] = quotient.offsets[c] + row_size_[c];
  const auto entries = idx(quotient.offsets.back());
  quotient.neighbours.clear();
  quotient.neighbours.reserve(entries);  // memory that is not touched costs nothing: charged bucket by bucket
  quotient.neighbours.resize(entries);
  share_out(threads_, (num_classes() + per_bucket - 1) / per_bucket, *budget_,
            [&](unsigned, std::size_t bucket) { gather_bucket(bucket, per_bucket, quotient); });
}

void ClassEdges::collect_rows(std::size_t classes_per_bucket) {
  row_size_.resize(num_classes());
  row_start_.resize(num_classes());
  row_thread_.resize(num_classes());
  const std::size_t buckets = (num_classes() + classes_per_bucket - 1) / classes_per_bucket;
  for (unsigned thread = 0; thread < threads_; ++thread) {
    Workspace& workspace = of_thread_[thread];
    workspace.buckets.clear();
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) workspace.buckets.emplace_back(*budget_);
  }
  visit_rows([&](unsigned thread, Node c, std::span<const Node> reached) {
    Workspace& workspace = of_thread_[thread];
    Bucket& bucket = workspace.buckets[idx(c) / classes_per_bucket];
    row_start_[idx(c)] = static_cast<Offset>(bucket.size());
    row_thread_[idx(c)] = thread;
    Node* const begin = bucket.reserve_more(reached.size());
    const auto size = static_cast<std::size_t>(workspace.ascending.write(reached, c, begin) - begin);
    bucket.commit(size);
    row_size_[idx(c)] = static_cast<Node>(size);
  });
}

// Calls visit(thread, c, reached) with each class c and the classes that it reaches, itself among them. `ascending` of
// the workspaces is ready to sort them.
template <typename Visit>
void ClassEdges::visit_rows(Visit&& visit) {
  for (unsigned thread = 0; thread < threads_; ++thread) of_thread_[thread].ascending.reset(num_classes());
  share_out_slots([&](unsigned thread, std::span<const Node> slots, Pace& pace) {
    walk(
        of_thread_[thread], slots, pace, [](std::span<const Node>) {}, [] {},
        [&](Node c) {
          const auto reached = of_thread_[thread].reached.members();
          visit(thread, c, reached);
          pace.step(reached.size());
        });
  });
}

void ClassEdges::join_into(std::span<const Offset> offsets, std::span<Node> neighbours) {
  visit_rows([&](unsigned thread, Node c, std::span<const Node> reached) {
    // Sorted beside the result: a row is written with one entry more before the class itself is left out.
    Workspace& workspace = of_thread_[thread];
    workspace.row.resize(reached.size());
    Node* const begin = workspace.row.data();
    std::copy(begin, workspace.ascending.write(reached, c, begin), neighbours.data() + offsets[idx(c)]);
  });
}

// Copies the rows of a bucket to the quotient, and frees it.
void ClassEdges::gather_bucket(std::size_t bucket, std::size_t classes_per_bucket, Graph& quotient) {
  const std::size_t first = bucket * classes_per_bucket;
  const std::size_t end = std::min(num_classes(), first + classes_per_bucket);
  budget_->add_bytes((quotient.offsets[end] - quotient.offsets[first]) * static_cast<Offset>(sizeof(Node)));
  Pace pace(*budget_);
  for (std::size_t c = first; c < end; ++c) {
    const Node* const from = of_thread_[row_thread_[c]].buckets[bucket].data() + row_start_[c];
    std::copy_n(from, idx(row_size_[c]), quotient.neighbours.data() + quotient.offsets[c]);
    pace.step(idx(row_size_[c]) / 8 + 1);
  }
  for (unsigned thread = 0; thread < threads_; ++thread) {
    Bucket& gathered = of_thread_[thread].buckets[bucket];
    drop_pages(gathered.span());
    gathered = Bucket(*budget_);
  }
}

void ClassEdges::list_row(Node slot, ChargedBuffer<Node>& row) {
  Pace pace(*budget_);
  ReachedClasses& reached = of_thread_.front().reached;
  if (!ready_for_rows_) reached.reset(below_, touching(), num_classes());
  ready_for_rows_ = true;
  reached.mark();
  trie_->for_each_member(slot, [&](Node v) { reached.insert(v, pace); });
  row.append(reached.members());
  reached.pop();
}

}  // namespace cliquepool
