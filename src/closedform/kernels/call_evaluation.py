"""The second half of a call: arrays checked, results made, one sample evaluated; or the call passed on."""

from __future__ import annotations

from . import memory_layout as layout
from .call_code import ENTRY, OPERAND, PLAN, RECORD, WRITABLE, call, field, fits, known, repeat, word


def new_array(name: str, like: str) -> str:
    """Return the instructions that make the array %name of the shape %like.shape, null without memory."""
    arguments = (
        f"ptr %ndarray, ptr %plan.dtype, i32 %{like}.ndim, ptr %{like}.shape, "
        "ptr null, ptr null, i32 0, ptr null"
    )
    keep = call(f"{name}.stolen", "void", "Py_IncRef", "ptr %plan.dtype")  # the function takes it over
    return f"{keep}\n{call(name, 'ptr', 'NewFromDescr', arguments)}"


EVALUATE = f"""
inputs:
{word("inputs.count", "plan", PLAN["inputs"])}
{word("only", "entry.here", ENTRY["only"], "ptr")}
  %is.only = icmp ne ptr %only, null
  br i1 %is.only, label %only.one, label %any
only.one:
  %only.shape = getelementptr i64, ptr %only, i64 {OPERAND["shape"]}
{word("only.ndim", "only", OPERAND["axes"], "i32")}
{new_array("result.one", "only")}
  %no.memory = icmp eq ptr %result.one, null
  br i1 %no.memory, label %nothing, label %only.evaluate
only.evaluate:
{word("only.bound", "plan", PLAN["bound"], "ptr")}
{field("only.data", "result.one", layout.DATA)}
  %only.place = getelementptr ptr, ptr %operands, i64 %inputs.count
  store ptr %only.data, ptr %only.place
  call void %only.bound(ptr %operands)
  ret ptr %result.one
any:
{word("outputs.count", "plan", PLAN["outputs"])}
{word("bound", "plan", PLAN["bound"], "ptr")}
{word("kind", "plan", PLAN["tuple"], "ptr")}
{word("out", "entry.here", ENTRY["out"])}
  %one = icmp eq ptr %kind, null
  br label %outputs
outputs:
  %fresh = icmp slt i64 %out, 0
  br i1 %fresh, label %make, label %given
make:
{repeat("f", "make", "%outputs.count", "evaluate")}
  %f.at = add i64 %inputs.count, %f
  %f.words = mul i64 %f.at, {OPERAND["words"]}
  %f.word = add i64 %f.words, {PLAN["operands"]}
  %f.operand = getelementptr i64, ptr %plan, i64 %f.word
  %f.shape = getelementptr i64, ptr %f.operand, i64 {OPERAND["shape"]}
{word("f.ndim", "f.operand", OPERAND["axes"], "i32")}
  %f.item.at = getelementptr ptr, ptr %items, i64 %f
  %f.operand.at = getelementptr ptr, ptr %operands, i64 %f.at
  %is.number = icmp eq i32 %f.ndim, 0
  br i1 %is.number, label %number, label %new
number:
  %number.at = getelementptr i64, ptr %numbers, i64 %f
  store ptr null, ptr %f.item.at
  store ptr %number.at, ptr %f.operand.at
  br label %f.next
new:
{new_array("made", "f")}
  store ptr %made, ptr %f.item.at
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %drop.some, label %take
take:
{field("made.data", "made", layout.DATA)}
  store ptr %made.data, ptr %f.operand.at
  br label %f.next
given:
{word("y.given", "args", "%out", "ptr")}
  %y.items = getelementptr i8, ptr %y.given, i64 {layout.TUPLE_ITEMS}
  br i1 %one, label %given.one, label %given.some
given.some:
{field("y.length", "y.given", layout.TUPLE_SIZE, "i64")}
  %y.all = icmp eq i64 %y.length, %outputs.count
  br i1 %y.all, label %given.one, label %batch
given.one:
{repeat("w", "given.one", "%outputs.count", "evaluate")}
  br i1 %one, label %w.found, label %w.item
w.item:
{word("y.item", "y.items", "%w", "ptr")}
  br label %w.found
w.found:
  %y = phi ptr [ %y.given, %w.body ], [ %y.item, %w.item ]
{field("y.type", "y", layout.TYPE)}
  %y.is.array = icmp eq ptr %y.type, %ndarray
  br i1 %y.is.array, label %y.array, label %batch
y.array:
{field("y.dtype", "y", layout.DESCRIPTOR)}
  %y.same.dtype = icmp eq ptr %y.dtype, %plan.dtype
  br i1 %y.same.dtype, label %y.known.dtype, label %batch
y.known.dtype:
  %w.at = add i64 %inputs.count, %w
  %y.words = mul i64 %w.at, {OPERAND["words"]}
  %y.word = add i64 %y.words, {PLAN["operands"]}
  %y.operand = getelementptr i64, ptr %plan, i64 %y.word
{fits("y", "y.operand", WRITABLE, "y.fits", "batch")}
y.fits:
{word("y.bytes", "y.operand", OPERAND["bytes"])}
  %y.end = getelementptr i8, ptr %y.data, i64 %y.bytes
{repeat("z", "y.fits", "%w.at", "written")}
  %z.words = mul i64 %z, {OPERAND["words"]}
  %z.word = add i64 %z.words, {PLAN["operands"] + OPERAND["bytes"]}
{word("z.bytes", "plan", "%z.word")}
  %z.data.at = getelementptr ptr, ptr %operands, i64 %z
  %z.data = load ptr, ptr %z.data.at
  %z.end = getelementptr i8, ptr %z.data, i64 %z.bytes
  %z.before = icmp ule ptr %z.end, %y.data
  %z.after = icmp ule ptr %y.end, %z.data
  %z.apart = or i1 %z.before, %z.after
  br i1 %z.apart, label %z.next, label %batch
written:
  %y.operand.at = getelementptr ptr, ptr %operands, i64 %w.at
  %y.place = getelementptr ptr, ptr %items, i64 %w
  store ptr %y.data, ptr %y.operand.at
  store ptr %y, ptr %y.place
  br label %w.next
evaluate:
  call void %bound(ptr %operands)
{repeat("e", "evaluate", "%outputs.count", "finish")}
  %e.item.at = getelementptr ptr, ptr %items, i64 %e
  %e.item = load ptr, ptr %e.item.at
  br i1 %fresh, label %e.fresh, label %e.given
e.given:
{call("e.keep", "void", "Py_IncRef", "ptr %e.item")}
  br label %e.next
e.fresh:
  %e.is.number = icmp eq ptr %e.item, null
  br i1 %e.is.number, label %e.number, label %e.next
e.number:
  %e.number.at = getelementptr i64, ptr %numbers, i64 %e
{call("scalar", "ptr", "Scalar", "ptr %e.number.at, ptr %plan.dtype, ptr null")}
  store ptr %scalar, ptr %e.item.at
  %e.failed = icmp eq ptr %scalar, null
  br i1 %e.failed, label %drop, label %e.next
finish:
  %single = load ptr, ptr %items
  br i1 %one, label %return.one, label %return.tuple
return.one:
  ret ptr %single
return.tuple:
{call("plain", "ptr", "PyTuple_New", "i64 %outputs.count")}
  %plain.failed = icmp eq ptr %plain, null
  br i1 %plain.failed, label %drop, label %fill
fill:
{repeat("t", "fill", "%outputs.count", "filled")}
  %t.item.at = getelementptr ptr, ptr %items, i64 %t
  %t.item = load ptr, ptr %t.item.at
{call("t.set", "i32", "PyTuple_SetItem", "ptr %plain, i64 %t, ptr %t.item")}
  br label %t.next
filled:
  %pair.second = getelementptr ptr, ptr %pair, i64 1
  store ptr %kind, ptr %pair
  store ptr %plain, ptr %pair.second
{known("new_tuple", "new_tuple")}
{call("result", "ptr", "PyObject_Vectorcall", "ptr %new_tuple, ptr %pair, i64 2, ptr null")}
{call("plain.drop", "void", "Py_DecRef", "ptr %plain")}
  ret ptr %result
"""
"""From the entry of a pattern to the results; to `batch` if an array is not plain or outputs overlap."""

