"""Writes random cases: python3 generate.py <seed> <count> <out.json>; then record.mjs and record.py."""
import json
import random
import re
import sys

SCOPE = {"n": 5, "z": 0, "f": 2.5, "yes": True, "no": False, "T": "f16", "s": "ab", "l": [1, 2, 3], "e": [],
         "m": {"a": 1, "b": [4, 5]}}
NUMBERS = ["n", "z", "f", "1", "2", "3", "7", "0.5", "10.0", "m.a", "l[0]", "l[-1]", "m.b[1]", "l.length"]
STRINGS = ["T", "s", "'x'", '"y-"', "'12'"]
LISTS = ["l", "e", "m.b", "[1, 2.5]", "['b', 'A']", "l[1:]", "l[::-1]"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, items):
        return self.random.choice(items)

    def number(self, depth):
        if depth == 0:
            return self.pick(NUMBERS)
        form = self.random.randrange(6)
        if form < 3:
            op = self.pick(["+", "-", "*", "/", "//", "%", "**"])
            return f"{self.operand(depth)} {op} {self.operand(depth)}"
        if form == 3:
            return f"-{self.pick(NUMBERS)}"
        if form == 4:
            return f"({self.number(depth - 1)})|{self.pick(['abs', 'int', 'float'])}"
        return f"({self.number(depth - 1)} if {self.boolean(depth - 1)} else {self.number(depth - 1)})"

    def operand(self, depth):
        return self.pick(NUMBERS) if self.random.random() < 0.5 else f"({self.number(depth - 1)})"

    def boolean(self, depth):
        form = self.random.randrange(7)
        if depth == 0 or form == 0:
            return self.pick(["yes", "no", "true", "n", "z", "s", "e", "nope"])
        if form < 3:
            op = self.pick(["==", "!=", "<", "<=", ">", ">="])
            return f"{self.number(depth - 1)} {op} {self.number(depth - 1)}"
        if form == 3:
            return f"{self.boolean(depth - 1)} {self.pick(['and', 'or'])} {self.boolean(depth - 1)}"
        if form == 4:
            return f"not {self.boolean(depth - 1)}"
        if form == 5:
            return f"{self.pick(NUMBERS)} {self.pick(['in', 'not in'])} {self.pick(LISTS)}"
        test = self.pick(["defined", "none", "number", "integer", "string", "odd", "even", "sequence", "true"])
        return f"{self.pick(NUMBERS + STRINGS + ['nope'])} is {self.pick(['', 'not '])}{test}"

    def string(self, depth):
        form = self.random.randrange(5)
        if depth == 0 or form == 0:
            return self.pick(STRINGS)
        if form < 3:
            return f"{self.string(depth - 1)} ~ {self.pick([self.string, self.number])(0)}"
        if form == 3:
            return f"{self.pick(STRINGS)}|{self.pick(['upper', 'lower', 'trim', 'length', 'string', 'int'])}"
        return f"{self.pick(LISTS)}|join('{self.pick([',', '', '; '])}')"

    def list(self, depth):
        if depth == 0:
            return self.pick(LISTS)
        return f"({self.list(depth - 1)})|{self.pick(['reverse', 'sort', 'unique', 'list', 'first', 'last', 'length'])}"

    def expression(self):
        return self.pick([self.number, self.number, self.boolean, self.boolean, self.string, self.list])(
            self.random.randrange(1, 4))

    def block(self, depth):
        parts = []
        for _ in range(self.random.randrange(1, 4)):
            parts.append(self.statement(depth))
        return "".join(parts)

    def space(self):
        return self.pick(["", "", "\n", "  ", "\n  ", " x\n"])

    def tag(self, body):
        return "{%" + self.pick(["", "", "-"]) + f" {body} " + self.pick(["", "", "-"]) + "%}"

    def statement(self, depth):
        form = self.random.randrange(8) if depth else self.random.randrange(3)
        around = self.space()
        if form == 0:
            return around + "t;" + self.space()
        if form < 3:
            inside = self.pick([self.number, self.string, self.boolean])(1)
            return around + "{{" + self.pick(["", "-"]) + f" {inside} " + self.pick(["", "-"]) + "}}" + self.space()
        if form == 3:
            return around + self.tag(f"set v = {self.number(1)}") + self.space() + "{{ v }}"
        if form == 4:
            return around + "{# c #}" + self.space()
        if form < 7:
            return (around + self.tag(f"if {self.boolean(1)}") + self.space() + self.block(depth - 1)
                    + self.tag("else") + self.block(depth - 1) + self.space() + self.tag("endif") + self.space())
        return (around + self.tag(f"for i in {self.list(0)}") + self.space() + "{{ i }}{{ loop.index }}"
                + self.block(depth - 1) + self.tag("endfor") + self.space())


def main():
    seed, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    generator = Generator(seed)
    cases = []
    for i in range(count):
        if i % 2 == 0:
            text = generator.expression()
            case = {"expression": text}
            if re.search(r"\bnope\b(?! is (not )?defined)", text):
                case.update(ours="error", reason="package-format 6.5: an unknown bare identifier is an error")
            cases.append(case)
        else:
            cases.append({"template": generator.block(2)})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"seed": seed, "scope": SCOPE, "cases": cases}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
