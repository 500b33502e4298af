#include "hierarchy/induced_classes.hpp"

#include <algorithm>
#include <memory>

#include "hierarchy/coarsening.hpp"
#include "tests/check.hpp"
#include "tests/hierarchy/pooled_graph.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

// Chosen classes, their degrees, weights, neighbours and stored graph are those of the quotient induced by them.
TEST(graphs_between_chosen_classes_are_induced_by_the_quotient) {
  Random random(1);
  for (int i = 0; i < 15; ++i) {
    PooledGraph pooled(random_matrix(random_between(10, 60, random), 0.15, random));
    Budget& budget = pooled.budget;
    TwinLevel stored;
    TwinLevel implied;
    Coarsener().run(pooled.graph.view(), pooled.pools.view(), {}, budget, stored);
    const auto level = Coarsener().run(pooled.graph.view(), pooled.pools.view(), {.may_imply = true, .most_stored = 0},
                                       budget, implied);
    if (level == nullptr) continue;
    const Matrix quotient = matrix_of(stored.quotient.view());
    InducedClasses classes(level->rows(), implied.sizes.span(), 1, budget);
    Nodes slots;
    for (Node slot = 0; slot < classes.num_classes(); ++slot)
      if (random_between(0, 1, random) == 0) slots.push_back(slot);
    classes.choose(slots);
    CHECK(classes.size() == slots.size());

    const Offset entries = classes.count();
    Offset expected_entries = 0;
    for (const Node slot : slots) {
      Nodes neighbours;
      Offset weight = classes.weight_of(classes.class_of(slot));
      for (const Node other : slots) {
        if (!quotient[idx(classes.class_of(slot))][idx(classes.class_of(other))]) continue;
        neighbours.push_back(other);
        weight += classes.weight_of(classes.class_of(other));
      }
      expected_entries += static_cast<Offset>(neighbours.size());
      CHECK(classes.degree(slot) == static_cast<Node>(neighbours.size()));
      CHECK(classes.closed_weight(slot) == weight);
      ChargedBuffer<Node> found(budget);
      classes.neighbours(slot, found);
      Nodes found_slots;
      for (const Node number : found.span()) found_slots.push_back(classes.slot_of(classes.class_at(number)));
      std::sort(found_slots.begin(), found_slots.end());
      CHECK(found_slots == neighbours);
    }
    CHECK(entries == expected_entries);

    const Offset known = classes.heaviest_known_clique();
    const std::int64_t charged = budget.bytes();
    Graph graph;
    classes.store(graph);
    const Matrix induced = matrix_of(graph.view());
    bool same = size_of(induced) == static_cast<Node>(slots.size());
    for (Node a = 0; same && a < size_of(induced); ++a)
      for (Node b = 0; b < size_of(induced); ++b)
        same = same && induced[idx(a)][idx(b)] == quotient[idx(classes.class_at(a))][idx(classes.class_at(b))];
    CHECK(same);
    const Nodes weights = nodes_of(classes.chosen_weights());
    if (!slots.empty()) CHECK(known <= weight_of(heaviest_cliques(induced, weights).front(), weights));
    classes.discard(graph);
    CHECK(budget.bytes() <= charged + (1 << 16));
  }
}
