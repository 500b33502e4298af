"""Everything that several test files share: example inputs, expected results, and ways to run commands.

Expected results by definition: `oracle` (clique pooling in sets), `dense_matrices` (layers).
Inputs: `small_graphs`, `graph_datasets`, `shape_graphs`, `pyg_graphs`, `small_images`, `small_batches`,
`torch_lists`, `small_training`; as files: `tu_files`, `cifar_files`, `resealed_files`, and `fold_records`.
Models: `small_model`, `row_estimators`, `example_networks`, `tgp_stand_in`.
Running: `commands` (the command line), `pages` with `no_network` (the examples of README and docs).
"""
