# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rules of docs/style.md that a program can check."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from docs.prose.extract import Kind, Paragraph

READ_ALOUD = frozenset(Kind)
SENTENCES = frozenset({Kind.DOCUMENTATION, Kind.COMMENT, Kind.PAGE, Kind.HEADING})


@dataclass(frozen=True)
class Rule:
    """A pattern that prose must not have, and the way to write instead."""

    name: str
    pattern: re.Pattern[str]
    advice: str
    kinds: frozenset[Kind] = READ_ALOUD


def rule(name: str, pattern: str, advice: str, kinds: frozenset[Kind] = READ_ALOUD) -> Rule:
    return Rule(name, re.compile(pattern, re.IGNORECASE), advice, kinds)


RULES = (
    Rule("opener", re.compile(
        r"^(What|Whether|Of|Who|Whose|Which|So many|As many|"
        r"That (a|an|the|each|every|no|all|any|it|its|there|both|one|two|what|nothing|X|whoever|who))\b(?!.*\?$)"),
        "begin with the subject, not with a clause", SENTENCES),
    rule("so-many", r"\b(so|as) many\b(?! (as|that))|\b(so|as) much (of|each)\b", "name the number"),
    rule("of-its-own", r"\bof (its|their) own\b", "'its own …', or 'separate'"),
    rule("none", r"\b(is|are|was|were) none\b", "'is not valid', 'there are no …'"),
    rule("that-there-is", r"\bthat there (is|are|was|were)\b", "name the thing"),
    rule("there-is-that", r"\bthere (is|are|was|were) (?!no\b|not\b)[^.;:,(]{1,60}\b(that|which|who)\b",
         "begin with the thing"),
    rule("is-no", r"(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|less\b|greater\b|larger\b|smaller\b|other\b|need\b|way\b|"
         r"such\b|different\b|faster\b|slower\b|better\b|worse\b|later\b|place like\b)[a-z]",
         "'is not a …', 'has no …'"),
    rule("stand", r"\b(stand|stands|stood)\b(?!-)", "'is', 'are', 'lies in'"),
    rule("of-what", r"\b(of|in|to|for|from|with|by|than|on|about|after|at) (what|whatever|whoever|whom)\b",
         "name the thing instead of 'what …'"),
    rule("nothing-else", r"\bnothing else at work\b", "'idle'"),
    rule("but-for", r"\bbut for\b|\b(all|none|nothing|everything|any) but\b", "'except'"),
    rule("to-come", r"\b(is|are) to come\b", "'not done yet'"),
    rule("told", r"\b(is|are|be|was|were) told\b(?! to\b)|\btells? (of|which|what|whether|how|why|apart)\b|\btell .{1,30} (from|apart)\b",
         "'is reported', 'reports', 'distinguishes'"),
    rule("for-good", r"\bfor good\b", "'permanently'"),
    rule("sequence", r"\bone after the other\b|\bone behind the other\b", "'sequentially', 'in sequence'"),
    rule("asked-for", r"\bis wanted\b|\bare wanted\b|\bis asked for\b|\bare asked for\b|\basked for\b",
         "'requested', 'needed'"),
    rule("mismatch", r"\bor another one\b|\bis another one\b", "'does not match'"),
    rule("turn", r"\bturned (by|places)\b|\bturns? (by|of) \S+ places\b", "'rotate'"),
    rule("hands", r"\b(hands?|handed|handing) (out|in|on)\b", "'returns', 'passes', 'submits'"),
    rule("ready", r"\b(has|have) seen enough\b|\bgets? to know\b|\bmade ready\b|\bmakes? ready\b",
         "'closes early', 'learns', 'prepares'"),
    rule("pictures", r"\bencrypted pictures?\b", "'image'"),
    rule("where-there-is", r"\bwhere there (is|are) (one|some|none)\b", "'if present'"),
    rule("spelling",
         r"\b\w*(colour|behaviour|neighbour|licence|centre|grey|defence|artefact|judgement|learnt|spelt|"
         r"initialis|optimis|utilis(?!m)|normalis|linearis|serialis|recognis|synthesis[ei]|standardis|amortis|"
         r"synchronis|randomis|organis|summaris|finalis|parallelis[ei])\w*", "American spelling"),
)


@dataclass(frozen=True)
class Finding:
    """One place where a rule is broken."""

    line: int
    rule: str
    excerpt: str
    advice: str


def findings(paragraphs: list[Paragraph]) -> Iterator[Finding]:
    """The places in these paragraphs that break a rule."""
    for paragraph in paragraphs:
        for candidate in RULES:
            if paragraph.kind not in candidate.kinds:
                continue
            match = candidate.pattern.search(paragraph.text)
            if match:
                begin = max(0, match.start() - 30)
                yield Finding(paragraph.line, candidate.name,
                              paragraph.text[begin:match.end() + 40], candidate.advice)
