"""Floating bases: legged robots from base pose, joint torques, and contacts or measured wrenches."""
