# ruff: noqa: PLC0415 (torch and rich are imported where they are used, so that --help and errors are quick)
"""`cliquepool explain`: which cliques decided what a saved classifier says of a graph."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from cliquepool.cli.options import JsonOption
from cliquepool.cli.output import expect_writable, out
from cliquepool.cli.predict import load_classifier
from cliquepool.cli.train import DataDirOption, DatasetArgument
from cliquepool.errors import InputError

if TYPE_CHECKING:
    from cliquepool.data import GraphDataset
    from cliquepool.explain import Explanation, Vocabulary

__all__ = ["explain_prediction"]

_SHOWN: Final = 8


class MethodName(StrEnum):
    """The methods of `cliquepool.explain.explain`, without torch."""

    SHAPLEY = "shapley"
    OCCLUSION = "occlusion"
    GRADIENT = "gradient"
    DELETE = "delete"


class BaselineName(StrEnum):
    """The features of nodes that are switched off."""

    MEAN = "mean"
    ZERO = "zero"


def explain_prediction(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="What cliquepool train --save wrote.", show_default=False),
    ],
    dataset: DatasetArgument,
    *,
    graph: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="The graph to explain, from 0.", show_default=False),
    ] = None,
    vocabulary: Annotated[
        bool,
        typer.Option("--vocabulary", help="Collect the cliques that speak for each class, over all graphs."),
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write a self-contained HTML page there."),
    ] = None,
    method: Annotated[
        MethodName,
        typer.Option(metavar="NAME", help="shapley, occlusion, gradient, or delete (pool the rest anew)."),
    ] = MethodName.SHAPLEY,
    level: Annotated[int, typer.Option(metavar="N", help="The level of the pools.")] = 2,
    target: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="The class to explain. By default the predicted one."),
    ] = None,
    baseline: Annotated[
        BaselineName,
        typer.Option(
            metavar="mean|zero",
            help="The features of nodes that are switched off: the mean over the data set, or zeros.",
        ),
    ] = BaselineName.MEAN,
    data_dir: DataDirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which cliques decided what a classifier says of a graph, and what it says without them.

    With --out, writes a page with a drawing and a switch for each pool, to open in any browser or to mail.

    [bold]Examples[/bold]

    cliquepool explain mutag.safetensors MUTAG --graph 3 --out why.html

    cliquepool explain mutag.safetensors MUTAG --vocabulary --out words.html
    """
    from cliquepool.data import load_dataset

    if (graph is None) == (not vocabulary):
        raise InputError("expected either --graph NUMBER or --vocabulary")
    if page is not None:
        expect_writable(page)
    classifier = load_classifier(model)
    data = load_dataset(dataset, data_dir=data_dir)
    arguments: dict[str, Any] = {
        "method": method.value,
        "level": level,
        "baseline": data if baseline is BaselineName.MEAN else "zero",
    }
    if vocabulary:
        _show_vocabulary(classifier, data, arguments, page, as_json=as_json)
    else:
        assert graph is not None
        _show_explanation(classifier, data, graph, arguments | {"target": target}, page, as_json=as_json)


def _show_explanation(
    classifier: Any,
    data: "GraphDataset",
    graph: int,
    arguments: dict[str, Any],
    page: Path | None,
    *,
    as_json: bool,
) -> None:
    from cliquepool.explain import explain

    if not 0 <= graph < len(data):
        raise InputError(f"--graph: expected 0 to {len(data) - 1}, got {graph}")
    why = explain(classifier, data[graph], **arguments)
    if page is not None:
        why.save(page, title=f"{data.name or page.stem}, graph {graph}")
    if as_json:
        print(json.dumps(_as_json(why, graph)))
        return
    console = out()
    console.print(f"graph {graph}: {why.answer}")
    console.print(f"contributions of {len(why.pools)} pools of level {why.level} to {_target_of(why)}:")
    print(why.table())
    _print_written(page)


def _target_of(why: "Explanation") -> str:
    return f"the {why.scale.unit} of {why.names.scores[why.target]}"


def _as_json(why: "Explanation", graph: int) -> dict[str, Any]:
    return {
        "graph": graph,
        "prediction": why.answer.prediction,
        "probabilities": why.answer.probabilities,
        "target": why.names.scores[why.target],
        "method": why.method,
        "level": why.level,
        "pools": [row._asdict() for row in why.table()],
        "node_scores": why.node_scores.tolist(),
    }


def _show_vocabulary(
    classifier: Any, data: "GraphDataset", arguments: dict[str, Any], page: Path | None, *, as_json: bool
) -> None:
    from cliquepool.explain import vocabulary

    words = vocabulary(classifier, data, **arguments)
    if page is not None:
        words.save(page)
    if as_json:
        print(json.dumps(_words_as_json(words)))
        return
    console = out()
    console.print(f"{len(words)} words of {len(data)} graphs")
    for index, name in enumerate(words.names):
        console.print(f"\nfor {name}:")
        for word in words.strongest(name, _SHOWN):
            if word.low[index] > 0:
                interval = f"{word.low[index]:+.3f} to {word.high[index]:+.3f}"
                console.print(
                    f"  {word.mean[index]:+.3f}  ({interval})  {word.key.text}, {word.graphs} graphs"
                )
    _print_written(page)


def _words_as_json(words: "Vocabulary") -> list[dict[str, Any]]:
    return [
        {
            "text": word.key.text,
            "level": word.key.level,
            "graphs": word.graphs,
            "support": word.support,
            "mean": dict(zip(words.names, word.mean.tolist(), strict=True)),
            "examples": [{"graph": graph, "pool": pool} for graph, pool in word.examples],
        }
        for word in words.words
    ]


def _print_written(page: Path | None) -> None:
    if page is not None:
        out().print(f"written to {page}", soft_wrap=True)