HANDED_OVER = "ptr %general, ptr %items, i64 %whole.inputs, ptr %whole.names"
"""Arguments of the call of a kernel: the inputs in order, and `out` by name."""

PASS_ON = f"""
drop.some:
  br label %dropped
drop:
  br label %dropped
dropped:
  %left = phi i64 [ %f, %drop.some ], [ %outputs.count, %drop ]
{repeat("d", "dropped", "%left", "nothing")}
  %d.item.at = getelementptr ptr, ptr %items, i64 %d
  %d.item = load ptr, ptr %d.item.at
{call("d.drop", "void", "Py_DecRef", "ptr %d.item")}
  br label %d.next
nothing:
  ret ptr null
batch:
{word("general", "entry.here", ENTRY["general"], "ptr")}
  %none.general = icmp eq ptr %general, null
  br i1 %none.general, label %slow, label %whole
whole:
{word("whole.plan", "entry.here", ENTRY["plan"], "ptr")}
{word("whole.inputs", "whole.plan", PLAN["inputs"])}
{word("whole.out", "entry.here", ENTRY["out"])}
{repeat("c", "whole", "%total", "whole.outputs")}
  %c.word = mul i64 %c, {RECORD["words"]}
  %c.record = getelementptr i64, ptr %records, i64 %c.word
{word("c.operand", "c.record", RECORD["operand"])}
{word("c.given", "args", "%c", "ptr")}
  %c.is.input = icmp sge i64 %c.operand, 0
  br i1 %c.is.input, label %c.input, label %c.next
c.input:
  %c.place = getelementptr ptr, ptr %items, i64 %c.operand
  store ptr %c.given, ptr %c.place
  br label %c.next
whole.outputs:
  %whole.fresh = icmp slt i64 %whole.out, 0
  br i1 %whole.fresh, label %hand.over, label %whole.named
whole.named:
{known("out.names", "out_names")}
{word("whole.given", "args", "%whole.out", "ptr")}
  %whole.place = getelementptr ptr, ptr %items, i64 %whole.inputs
  store ptr %whole.given, ptr %whole.place
  br label %hand.over
hand.over:
  %whole.names = phi ptr [ null, %whole.outputs ], [ %out.names, %whole.named ]
{call("evaluated", "ptr", "PyObject_Vectorcall", HANDED_OVER)}
  ret ptr %evaluated
slow:
{known("resolve", "resolve")}
{call("method", "ptr", "PyObject_GetAttr", "ptr %self, ptr %resolve")}
  %lost = icmp eq ptr %method, null
  br i1 %lost, label %nothing, label %resolved
resolved:
{call("answer", "ptr", "PyObject_Vectorcall", "ptr %method, ptr %args, i64 %flagged, ptr %names")}
{call("method.drop", "void", "Py_DecRef", "ptr %method")}
  ret ptr %answer
}}
"""
"""The ends of a call that is not evaluated here: no memory, a batch, or an unknown pattern."""
