"""Base parameters: the inertial parameters that the equations of motion can tell apart."""
