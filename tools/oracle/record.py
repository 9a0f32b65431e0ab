"""Adds results of jinja2 to a recorded file, as {"jinja2": ...} beside each case.

python3 record.py <recorded.json>      (after record.mjs; pip install -r requirements.txt)
"""
import json
import math
import sys

import jinja2


def wrap(i, n):
    return ((i % n) + n) % n


def js_division(a, b):
    return math.ceil(a / b) if b else float("inf")


FUNCTIONS = {
    "ceil": math.ceil,
    "floor": math.floor,
    "max": max,
    "min": min,
    "pow": pow,
    "ceilDiv": js_division,
    "numel": lambda s: math.prod(s),
    "dim": lambda s, i: s[wrap(i, len(s))] if len(s) else None,
    "rank": len,
    "sameShape": lambda a, b: list(a) == list(b),
    "f16Ok": lambda d: True,
}


def encode(value):
    if isinstance(value, jinja2.Undefined):
        return "Undefined"
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "Bool " + ("true" if value else "false")
    if isinstance(value, int):
        return f"Int {value}"
    if isinstance(value, float):
        if math.isinf(value) or math.isnan(value):
            return "Float " + {True: "NaN"}.get(math.isnan(value), "Infinity" if value > 0 else "-Infinity")
        return "Float " + (str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value))
    if isinstance(value, str):
        return "String " + value
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(encode(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {encode(v)}" for k, v in value.items()) + "}"
    return "Function"


def run(environment, entry, scope):
    if "expression" in entry:
        return encode(environment.compile_expression(entry["expression"], undefined_to_none=False)(**scope))
    return environment.from_string(entry["template"]).render(**scope)


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    scope = {**FUNCTIONS, **record["scope"]}
    for entry in record["cases"]:
        try:
            entry["jinja2"] = {"result": run(environment, entry, scope)}
        except Exception as error:  # whatever a case makes the engine raise is its result
            entry["jinja2"] = {"error": (str(error) or type(error).__name__).split("\n")[0]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main()
