"""Text that breaks careless frontends: wide, right-to-left, combining, joined, and separators that are no newlines."""

from mockbackend.scenario import Script, Turn, scenario

SAMPLES = (
    "日本語のテキストは空白なしで続きます。中文也是一样。한국어도 있습니다.",
    "النص العربي من اليمين إلى اليسار، وكذلك עברית.",
    "Combining: e\u0301 a\u0308 n\u0303 and ก\u0e34ก\u0e35, stacked: Z\u0351\u036b\u0343a\u0312\u0300lgo.",
    "Emoji: 👩\u200d💻 👨\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 👍🏽 🇩🇪 1\ufe0f\u20e3.",
    "Separators inside a string: line\u2028separator, paragraph\u2029separator, next\u0085line, no\u00a0break.",
    'Escapes: "quotes", back\\slash, tab\there, null-free, </script>, &amp;, ${x}, %s.',
    "Beyond the BMP: 𝒜𝓁𝓅𝒽𝒶 𠜎 🜁.",
)


@scenario("unicode", summary="speaks in many scripts, and in characters that break things", shows="encoding and layout")
def unicode(turn: Turn) -> Script:
    for sample in SAMPLES:
        yield from turn.say(sample)
    yield from turn.tool("Bash", {"command": "echo '\u2028 ünïcödé 👩\u200d💻'"}, output=" ".join(SAMPLES))
