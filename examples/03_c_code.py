"""How do I get C code of this for my controller?

Writes the tool's Jacobian, the gravity torques and a whole control law as C that allocates nothing and needs
nothing but libm, with a self-check and a CMake file. Prints what there is, and the function to call.
"""

import closedform as cf

robot = cf.load("iiwa14")
law = cf.control.PDGravity(robot, kp=400.0, kd=40.0)  # N m/rad and N m s/rad

files = robot.export(["gravity_torque", ("jacobian", {"frame": "tool"})], "c", "controller")
files += law.export("c", "controller")

print(f"{'file':<40}lines    kB")
for path in files:
    text = path.read_text()
    print(f"{path!s:<40}{len(text.splitlines()):5}{len(text) / 1000:6.1f}")

header = files[-2].read_text()
print("\n" + header[header.index("void ") : header.index(";") + 1])

counts = law.program().counts
print(f"\n{counts.total} operations a call, {counts.sines_and_cosines} of them sines and cosines")
