"""`rocbands example`, `methods`, `cite`, `schema`, `completion`: what the program has to offer."""

from __future__ import annotations

from textwrap import indent

import click

from rocbands.cli import messages, options
from rocbands.cli.messages import usage
from rocbands.cli.output import Output, bold, wrap_lines
from rocbands.core.arguments import suggest


@messages.command("example", "Write a file of scores for the examples.")
@options.output_file("--output", "CSV file to write, or to replace.", also="-o", required=True)
@options.output_file("--later", "Second file, which gets every second row.")
@options.flag("--readers", "The readings of a reader study instead.")
def example(output: str, later: str | None, readers: bool) -> None:
    """Write the scores that --example uses to a file: two models on 569 biopsies.

    diagnosis is malignant or benign, fold is the cross-validation fold, logistic and neighbours
    are the scores of the two models. With --readers, a simulated reader study: six readers rate 100
    cases from 0 to 100, aided by an algorithm and unaided.
    """
    from rocbands.io.streams import EXAMPLE, EXAMPLE_READINGS
    from rocbands.io.writing import check_place, write_text

    if output == later:
        raise usage(f"Two files are written; both are called {output!r}. Choose another name.")
    if readers:
        options.refuse("readings", "later")
    source = EXAMPLE_READINGS if readers else EXAMPLE
    head, *lines = source.read_text(encoding="utf-8").splitlines()
    parts = {output: slice(None)}
    if later is not None:
        parts = {output: slice(0, None, 2), later: slice(1, None, 2)}
    for path in parts:
        check_place(path)
    for path, rows in parts.items():
        write_text(path, "\n".join([head, *lines[rows], ""]))
        messages.remark(f"Wrote {path}", prefix="")


# As in rocbands._methods; here without loading it, for help and completion.
_QUESTIONS = ("bands", "auc", "points", "comparison", "cost", "rates", "smooth", "readers")


@messages.command("methods", "Methods, and what is known about their coverage.")
@click.argument("question", type=options.OneOf(_QUESTIONS), required=False)
@options.flag("--designs", "Which function can use clusters, weights, strata, folds or counts.")
@options.output()
def methods(question: str | None, designs: bool, out: Output) -> None:
    """Recommended methods, or all of one QUESTION: what each does, and what is known of its level.

    QUESTION is bands, auc, points, comparison, cost, rates, smooth or readers. With --designs: the
    default method of each function for clustered rows, survey weights and other designs, or - if it
    refuses them.
    """
    import rocbands as rb
    from rocbands.io.layout import find_width, write_record

    table = rb.methods(question)
    if designs:
        out.show_result(table.designs())
        return
    if out.form != "text" or question is None:
        out.show_result(table)
        return
    columns = table.columns()
    before = None
    for row in zip(*columns.values(), strict=True):
        facts = dict(zip(columns, row, strict=True))
        group, name, is_default = (facts.pop(key) for key in ("question", "method", "default"))
        name = facts.pop("function") if name == "-" else name  # a function without methods
        if group != before:
            click.echo(bold(group.upper()) if before is None else f"\n{bold(group.upper())}")
            before = group
        click.echo(f"{bold(name)} (the default)" if is_default else bold(name))
        width = find_width(None)
        room = None if width is None else width - 2
        click.echo(indent(write_record(facts, room), "  "))


@messages.command("cite", "How to cite: a paragraph for a paper, and its references.")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@options.level
@options.flag("--bibtex", "Only the BibTeX entry of the program.")
def cite(names: tuple[str, ...], level: float, bibtex: bool) -> None:
    """Print a paragraph for the methods section of a paper, with the references that it needs.

    NAME is a question, for its default method (bands, auc, points, comparison, cost, rates or
    readers), or a method, such as fixed-width. By default bands, auc and comparison.
    """
    from rocbands._citation import cite as write_citation

    found = write_citation(names, level)
    if bibtex:
        click.echo(found.bibtex)
        return
    click.echo("\n".join(wrap_lines(found.paragraph)) + "\n")
    for number, text in enumerate(found.references, 1):
        click.echo("\n".join(wrap_lines(f"[{number}] {text}")))
    click.echo(f"\n{found.bibtex}")


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from rocbands.cli.documents import all_schemas

    return [name for name in all_schemas() if name.startswith(incomplete)]


@messages.command("schema", "JSON Schema of the output of a command.")
@click.argument("name", required=False, shell_complete=_complete)
def schema(name: str | None) -> None:
    """Print the JSON Schema called NAME, or that of the command NAME; without NAME, all names.

    Every document has the name of its schema as "schema".
    """
    import json

    from rocbands.cli.documents import all_schemas, find_schema

    known = all_schemas()
    if name is None:
        click.echo("\n".join(known))
        return
    name = find_schema(name, known)
    if name not in known:
        hint = f"{suggest(name, known)} ".lstrip()
        raise usage(f"There is no schema {name!r}. {hint}'rocbands schema' lists them")
    click.echo(json.dumps(known[name], indent=1))


@messages.command("completion", "Completion script for a shell.")
@click.argument("shell", type=options.OneOf(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, methods and columns."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, "click knows the shells that the argument allows"
    click.echo(kind(ctx.find_root().command, {}, "rocbands", "_ROCBANDS_COMPLETE").source())
