# attack.txt says what this tries.
import copy

def attack(p):
    one = dict(copy.deepcopy(p.variant), id="v{i}", description="{t}{t}{t}{t}{t}{t}{t}{t}")
    p.manifest["variants"] = [{"cases": [{"i": i, "t": "x" * 7000} for i in range(500)], "variants": [one]}]
