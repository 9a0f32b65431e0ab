# attack.txt says what this tries.
import copy

def attack(p):
    p.manifest["variants"] = [dict(copy.deepcopy(p.variant), id=f"v{i}") for i in range(513)]
