"""Which inertial parameters of my robot can be identified at all?

Ten numbers describe each link, but joint torques do not depend on all of them. Finds in closed form which
count, alone or in sums, and prints why.
"""

import closedform as cf

robot = cf.load("puma560")
base = cf.base_parameters(robot, symbolic=True)

total = len(robot.phi)
print(f"{robot.name}: torques depend on {base.count} combinations of {total} parameters")
print(f"  {len(base.no_effect)} have no effect:  {' '.join(base.no_effect)}")
print(f"  {len(base.eliminated)} act through others: {' '.join(base.eliminated)}")

print("\nSums that can be identified:")
for name, expression in base.regrouped.items():
    print(f"  {name:<5} = {expression}")

print("\nWhy:")
for name in ("XX1", "M2", "YY3", "MZ4"):
    print(f"  {name:<4} {base.reasons[name].rule}")

saved = base.savings()
print(f"\nInverse dynamics takes {saved.after.total} operations with these instead of {saved.before.total}.")
