"""LLVM functions that move samples: between strides, and past the cache."""

from __future__ import annotations

COPY = """
define internal void @strided_copy(
  ptr %dst, i64 %dn, i64 %d0, i64 %d1, i64 %d2,
  ptr %src, i64 %sn, i64 %s0, i64 %s1, i64 %s2,
  i64 %n, i64 %n0, i64 %n1, i64 %n2
) #1 {
entry:
  br label %sample
sample:
  %i = phi i64 [ 0, %entry ], [ %i.next, %sample.end ]
  %i.d = phi ptr [ %dst, %entry ], [ %i.d.next, %sample.end ]
  %i.s = phi ptr [ %src, %entry ], [ %i.s.next, %sample.end ]
  %i.more = icmp slt i64 %i, %n
  br i1 %i.more, label %plane, label %done
plane:
  %a = phi i64 [ 0, %sample ], [ %a.next, %plane.end ]
  %a.d = phi ptr [ %i.d, %sample ], [ %a.d.next, %plane.end ]
  %a.s = phi ptr [ %i.s, %sample ], [ %a.s.next, %plane.end ]
  %a.more = icmp slt i64 %a, %n0
  br i1 %a.more, label %row, label %sample.end
row:
  %b = phi i64 [ 0, %plane ], [ %b.next, %row.end ]
  %b.d = phi ptr [ %a.d, %plane ], [ %b.d.next, %row.end ]
  %b.s = phi ptr [ %a.s, %plane ], [ %b.s.next, %row.end ]
  %b.more = icmp slt i64 %b, %n1
  br i1 %b.more, label %column, label %plane.end
column:
  %c = phi i64 [ 0, %row ], [ %c.next, %copy ]
  %c.d = phi ptr [ %b.d, %row ], [ %c.d.next, %copy ]
  %c.s = phi ptr [ %b.s, %row ], [ %c.s.next, %copy ]
  %c.more = icmp slt i64 %c, %n2
  br i1 %c.more, label %copy, label %row.end
copy:
  %x = load REAL, ptr %c.s, align 1
  store REAL %x, ptr %c.d, align 1
  %c.next = add i64 %c, 1
  %c.d.next = getelementptr i8, ptr %c.d, i64 %d2
  %c.s.next = getelementptr i8, ptr %c.s, i64 %s2
  br label %column
row.end:
  %b.next = add i64 %b, 1
  %b.d.next = getelementptr i8, ptr %b.d, i64 %d1
  %b.s.next = getelementptr i8, ptr %b.s, i64 %s1
  br label %row
plane.end:
  %a.next = add i64 %a, 1
  %a.d.next = getelementptr i8, ptr %a.d, i64 %d0
  %a.s.next = getelementptr i8, ptr %a.s, i64 %s0
  br label %plane
sample.end:
  %i.next = add i64 %i, 1
  %i.d.next = getelementptr i8, ptr %i.d, i64 %dn
  %i.s.next = getelementptr i8, ptr %i.s, i64 %sn
  br label %sample
done:
  ret void
}
"""
"""Entries of n samples with three core axes from one set of strides to another."""

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
"""Whole lines past the cache: a large result would only push everything else out of it."""

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
"""The lines of a block touched in order, which the hardware's own prefetcher follows (the rows of several
samples read side by side it does not), and those some blocks later asked for."""

DISTANCE = 16 * 2**10
"""How far ahead inputs are asked for, in bytes; any distance of a few blocks does."""


def copy_functions(lanes: int, real: str, size: int) -> str:
    """Return `@strided_copy`, `@touch_block` and `@stream_copy` for entries of one type."""
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
