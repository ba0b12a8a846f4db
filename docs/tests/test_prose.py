# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The project's prose keeps the rules of docs/style.md, and the linter finds what breaks them."""

from pathlib import Path

import pytest

from docs.prose.__main__ import check, files
from docs.prose.extract import Kind, paragraphs_of
from docs.prose.rules import RULES, findings
from docs.prose.wrap import WIDTH, too_wide, wrap

# A sentence for each rule that breaks it.
PLANTED = {
    "opener": "What the caller gave.",
    "so-many": "Reads so many bytes.",
    "of-its-own": "It has a lock of its own.",
    "none": "The key is none.",
    "that-there-is": "The first error that there is.",
    "there-is-that": "There is a lock that guards it.",
    "is-no": "It is no number.",
    "stand": "The words stand in order.",
    "of-what": "The size of what follows.",
    "nothing-else": "Measured with nothing else at work.",
    "but-for": "All fields but for the last.",
    "to-come": "The rest is to come.",
    "told": "The reason is told.",
    "for-good": "The card is lost for good.",
    "sequence": "Jobs run one after the other.",
    "asked-for": "The size that is asked for.",
    "mismatch": "The file is missing or another one.",
    "turn": "The vector is turned by three places.",
    "hands": "The pool hands out numbers.",
    "ready": "The buffer is made ready.",
    "pictures": "It classifies an encrypted picture.",
    "where-there-is": "The cache, where there is one, is used.",
    "spelling": "The colour of a line.",
}


def rules_broken(suffix: str, source: str) -> set[str]:
    return {found.rule for found in findings(paragraphs_of(Path("page" + suffix), source))}


def test_a_sentence_is_planted_for_each_rule() -> None:
    assert set(PLANTED) == {rule.name for rule in RULES}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_sentence_is_found(name: str) -> None:
    sentence = PLANTED[name]
    kinds = next(rule.kinds for rule in RULES if rule.name == name)
    if Kind.PAGE in kinds:
        assert name in rules_broken(".md", f"# Title\n\nA good line.\n\n{sentence}\n")
        assert name in rules_broken(".sv", f"// {sentence}\nmodule x;\nendmodule\n")
        assert name in rules_broken(".rs", f"/// {sentence}\nfn x() {{}}\n")
        assert name in rules_broken(".py", f'def x():\n    """{sentence}"""\n')
    if Kind.TEXT in kinds:
        assert name in rules_broken(".rs", f'#[error("{sentence}")]\nstruct X;\n')


def test_sentences_are_joined_across_lines_and_code_is_left_out() -> None:
    assert rules_broken(".rs", "//! It has a lock of\n//! its own.\n") == {"of-its-own"}
    assert rules_broken(".md", "```\nWhat stands here is code.\n```\n") == set()
    assert rules_broken(".rs", "/// ```\n/// // What stands here is code.\n/// ```\nfn x() {}\n") == set()
    assert rules_broken(".md", "`what stands` is a name.\n") == set()
    assert rules_broken(".rs", "fn lifetimes<'a>(x: &'a str) {}\n/// The key is none.\n") == {"none"}
    assert rules_broken(".rs", 'let x = "a \\" b";\n// The key is none.\n') == {"none"}
    assert rules_broken(".md", "## What runs where?\n") == set()


def test_wide_paragraphs_are_found_and_filled() -> None:
    wide = "/// " + "word " * 30 + "\n/// - an item " + "word " * 30 + "`a name in code`\nfn x() {}\n"
    path = Path("x.rs")
    assert len(too_wide(path, wide)) == 2
    filled = wrap(path, wide)
    assert all(len(line) <= WIDTH for line in filled.splitlines())
    assert too_wide(path, filled) == [] and wrap(path, filled) == filled
    assert filled.split() == [word for word in wide.split() if word != "///"] or filled.count("word") == 60
    assert "`a name in code`" in filled and "///   " in filled


@pytest.mark.parametrize("folder", sorted({path.parts[0] for path in files()}))
def test_the_prose_keeps_the_rules(folder: str) -> None:
    found = [f"{path}:{at.line}: {at.rule}: {at.excerpt!r}"
             for path in files() if path.parts[0] == folder for at in check(path)]
    assert not found, "\n".join(found[:20])
