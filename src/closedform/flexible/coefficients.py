"""The named coefficients b, h and t of two links with two modes each: values, letters, misprints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Array
from ..checks import batch_array, common_batch, flag
from ..errors import ArgumentError, UnknownNameError
from ..guests import in_kind
from ..lazy import cached_property
from .model import ArmModel
from .two_links import (
    Letters,
    coriolis_coefficients,
    coriolis_entries,
    deflection_coefficients,
    inertia_coefficients,
    inertia_entries,
    misprints,
)

SIMPLIFIED = {"b331": "m1", "b341": "0", "b441": "m1", "b551": "m2", "b561": "0", "b661": "m2"}
"""What the paper's normalisation makes of the coefficients of the modes alone."""

WORDS = {
    **{f"m{i}": f"m_{{{i}}}" for i in (1, 2)},
    **{f"l{i}": rf"\ell_{{{i}}}" for i in (1, 2)},
    **{f"{a}{i}{j}": f"{a}_{{{i}{j}}}" for a in "vw" for i in (1, 2) for j in (1, 2)},
    **{f"z{i}{jk}": f"z_{{{i}{jk}}}" for i in (1, 2) for jk in ("11", "12", "22")},
    **{f"phi{i}{j}": rf"\phi_{{{i}{j},e}}" for i in (1, 2) for j in (1, 2)},
    **{f"dphi{i}{j}": rf"{{\phi'_{{{i}{j},e}}}}" for i in (1, 2) for j in (1, 2)},
    **{"d2": "d_{2}", "mp": "m_{p}", "mxp": "(MD)_{p}", "Jp": "J_{p}", "mh2": "m_{h2}"},
    **{f"J{a}{i}": f"J_{{{a}{i}}}" for a in "ho" for i in (1, 2)},
}
"""The letters as the paper sets them."""


