"""
Explaining a molecule
=====================

A classifier says that a molecule is mutagenic. Which groups of atoms decided, and what would it say
without them? Pools are sets of atoms that a chemist can name, so that the answer is one that can be
checked.
"""

# %%
# A classifier
# ------------
# MUTAG comes with the package: 188 molecules, without their hydrogen atoms. The molecule that is
# explained is one of those that were held out.

import matplotlib.pyplot as plt
import numpy as np

import cliquepool as cp
from cliquepool.data import load_dataset
from cliquepool.explain import explain, vocabulary
from cliquepool.models import CliquePoolClassifier

mutag = load_dataset("MUTAG")
order = np.random.default_rng(0).permutation(len(mutag))
training, held_out = mutag[order[:150]], mutag[order[150:]]
model = CliquePoolClassifier(epochs=100, learning_rate=0.003, random_state=0).fit(training)
print(f"accuracy on {len(held_out)} held-out molecules: {model.score(held_out):.2f}")

molecule = mutag[125]
print(molecule, "held out:", 125 in order[150:])

# %%
# Who decided?
# ------------
# The players are the pools of level 2. Where a pool is left out, its atoms have mean features
# instead of their own. The Shapley value of a pool is its fair share in the difference between the
# molecule and one of which nothing is known. With up to 16 pools it is exact: all subsets are
# computed.

why = explain(model, molecule, method="shapley", level=2, baseline=training)
print(why.answer)
print(why.table())

# %%
# The values are in log-odds of the predicted class, and they sum to the difference that is to be
# explained.

values = why.contributions
difference = (values.whole - values.nothing)[why.target]
print(f"sum {values.of_pools[:, why.target].sum():+.4f}, difference {difference:+.4f}")

# %%
# The molecule, its cliques and their pools, and the contribution of each pool of level 2. A nitro
# group is an N with two O.

hierarchy = cp.clique_hierarchy(molecule.graph(0), levels=2)
figure, (drawing, bars) = plt.subplots(1, 2, figsize=(12, 4), width_ratios=(2, 1), layout="constrained")
cp.view.draw_hierarchy(hierarchy, labels=why.names.nodes, ax=drawing)
table = why.table()[::-1]
colours = ["#c2410c" if row.contribution > 0 else "#1d4ed8" for row in table]
bars.barh([f"{row.pool}: {row.text}" for row in table], [row.contribution for row in table], color=colours)
bars.axvline(0, color="#2b2f36", linewidth=0.8)
bars.set(xlabel=f"for {why.answer.prediction}, log-odds")
bars.spines[["top", "right", "left"]].set_visible(False)
plt.show()

# %%
# What if?
# --------
# ``what_if`` gives the answer without any set of pools: here without the strongest, then without
# the two strongest.

strongest = [row.pool for row in why.table()]
for number in range(3):
    print(f"without {strongest[:number]}: {why.what_if(without=strongest[:number])}")

# %%
# The same as a page: **switch pools off** and read the answer. All answers are stored in it, so
# that it needs neither the model nor a server. ``why.save("why.html")`` writes the file, to be
# mailed.

why

# %%
# Does it depend on the question?
# -------------------------------
# What an atom without features is, is a choice: mean features, or zeros. ``method="delete"`` asks
# another question, and removes the atoms and pools what is left anew; then every degree changes
# too. Where the answers agree on a pool, the explanation does not hang on the choice. On other
# molecules they can disagree, so look at more than one.

others = {
    "mean": why,
    "zero": explain(model, molecule, level=2, baseline="zero", target="mutagenic"),
    "deleted": explain(model, molecule, method="delete", level=2, target="mutagenic"),
}
print("pool", *(f"{name:>8}" for name in others))
for row in why.table():
    told = (one.contributions.of_pools[row.pool, one.target] for one in others.values())
    print(f"{row.pool:4}", *(f"{value:+8.2f}" for value in told), "", row.text)

# %%
# Over the data set
# -----------------
# One molecule is an anecdote. ``vocabulary`` collects the pools of many molecules as *words*, with
# the mean contribution of each and its 95 % interval over molecules. The words of level 1 are bonds
# here, those of level 2 groups of bonds; two words of the same atoms differ in how these are
# joined.

words = vocabulary(model, training[:40], method="shapley")
column = words.index_of("mutagenic")
for word in words.strongest("mutagenic", 5, least_graphs=5):
    interval = f"[{word.low[column]:+.2f}, {word.high[column]:+.2f}]"
    print(f"{word.mean[column]:+.2f} {interval} in {word.graphs:2} molecules: {word.key.text}")
