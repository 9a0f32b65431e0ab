# attack.txt says what this tries.
import copy

def attack(p):
    one = dict(copy.deepcopy(p.variant), id="{a}_{b}")
    axis = lambda n: [{"$key": f"{n}{i}", n: f"{n}{i}"} for i in range(300)]
    p.manifest["variants"] = [{"axes": {"first": axis("a"), "second": axis("b")}, "variants": [one]}]
