# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes `breast_cancer.json`, the patients and the model of the tour's encrypted logistic
regression.

    python cli/data/breast_cancer.py            # writes it anew; needs scikit-learn
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

PATH = Path(__file__).with_suffix(".json")
PATIENTS = 64
CUT = 2.0
"""Standard deviations at which measurements are cut off."""
ORIGIN = (
    "W. Wolberg, O. Mangasarian, N. Street, W. Street: Breast Cancer Wisconsin (Diagnostic), 1993, UCI "
    "Machine Learning Repository, https://doi.org/10.24432/C5DW2B, CC BY 4.0; model: see the script"
)


def make() -> dict[str, Any]:
    """The file's content: patients whom the model has not seen, and the model."""
    data: Any = load_breast_cancer()
    train, test, train_labels, test_labels = train_test_split(
        data.data, data.target, test_size=0.25, random_state=0, stratify=data.target
    )
    scaler = StandardScaler().fit(train)
    classifier = LogisticRegression(C=0.02)
    classifier.fit(np.clip(scaler.transform(train), -CUT, CUT), train_labels)
    return {
        "origin": ORIGIN,
        "mean": scaler.mean_.tolist(),
        "deviation": scaler.scale_.tolist(),
        "cut": CUT,
        "weights": classifier.coef_[0].tolist(),
        "bias": float(classifier.intercept_[0]),
        "patients": test[:PATIENTS].tolist(),
        "benign": [bool(label) for label in test_labels[:PATIENTS]],
    }


def text(content: dict[str, Any]) -> str:
    """A line for each entry, and for each patient."""
    def of(value: Any) -> str:
        if isinstance(value, list) and isinstance(value[0], list):
            return "[\n  " + ",\n  ".join(json.dumps(row) for row in value) + "\n ]"
        return json.dumps(value)

    entries = (f' "{name}": {of(value)}' for name, value in content.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


if __name__ == "__main__":
    PATH.write_text(text(make()), encoding="utf-8")
