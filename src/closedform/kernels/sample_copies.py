"""LLVM functions that copy samples: between strides, and to memory without filling the cache."""

from __future__ import annotations

COPY_HEAD = """
define internal void @strided_copy(
  ptr %dst, i64 %dn, i64 %d0, i64 %d1, i64 %d2,
  ptr %src, i64 %sn, i64 %s0, i64 %s1, i64 %s2,
  i64 %n, i64 %n0, i64 %n1, i64 %n2
) #1 {
entry:
  br label %sample
"""
"""Copies n samples of three core axes from one set of strides to another."""

COPY_LOOPS = [
    ("i", "sample", "n", ""),
    ("a", "plane", "0", "0"),
    ("b", "row", "1", "1"),
    ("c", "column", "2", "2"),
]
"""The loops of `@strided_copy`, from outside in: counter, label, and the suffixes of stride and count."""

COPY_ENTRY = """\
  %x = load REAL, ptr %c.s, align 1
  store REAL %x, ptr %c.d, align 1
"""


def _loops(loops: list[tuple[str, str, str, str]], before: str, target: str, source: str, after: str) -> str:
    """Return the first loop around the others; the last one copies an entry."""
    (at, label, stride, count), *inner = loops
    begin, end = (inner[0][1], f"{label}.end") if inner else ("copy", "copy")
    body = _loops(inner, label, f"%{at}.d", f"%{at}.s", end) if inner else ""
    return f"""\
{label}:
  %{at} = phi i64 [ 0, %{before} ], [ %{at}.next, %{end} ]
  %{at}.d = phi ptr [ {target}, %{before} ], [ %{at}.d.next, %{end} ]
  %{at}.s = phi ptr [ {source}, %{before} ], [ %{at}.s.next, %{end} ]
  %{at}.more = icmp slt i64 %{at}, %n{count}
  br i1 %{at}.more, label %{begin}, label %{after}
{body}{end}:
{"" if inner else COPY_ENTRY}\
  %{at}.next = add i64 %{at}, 1
  %{at}.d.next = getelementptr i8, ptr %{at}.d, i64 %d{stride}
  %{at}.s.next = getelementptr i8, ptr %{at}.s, i64 %s{stride}
  br label %{label}
"""


COPY = COPY_HEAD + _loops(COPY_LOOPS, "entry", "%dst", "%src", "done") + "done:\n  ret void\n}\n"

STREAM = """
define internal void @stream_copy(ptr %dst, ptr %src, i64 %bytes) #0 {
entry:
  %end = getelementptr i8, ptr %dst, i64 %bytes
  br label %entrywise
entrywise:
  %d = phi ptr [ %dst, %entry ], [ %d.next, %one ], [ %dl, %line ]
  %s = phi ptr [ %src, %entry ], [ %s.next, %one ], [ %sl, %line ]
  %more = icmp ult ptr %d, %end
  br i1 %more, label %some, label %done
some:
  %address = ptrtoint ptr %d to i64
  %off = and i64 %address, ALIGN_MASK
  %whole = icmp eq i64 %off, 0
  %after = getelementptr i8, ptr %d, i64 LINE
  %fits = icmp ule ptr %after, %end
  %wide = and i1 %whole, %fits
  br i1 %wide, label %line, label %one
one:
  %x = load REAL, ptr %s, align SIZE
  store REAL %x, ptr %d, align SIZE, !nontemporal !0
  %d.next = getelementptr i8, ptr %d, i64 SIZE
  %s.next = getelementptr i8, ptr %s, i64 SIZE
  br label %entrywise
line:
  %dn = phi ptr [ %d, %some ], [ %dl, %line ]
  %sn = phi ptr [ %s, %some ], [ %sl, %line ]
  %v = load VECTOR, ptr %sn, align SIZE
  store VECTOR %v, ptr %dn, align LINE, !nontemporal !0
  %dl = getelementptr i8, ptr %dn, i64 LINE
  %sl = getelementptr i8, ptr %sn, i64 LINE
  %next = getelementptr i8, ptr %dl, i64 LINE
  %again = icmp ule ptr %next, %end
  br i1 %again, label %line, label %entrywise
done:
  ret void
}
define internal void @stream_samples(ptr %dst, ptr %src, i64 %bytes, i64 %room, i64 %n) #0 {
entry:
  br label %sample
sample:
  %i = phi i64 [ 0, %entry ], [ %next, %sample ]
  %to = mul i64 %i, %bytes
  %from = mul i64 %i, %room
  %d = getelementptr i8, ptr %dst, i64 %to
  %s = getelementptr i8, ptr %src, i64 %from
  call void @stream_copy(ptr %d, ptr %s, i64 %bytes)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %sample, label %done
done:
  ret void
}
!0 = !{i32 1}
"""
"""Writes whole lines directly to memory: a large result would only push everything else out of the cache."""

AHEAD = """
define internal void @touch_block(ptr %src, i64 %bytes) #1 {
entry:
  br label %line
line:
  %at = phi i64 [ 0, %entry ], [ %next, %ask ]
  %more = icmp ult i64 %at, %bytes
  br i1 %more, label %ask, label %done
ask:
  %here = getelementptr i8, ptr %src, i64 %at
  %touched = load volatile i8, ptr %here
  %ahead = getelementptr i8, ptr %here, i64 DISTANCE
  call void @llvm.prefetch.p0(ptr %ahead, i32 0, i32 1, i32 1)
  %next = add i64 %at, 64
  br label %line
done:
  ret void
}
"""
"""Reads one byte of every line of a block in order, and prefetches the lines a few blocks ahead. The hardware
prefetches by itself if lines are read in order, but not if rows of several samples are read in turn."""

DISTANCE = 16 * 2**10
"""How far ahead inputs are prefetched, in bytes; any distance of a few blocks will do."""


def copy_functions(lanes: int, real: str, size: int) -> str:
    """Return `@strided_copy`, `@touch_block`, `@stream_copy` and `@stream_samples` for one type."""
    words = {
        "DISTANCE": DISTANCE,
        "ALIGN_MASK": lanes * size - 1,
        "LINE": lanes * size,
        "VECTOR": f"<{lanes} x {real}>",
        "REAL": real,
        "SIZE": size,
    }
    text = COPY + AHEAD + STREAM
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text
