"""The interactive viewer: a robot in the browser, moved by sliders, by its tool, by a motion or a log.

`view` opens one; it needs the extra `view` (viser). What is drawn and written is computed without it:
`ViewState` is the posture, `numbers` and `panel` what stands beside it, `Reach` follows the tool,
`Recording` and `Player` play motions; `bending.BendingState` is a flexible arm in real time.
"""

from .numbers import Load, Numbers, numbers
from .open import view
from .reach import Elbow, Followed, Reach
from .recording import Player, Recording
from .state import ViewState

__all__ = [
    "Elbow",
    "Followed",
    "Load",
    "Numbers",
    "Player",
    "Reach",
    "Recording",
    "ViewState",
    "numbers",
    "view",
]
