"""Writes random templates of statements: scopes, namespaces, macros, loops that filter, break and continue.

python3 generate_programs.py <seed> <count> <out.json>; then record.mjs.

generate.py is about expressions and white space; here expressions are small and the question is which names are visible
where, and what a loop runs.
"""
import json
import sys

from generate import SCOPE, Generator

NAMES = ["a", "b"]


class ProgramGenerator(Generator):
    """`loops` counts the loops around, `macros` holds the number of parameters of each macro that is defined."""

    def __init__(self, seed):
        super().__init__(seed)
        self.loops = 0
        self.macros = []

    def value(self):
        return self.pick(["1", "2", "n", "z", "a", "b", "a|default(7)", "b|default('-')", "s.v", "'x'", "f", "n / 2"])

    def condition(self):
        return self.pick(["yes", "no", "a is defined", "b is not defined", "s.v > 2", "s.v % 2 == 0", "n > 3", "i == 1",
                          "loop is defined and loop.first", "loop is defined and loop.last"])

    def iterable(self):
        return self.pick(["l", "e", "m.b", "range(3)", "range(1, 6, 2)", "[1, 'x']", "l|reverse", "m"])

    def output(self):
        return "{{ " + self.pick([self.value(), f"{self.value()} if {self.condition()} else {self.value()}",
                                  "i|default('none')", "loop.index|default(0)" if self.loops else "n"]) + " }}"

    def nested(self, depth):
        return "".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))

    def loop(self, depth):
        head = self.pick([f"for i in {self.iterable()}", f"for i in l if {self.pick(['i > 1', 'i != 2', 'i in e'])}",
                          "for i, k in [[1, 2], [3, 4]]"])
        self.loops += 1
        body = self.pick(["{{ i }}", "{{ loop.index0 }}/{{ loop.length }}", "{{ loop.revindex }}",
                          "{{ loop.previtem }}<{{ loop.nextitem }}", ""]) + self.nested(depth - 1)
        if self.random.random() < 0.3:
            body += self.tag(f"if {self.condition()}") + self.tag(self.pick(["break", "continue"])) + self.tag("endif")
            body += self.output()
        self.loops -= 1
        other = self.tag("else") + "E" + self.nested(depth - 1) if self.random.random() < 0.3 else ""
        return self.tag(head) + body + other + self.tag("endfor")

    def macro(self, depth):
        name = f"f{len(self.macros)}"
        parameters = self.pick(["", "p", "p, q=2", "p=a, q='d'"])
        loops, self.loops = self.loops, 0
        body = "<{{ p }}|{{ q }}|{{ a|default('?') }}>" + self.nested(depth - 1)
        self.loops = loops
        self.macros.append((name, parameters.count(",") + 1 if parameters else 0))
        return self.tag(f"macro {name}({parameters})") + body + self.tag("endmacro")

    def call(self):
        if not self.macros:
            return self.output()
        name, most = self.pick(self.macros)
        given = [self.value() for _ in range(self.random.randrange(most + 1))]
        if most == 2 and len(given) < 2 and self.random.random() < 0.4:
            given.append(f"q={self.value()}")
        return "{{ " + f"{name}({', '.join(given)})" + " }}"

    def statement(self, depth):
        form = self.random.randrange(10) if depth else self.random.randrange(6)
        if form < 2:
            return self.output() + self.pick([" ", "\n", ""])
        if form == 2:
            return self.tag(f"set {self.pick(NAMES)} = {self.value()}")
        if form == 3:
            return self.tag(f"set s.v = s.v {self.pick(['+', '*', '-'])} {self.pick(['1', '2', 'n'])}")
        if form == 4:
            return self.call()
        if form == 5:
            return self.tag(f"set {self.pick(NAMES)}") + "[" + self.output() + "]" + self.tag("endset")
        if form == 6:
            return (self.tag(f"if {self.condition()}") + self.nested(depth - 1) + self.tag(f"elif {self.condition()}")
                    + self.nested(depth - 1) + self.tag("else") + self.nested(depth - 1) + self.tag("endif"))
        if form == 7 and not self.loops:
            return self.macro(depth)
        return self.loop(depth)

    def program(self):
        self.loops, self.macros = 0, []
        return "{% set s = namespace(v=1) %}" + self.nested(3) + "|{{ a|default('-') }},{{ b|default('-') }},{{ s.v }}"


def main():
    seed, count, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    generator = ProgramGenerator(seed)
    cases = []
    while len(cases) < count:
        text = generator.program()
        if 150 <= len(text) <= 700:  # shorter ones say little, longer ones no more
            cases.append({"template": text})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"seed": seed, "scope": SCOPE, "cases": cases}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
