"""The first half of a call: which of the known patterns it has."""

from __future__ import annotations

from . import memory_layout as layout
from .call_code import (
    ENTRY,
    MOST_OPERANDS,
    MULTIPLIER,
    PLAN,
    READABLE,
    RECORD,
    TABLE,
    TUPLE,
    call,
    field,
    fits,
    known,
    repeat,
    word,
)

LOOK_UP = f"""
define ptr @dispatch(ptr %self, ptr %args, i64 %flagged, ptr %names) #0 {{
entry:
  %operands = alloca [{MOST_OPERANDS} x ptr]
  %items = alloca [{MOST_OPERANDS} x ptr]
  %numbers = alloca [{MOST_OPERANDS} x i64]
  %pair = alloca [2 x ptr]
{known("ndarray", "ndarray")}
  %count = and i64 %flagged, {2**63 - 1}
{field("table", "self", layout.FAST_TABLE)}
{word("shift", "table", TABLE["shift"])}
{word("mask", "table", TABLE["mask"])}
  %slots = getelementptr i64, ptr %table, i64 {TABLE["slots"]}
  %misfit = alloca i8
  %unnamed = icmp eq ptr %names, null
  br i1 %unnamed, label %counted, label %named
named:
{field("some", "names", layout.TUPLE_SIZE, "i64")}
  br label %counted
counted:
  %named.count = phi i64 [ 0, %entry ], [ %some, %named ]
  %total = add i64 %count, %named.count
{word("last", "table", TABLE["last"], "ptr")}
  %no.guess = icmp eq ptr %last, null
  br i1 %no.guess, label %hash, label %compare
hash:
  br label %hash.head
hash.head:
  %i = phi i64 [ 0, %hash ], [ %i.more, %hashed ]
  %h = phi i64 [ %count, %hash ], [ %h.more, %hashed ]
  %i.left = icmp ult i64 %i, %total
  br i1 %i.left, label %hash.body, label %hash.names
hash.body:
{word("a", "args", "%i", "ptr")}
{field("a.type", "a", layout.TYPE)}
  %a.is.array = icmp eq ptr %a.type, %ndarray
  br i1 %a.is.array, label %hash.array, label %hash.other
hash.array:
{field("a.dtype", "a", layout.DESCRIPTOR, "i64")}
  br label %hashed
hash.other:
{known("str", "str")}
  %a.is.text = icmp eq ptr %a.type, %str
  br i1 %a.is.text, label %hash.text, label %hash.object
hash.text:
{call("a.hash", "i64", "PyObject_Hash", "ptr %a")}
  br label %hashed
hash.object:
{known("tuple", "tuple")}
  %a.is.tuple = icmp eq ptr %a.type, %tuple
  %a.self = select i1 %a.is.tuple, ptr %tuple, ptr %a
  %a.address = ptrtoint ptr %a.self to i64
  br label %hashed
hashed:
  %word = phi i64 [ %a.dtype, %hash.array ], [ %a.hash, %hash.text ], [ %a.address, %hash.object ]
  %h.mixed = xor i64 %h, %word
  %h.more = mul i64 %h.mixed, {MULTIPLIER}
  %i.more = add i64 %i, 1
  br label %hash.head
hash.names:
  br label %name.head
name.head:
  %k = phi i64 [ 0, %hash.names ], [ %k.more, %name.body ]
  %n = phi i64 [ %h, %hash.names ], [ %n.more, %name.body ]
  %k.left = icmp ult i64 %k, %named.count
  br i1 %k.left, label %name.body, label %look
name.body:
  %name.item = getelementptr i8, ptr %names, i64 {layout.TUPLE_ITEMS}
{word("name", "name.item", "%k")}
  %n.mixed = xor i64 %n, %name
  %n.more = mul i64 %n.mixed, {MULTIPLIER}
  %k.more = add i64 %k, 1
  br label %name.head
look:
  %first = lshr i64 %n, %shift
  br label %probe
other:
  br i1 %guessed, label %hash, label %next
next:
  %slot.more = add i64 %slot.here, 1
  %slot.next = and i64 %slot.more, %mask
  br label %probe
probe:
  %slot = phi i64 [ %first, %look ], [ %slot.next, %next ]
{word("found", "slots", "%slot", "ptr")}
  %empty = icmp eq ptr %found, null
  br i1 %empty, label %slow, label %compare
compare:
  %entry.here = phi ptr [ %last, %counted ], [ %found, %probe ]
  %slot.here = phi i64 [ 0, %counted ], [ %slot, %probe ]
  %guessed = phi i1 [ true, %counted ], [ false, %probe ]
{word("entry.count", "entry.here", ENTRY["count"])}
{word("entry.named", "entry.here", ENTRY["named"])}
{word("plan", "entry.here", ENTRY["plan"], "ptr")}
{word("plan.dtype", "plan", PLAN["dtype"], "ptr")}
  %records = getelementptr i64, ptr %entry.here, i64 {ENTRY["records"]}
  store i8 0, ptr %misfit
  %same.count = icmp eq i64 %entry.count, %count
  %same.named = icmp eq i64 %entry.named, %named.count
  %same.sizes = and i1 %same.count, %same.named
  br i1 %same.sizes, label %arguments, label %other
arguments:
{repeat("g", "arguments", "%total", "names.compare")}
  %record.word = mul i64 %g, {RECORD["words"]}
  %record = getelementptr i64, ptr %records, i64 %record.word
{word("mark", "record", RECORD["mark"], "ptr")}
{word("b", "args", "%g", "ptr")}
{field("b.type", "b", layout.TYPE)}
  %is.array = icmp eq ptr %mark, null
  br i1 %is.array, label %array, label %object
array:
  %b.is.array = icmp eq ptr %b.type, %ndarray
  br i1 %b.is.array, label %precision, label %other
precision:
{field("b.dtype", "b", layout.DESCRIPTOR)}
  %same.dtype = icmp eq ptr %b.dtype, %plan.dtype
{word("operand", "record", RECORD["operand"])}
  br i1 %same.dtype, label %place, label %other
place:
  %is.out = icmp slt i64 %operand, 0
  br i1 %is.out, label %g.next, label %input
input:
  %expected = getelementptr i64, ptr %record, i64 {RECORD["axes"]}
{fits("b", "expected", READABLE, "read", "unfit")}
read:
  %b.operand.at = getelementptr ptr, ptr %operands, i64 %operand
  store ptr %b.data, ptr %b.operand.at
  br label %g.next
unfit:
  store i8 1, ptr %misfit
  br label %g.next
object:
  %is.same = icmp eq ptr %b, %mark
  br i1 %is.same, label %g.next, label %equal
equal:
  %mark.number = ptrtoint ptr %mark to i64
  %is.tuple = icmp eq i64 %mark.number, {TUPLE}
  br i1 %is.tuple, label %several, label %text
several:
{known("several.type", "tuple")}
  %b.is.tuple = icmp eq ptr %b.type, %several.type
  br i1 %b.is.tuple, label %g.next, label %other
text:
{known("text.type", "str")}
{field("mark.type", "mark", layout.TYPE)}
  %mark.is.text = icmp eq ptr %mark.type, %text.type
  %b.is.text = icmp eq ptr %b.type, %text.type
  %are.text = and i1 %mark.is.text, %b.is.text
  br i1 %are.text, label %letters, label %other
letters:
  br i1 %guessed, label %hash, label %read.letters
read.letters:
{call("difference", "i32", "PyUnicode_Compare", "ptr %b, ptr %mark")}
  %same.text = icmp eq i32 %difference, 0
  br i1 %same.text, label %g.next, label %other
names.compare:
  %records.words = mul i64 %total, {RECORD["words"]}
  %names.known = getelementptr i64, ptr %records, i64 %records.words
{repeat("m", "names.compare", "%named.count", "known")}
  %m.item = getelementptr i8, ptr %names, i64 {layout.TUPLE_ITEMS}
{word("name.given", "m.item", "%m", "ptr")}
{word("name.known", "names.known", "%m", "ptr")}
  %same.name = icmp eq ptr %name.given, %name.known
  br i1 %same.name, label %m.next, label %other
known:
  store ptr %entry.here, ptr %last.at
  %unfit.any = load i8, ptr %misfit
  %is.plain = icmp eq i8 %unfit.any, 0
  br i1 %is.plain, label %inputs, label %batch
"""
"""From the arguments of a call to the entry of its pattern: that of the call before, or found by its hash.

It ends at `inputs` if all inputs are plain, else at `batch`; at `slow` if no pattern is the call's."""
