"""LLVM functions that move samples: between strides, and past the cache."""

from __future__ import annotations

COPY = """
define internal void @strided_copy(
  ptr %dst, i64 %dn, i64 %d1, i64 %d2, ptr %src, i64 %sn, i64 %s1, i64 %s2, i64 %n, i64 %n1, i64 %n2
) #1 {
entry:
  br label %sample
sample:
  %i = phi i64 [ 0, %entry ], [ %i2, %samplenext ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %row, label %done
row:
  %r = phi i64 [ 0, %sample ], [ %r2, %rownext ]
  %morerows = icmp slt i64 %r, %n1
  br i1 %morerows, label %entrycopy, label %samplenext
entrycopy:
  %c = phi i64 [ 0, %row ], [ %c2, %copy ]
  %moreentries = icmp slt i64 %c, %n2
  br i1 %moreentries, label %copy, label %rownext
copy:
  %so0 = mul i64 %i, %sn
  %so1 = mul i64 %r, %s1
  %so2 = mul i64 %c, %s2
  %so3 = add i64 %so0, %so1
  %so = add i64 %so3, %so2
  %do0 = mul i64 %i, %dn
  %do1 = mul i64 %r, %d1
  %do2 = mul i64 %c, %d2
  %do3 = add i64 %do0, %do1
  %do = add i64 %do3, %do2
  %sp = getelementptr i8, ptr %src, i64 %so
  %dp = getelementptr i8, ptr %dst, i64 %do
  %x = load REAL, ptr %sp, align 1
  store REAL %x, ptr %dp, align 1
  %c2 = add i64 %c, 1
  br label %entrycopy
rownext:
  %r2 = add i64 %r, 1
  br label %row
samplenext:
  %i2 = add i64 %i, 1
  br label %sample
done:
  ret void
}
"""

"""Rows and columns of n samples from one pair of strides to another."""

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
!0 = !{i32 1}
"""
"""Whole lines past the cache: a large result would only push everything else out of it."""


def copies(lanes: int, real: str, size: int) -> str:
    """Return `@strided_copy` and `@stream_copy` for entries of one type."""
    words = {
        "ALIGN_MASK": lanes * size - 1,
        "LINE": lanes * size,
        "VECTOR": f"<{lanes} x {real}>",
        "REAL": real,
        "SIZE": size,
    }
    text = COPY + STREAM
    for word, value in words.items():
        text = text.replace(word, str(value))
    return text