class Coefficients(Mapping[str, float]):
    """The coefficients b_ijk, t_ij and h_ijk of [DeLucaSiciliano1991, Eqs. (32)-(34)] by name.

    A mapping from "b111" to "h606" to numbers. `expression` has the same in letters, `printed` what
    the paper has for it, and `corrected` the names that it misprints. Jp is the payload's inertia about
    the tip; a payload ahead of the tip, which the paper leaves out, adds its first moment mxp.

    >>> import closedform as cf
    >>> named = cf.FlexibleArm.deluca_siciliano().coefficients()
    >>> len(named), round(named["b122"], 6)
    (161, 0.0375)
    >>> named.expression("h107"), named.printed("h107")
    (-2*dphi11*l1*(d2*m2 + l2*mp), -dphi11*l1*(d2*m2 + l2*mp))
    >>> named.corrected
    ('h107', 'h117', 'h118', 'h412', 'h413')
    """

    def __init__(self, model: ArmModel) -> None:
        _require_two_by_two(model)
        self._letters = _letters(model)
        self._values = {name: float(value) for name, value in _all(self._letters).items()}

    def __getitem__(self, name: str) -> float:
        return self._values[self._known(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def get(self, name: str, default: Any = None) -> Any:
        """Return a coefficient, or the default if there is none of that name."""
        return self._values.get(name, default) if isinstance(name, str) else default

    def __repr__(self) -> str:
        return f"<Coefficients b111 to h606 of two links, {len(self)} numbers>"

    @property
    def letters(self) -> dict[str, float]:
        """The constants that the coefficients are made of: m2, d2, l1, phi11 for phi_11e, ..."""
        return dict(self._letters)

    @property
    def corrected(self) -> tuple[str, ...]:
        """Names of the coefficients that the paper misprints."""
        return tuple(misprints(self._letters))

    @cached_property
    def _symbols(self) -> dict[str, Any]:
        from sympy import Integer, Symbol  # noqa: PLC0415 (SymPy takes a third of a second to import)

        zero = () if self._letters["mxp"] else ("mxp",)
        return {name: Integer(0) if name in zero else Symbol(name) for name in self._letters}

    @cached_property
    def _expressions(self) -> dict[str, Any]:
        return _all(self._symbols)

    @staticmethod
    def _written(expression: Any) -> Any:
        from sympy import factor_terms  # noqa: PLC0415 (as above)

        return factor_terms(expression)

    def expression(self, name: str) -> Any:
        """Return a coefficient as a SymPy expression in the letters; dphi11 is the slope phi'_11e."""
        return self._written(self._expressions[self._known(name)])

    def printed(self, name: str) -> Any:
        """Return a coefficient as the paper prints it, right or wrong, as a SymPy expression."""
        name = self._known(name)
        if name in SIMPLIFIED:
            return self._symbols.get(SIMPLIFIED[name], 0 * self._symbols["m1"])
        return self._written(misprints(self._symbols).get(name, self._expressions[name]))

    def latex(self, name: str, *, printed: bool = False) -> str:
        r"""Return a coefficient in LaTeX, with the letters as the paper sets them, or as it is `printed`.

        >>> import closedform as cf
        >>> print(cf.FlexibleArm.deluca_siciliano().coefficients().latex("h412"))
        - 2 {\phi'_{11,e}} \phi_{12,e} \left(m_{p} \phi_{22,e} + v_{22}\right)
        """
        from sympy import latex  # noqa: PLC0415 (as above)

        names = {symbol: WORDS[str(symbol)] for symbol in self._symbols.values() if str(symbol) in WORDS}
        shown = self.printed(name) if flag("latex: printed", printed) else self.expression(name)
        return str(latex(shown, symbol_names=names))

    @in_kind
    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return B(q) by (32), from the named coefficients; q (..., 6), returns (..., 6, 6).

        >>> import numpy as np, closedform as cf
        >>> arm, q = cf.FlexibleArm.deluca_siciliano(), [0.0, 0.5, 0.01, 0.0, 0.02, 0.0]
        >>> bool(np.abs(arm.coefficients().mass_matrix(q) - arm.mass_matrix(q)).max() < 1e-15)
        True
        """
        given = batch_array("q", q, 6)
        entries = inertia_entries(self._values, *_state(given))
        B = np.empty((*given.shape, 6))
        for (i, j), value in entries.items():
            B[..., i - 1, j - 1] = B[..., j - 1, i - 1] = value
        return B

    @in_kind
    def coriolis_torque(self, q: ArrayLike, qd: ArrayLike, *, printed: bool = False) -> Array:
        """Return h(q, qd) by (34), from the named coefficients; (..., 6) each.

        `printed` takes the five misprinted coefficients as they stand in the paper, with which the
        energy of a free motion changes.
        """
        place, rate = batch_array("q", q, 6), batch_array("qd", qd, 6)
        common_batch("coriolis_torque", q=place.shape[:-1], qd=rate.shape[:-1])
        wrong = misprints(self._letters) if flag("printed", printed) else {}
        h = coriolis_entries({**self._values, **wrong}, *_state(place), tuple(np.moveaxis(rate, -1, 0)))
        return np.stack(np.broadcast_arrays(*h), axis=-1)

    def _known(self, name: Any) -> str:
        if not isinstance(name, str) or name not in self._values:
            raise UnknownNameError("coefficient", name, list(self._values))
        return name


def _all(letters: Letters) -> dict[str, Any]:
    return {
        **dict(sorted(inertia_coefficients(letters).items())),
        **deflection_coefficients(letters),
        **coriolis_coefficients(letters),
    }


def _letters(model: ArmModel) -> dict[str, float]:
    """Return the constants of an arm by name, with d for m d."""
    found: dict[str, float] = {"mxp": 0.0}

    def make(name: str, value: float, kind: str) -> Any:
        if kind in ("geometry", "inertia"):
            found[name] = value
        return value

    model.constants(make)
    for i in (1, 2):
        found[f"d{i}"] = found.pop(f"md{i}") / found[f"m{i}"]
    return found


def _state(q: Array) -> tuple[Array, Array, tuple[Array, ...]]:
    return np.cos(q[..., 1]), np.sin(q[..., 1]), tuple(np.moveaxis(q[..., 2:], -1, 0))


def _require_two_by_two(model: ArmModel) -> None:
    if model.payload.beside:
        raise ArgumentError(
            f"{model.name}: the payload's centre of mass is {model.payload.beside:g} m beside the tip; the "
            "named coefficients have none for that: use equations('mass_matrix', symbolic=True)"
        )
    counts = [len(modes) for modes in model.modes]
    if counts != [2, 2] or model.exact:
        kind = f"{model.joints} link(s) of {', '.join(map(str, counts))} mode(s)"
        raise ArgumentError(
            f"{model.name}: {kind}{', with products of deflections' if model.exact else ''}; the named "
            "coefficients are those of two links of two modes each, of first order in the deflections: "
            "use equations('mass_matrix', symbolic=True)"
        )
