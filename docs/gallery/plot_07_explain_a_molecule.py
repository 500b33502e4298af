"""
Explaining a molecule
=====================

A classifier says that a molecule is mutagenic. Which groups of atoms decided,
and what would it say without them? Pools are sets of atoms that a chemist can
name, so that the answer is one that can be checked.
"""

# %%
# A classifier
# ------------
# MUTAG comes with the package: 188 molecules, without their hydrogen atoms. The
# molecule that is explained is one of those that were held out.

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from cliquepool.data import load_dataset
from cliquepool.explain import explain, vocabulary
from cliquepool.models import CliquePoolClassifier

mutag = load_dataset("MUTAG")
order = np.random.default_rng(0).permutation(len(mutag))
training, held_out = mutag[order[:150]], mutag[order[150:]]
model = CliquePoolClassifier(epochs=100, learning_rate=0.003)
model.fit(training)
accuracy = model.score(held_out)
print(f"right for {accuracy:.2f} of {len(held_out)} held-out molecules")

molecule = mutag[125]
print("number 125 is held out:", 125 in order[150:])

# %%
# Who decided?
# ------------
# The players are the pools of level 2. Where a pool is left out, its atoms have
# mean features instead of their own. The Shapley value of a pool is its fair
# share in the difference between the molecule and one of which nothing is
# known. With up to 16 pools it is exact: all subsets are computed.

why = explain(model, molecule, method="shapley", level=2, baseline=training)
print(why.answer)
print(why.table())

# %%
# The values are in log-odds of the predicted class, and they sum to the
# difference that is to be explained.

values = why.contributions
difference = (values.whole - values.nothing)[why.target]
total = values.of_pools[:, why.target].sum()
print(f"sum {total:+.4f}, difference {difference:+.4f}")

# %%
# The atoms, coloured by the mean contribution of their pools, and the pools.
# Orange speaks for the predicted class. A nitro group is an N with two O.

graph = molecule.graph(0).to_networkx()
places = nx.kamada_kawai_layout(graph)
figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.8), layout="constrained"
)
most = 1.4 * abs(why.node_scores).max()
nx.draw_networkx_edges(graph, places, ax=left, edge_color="#a9b1bb", width=2)
nx.draw_networkx_nodes(
    graph,
    places,
    ax=left,
    node_color=why.node_scores,
    cmap="PuOr_r",
    vmin=-most,
    vmax=most,
    edgecolors="#2b2f36",
)
nx.draw_networkx_labels(
    graph, places, dict(enumerate(why.names.nodes)), ax=left
)
left.set(aspect="equal")
left.axis("off")

table = why.table()[::-1]
values_shown = [row.contribution for row in table]
colours = ["#e08214" if value > 0 else "#8073ac" for value in values_shown]
right.barh(range(len(table)), values_shown, color=colours)
right.set_yticks(range(len(table)), [row.text for row in table])
right.set_xlabel("contribution, log-odds")
right.spines[["top", "right", "left"]].set_visible(False)
plt.show()

# %%
# What if?
# --------
# ``what_if`` gives the answer without any set of pools: here without the
# strongest, then without the two strongest.

strongest = [row.pool for row in why.table()]
for number in range(3):
    off = strongest[:number]
    print(f"without {off}: {why.what_if(without=off)}")

# %%
# The same as a page: **switch pools off** and read the answer. All answers are
# stored in it, so that it needs neither the model nor a server.
# ``why.save("why.html")`` writes the file, to be mailed.

why

# %%
# Does it depend on the question?
# -------------------------------
# Which features a hidden atom has is a choice: the mean of all atoms, or zeros.
# ``method="delete"`` asks another question, and removes the atoms and pools
# what is left anew; then every degree changes too. Where the answers agree on a
# pool, the explanation does not hang on the choice. On other molecules they can
# disagree, so look at more than one.

how = {"level": 2, "target": why.answer.prediction}
others = {
    "mean": why,
    "zero": explain(model, molecule, baseline="zero", **how),
    "deleted": explain(model, molecule, method="delete", **how),
}
print("pool", *(f"{name:>8}" for name in others))
for row in why.table():
    told = [one.contributions.of_pools[row.pool] for one in others.values()]
    print(
        f"{row.pool:4}", *(f"{one[why.target]:+8.2f}" for one in told), row.text
    )

# %%
# Over the data set
# -----------------
# One molecule is an anecdote. ``vocabulary`` collects the pools of many
# molecules as *words*, with the mean contribution of each and its 95 % interval
# over molecules. The words of level 1 are bonds here, those of level 2 groups
# of bonds; two words of the same atoms differ in how these are joined.

words = vocabulary(model, training[:40], method="shapley")
index = words.index_of("mutagenic")
for word in words.strongest("mutagenic", 5, least_graphs=5):
    interval = f"[{word.low[index]:+.2f}, {word.high[index]:+.2f}]"
    print(f"{word.mean[index]:+.2f} {interval} {word.key.text}")
