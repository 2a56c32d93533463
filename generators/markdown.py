"""Every kind of Markdown that agents write."""

from mockbackend.scenario import Script, Turn, scenario


@scenario(
    "markdown",
    summary="answers in Markdown: headings, lists, code, a table, a quote",
    shows="blocks that are rendered while they are still incomplete",
    sets={"paragraphs": "how many blocks"},
)
def markdown(turn: Turn, *, paragraphs: int = 6) -> Script:
    blocks = turn.prose.text(turn.rng, paragraphs=paragraphs, markdown=True)
    more = "> A quote of two lines\n> that ends here.\n\n---\n\n*So much* for `~~that~~`, and [a link](https://example.com)."
    yield from turn.say(f"# A report\n\n{blocks}\n\n{more}")
