#!/bin/sh
# Run the tests and the bench of GPUs from a bundle (tools/gpu_bundle.py): no registry, nothing is installed.
#   sh run.sh            tests, then the whole bench (about 9 minutes)
#   QUICK=1 sh run.sh    tests, then the quick bench (about 4 minutes)
# SOURCE is a checkout to use in place of the bundled one, RESULTS the folder of what comes out, TOTAL the seconds
# for everything, PARTS the parts of the bench; TESTS=0 leaves the tests out, BENCH=0 the bench. summary.txt,
# tests.xml and gpu.csv remain.
begin=$(date +%s)
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
results=${RESULTS:-$here/results}
mkdir -p "$results" "$here/unpacked"
results=$(cd "$results" && pwd)
: > "$results/summary.txt"
for archive in "$here"/*.tar.xz; do
    mark="$here/unpacked/.$(basename "$archive")"
    [ "$mark" -nt "$archive" ] && continue
    tar xf "$archive" -C "$here/unpacked" 2>/dev/null || "$python" -m tarfile -e "$archive" "$here/unpacked" || exit 1
    touch "$mark"
done
source=${SOURCE:-$here/unpacked/source}
source=$(cd "$source" && pwd)
path="$source/src:$source:$source/tests"
for folder in "$here"/unpacked/*/; do
    case "$folder" in */source/) ;; *) path="$path:${folder%/}" ;; esac
done
export PYTHONPATH="$path${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
cd "$source" || exit 1
if [ "${TESTS:-1}" != 0 ]; then
    : > "$results/tests.log"
    echo "<all>" > "$results/tests.xml"
    for file in tests/test_*_cuda.py tests/test_cupy.py tests/test_gpu_*.py; do
        [ -f "$file" ] || continue
        timeout "${TEST_SECONDS:-120}" "$python" -m pytest -o addopts= -o filterwarnings=default \
            -p no:cacheprovider -q -ra --tb=short --durations=3 --junitxml="$here/unpacked/tests.xml" \
            "$file" > "$here/unpacked/tests.log" 2>&1
        status=$?
        tail -40 "$here/unpacked/tests.log"
        echo "$file: status $status"
        { cat "$here/unpacked/tests.log"; echo "$file: status $status"; } >> "$results/tests.log"
        [ -f "$here/unpacked/tests.xml" ] && sed '1s/<?xml[^>]*?>//' "$here/unpacked/tests.xml" >> "$results/tests.xml"
        rm -f "$here/unpacked/tests.xml"
    done
    echo "</all>" >> "$results/tests.xml"
    grep -E "passed|failed|error|skipped|status" "$results/tests.log" | grep -v "^E " >> "$results/summary.txt"
fi
[ "${BENCH:-1}" = 0 ] && exit 0
set --
for file in "$here"/robots/*.urdf; do
    [ -f "$file" ] && set -- "$@" --robot "$file"
done
if [ -n "$TOTAL" ]; then
    most=420 left=$((begin + TOTAL - $(date +%s) - 10))
    [ -n "$QUICK" ] && most=120
    [ "$left" -lt "$most" ] && most=$left
    set -- "$@" --seconds "$most"
fi
rm -f bench/results/gpu.csv
"$python" -m bench gpu ${QUICK:+--quick} ${PARTS:+--parts "$PARTS"} "$@" 2>&1 | tee "$results/bench.log"
cp bench/results/gpu.csv "$results/" 2>/dev/null
sed -n '/^date:/p; /: not measured:/p; /: ended /p; /^against peers/,$p' "$results/bench.log" >> "$results/summary.txt"
echo "summary in $results/summary.txt"
