# The commands of README.md run from its top to its bottom, each exactly as it stands,
# and print what the README says. Hosts are simulated, with a program called ssh.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are meant for eval; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need mpicc sqlite3
readme=$top/README.md
clustered=
for flags in -nmu -Urnmu; do
    unshare $flags true 2>/dev/null && clustered=1
done
[ -z "$clustered" ] || hosts 3

# The folder of the source, as the reader sees it; and ssh.
mkdir "$T/source" "$T/path"
ln -s "$build" "$T/source/build"
ln -s "$top/tests" "$T/source/tests"
cat >"$T/path/ssh" <<'END'
#!/bin/sh
host=$1
shift
exec sh "$AGENT" "$host" sh -c "$*"
END
chmod +x "$T/path/ssh"
PATH=$T/path:$PATH
cd "$T/source" || exit 1

# N.command and N.shown for each command; sums.c, the program of the README.
awk -v dir="$T" '
    /^$/ { shown = ""; if (source) print >"sums.c"; next }
    !/^    / { command = shown = ""; source = 0; next }
    { line = substr($0, 5) }
    line == "#include <hct_rt.h>" { source = 1 }
    source { print line >"sums.c"; next }
    !command && line ~ /^\$ / {
        n++
        sub(/^\$ /, "", line)
        command = dir "/" n ".command"
        shown = ""
        print n
    }
    command {
        print line >command
        if (line !~ /\\$/) {
            close(command)
            command = ""
            shown = dir "/" n ".shown"
        }
        next
    }
    shown { print line >shown }' "$readme" >"$T/numbers"
is "$(grep -c '^    \$ ' "$readme")" "$(wc -l <"$T/numbers")" 'all commands are found'

not_run()       # COMMAND: why it is not run here
{
    case $1 in
    'make demo '*) why='it installs and builds; what it runs is tests/demo.sh, see below' ;;
    'make check '*) why='this test is part of it' ;;
    'make check-world '*) why='this test is part of it' ;;
    'make install '*) why='it builds and writes to /usr/local: 0410-install.t runs it' ;;
    *'-H n1:2'* | *' 11.1 n3 '* | *'drain n2'* | *'kill 11'*)
        why='there are no simulated hosts here, or tasks cannot be moved'
        [ -z "$clustered" ] || ! tasks_move
        ;;
    *kill:age=* | *'why 5 '*)
        why='the kernel refuses ptrace here'
        ! may_trace
        ;;
    *checkpoint* | *'kill 9'* | *' --restart '* | *'kill 10'*)
        why='tasks of this Open MPI cannot be moved'
        ! tasks_move
        ;;
    *) false ;;
    esac
}

# COMMAND: what it has to print, $want, its status, $well, and in $until whether the
# job runs until that is printed. Verdicts follow from the fault that is injected.
expect()
{
    want='' well=0 until=
    case $1 in
    *apps/mm*) want='^0: The product is right$' ;;
    mpicc*) ;;
    *'sql '*) want='rank marker label call +ns .*[0-3] +[0-9]+ sum +MPI_Allreduce +[0-9]+' ;;
    *stdtim=*) want='^the sum of the ranks is 6$' ;;
    # Task 2 sends its 50th message to task 3 and waits for it in the barrier behind.
    *fault=drop*)
        want='job 4 is deadlocked \(100 % sure.*: ranks 2-3 wait for each other' well=123 ;;
    # Task 2 does not come back from a call that all others wait in.
    *fault=hang-after*)
        want='job 5 hangs \(9.*faulty: task 2: hang in the computation: .* rank 2 '\
'has not come back to MPI, and the others wait' well=123 ;;
    *'why 5 --progress'*)
        want='\* 1\. task 2: behind MPI_Allreduce.*2\. tasks 0-1,3: in MPI_Allreduce' ;;
    *'why 5 --slice'*) want='task 2 gets to and stays in MPI_Allreduce \(cg\.c:[0-9]+\)' ;;
    # Task 3 is slower between MPI_Waitall and the call behind it.
    *fault=slow-after,time=5ms*)
        want='job 6 has tasks unlike the others .* task 3: task 3 is slower than 3 others '\
'like it between MPI_Waitall and MPI_[A-Za-z]+: by .*stencil\.c' until=1 ;;
    *fault=slow-after*)
        want='job 7 is slow \(.*faulty: task 2: task 2 computes [0-9.]+ times as long as '\
'before for the same work' until=1 ;;
    # The 50th sum of all takes 2 s.
    *fault=stall*) want='job 8 is late .*sum<=300ms: missed' ;;
    # Four calls at least: one of each task.
    *deadlines*) want=' 8 +1 sum<=300ms +400 +[0-9]+ +([4-9]|[0-9]{2,}) ' ;;
    *'hector ps 3'*) want=' 3 .* connected' ;;
    *'hector ps '*) want='imbalance +running' ;;
    *'stack 3'*) want='job 3: 4 tasks.*main.*imbalance\.c:' ;;
    *'model 3'*) want='job 3: 4 tasks.*Allreduce' ;;
    *'why 3 --progress'*) want='job 3 at ' ;;
    *'report 3'*) want='Job 3 imbalance: 4 tasks on 1 node.*main imbalance\.c:' ;;
    *'why 3 '*) want='job 3 is killed: hector kill' ;;
    *'suspend 3'*) want='3: 4 tasks are (being )?suspended' ;;
    *'resume 3'*) want='3: 4 tasks are (being )?resumed' ;;
    *' kill '*) want=': done' ;;
    *'checkpoint 9'*) want='9: checkpoint 1 is in .*saved/1: 4 images' ;;
    *' migrate 11'*) want='11\.1: task 1 is on n3 now' ;;
    *' drain n2'*) want='n2: it is empty' ;;
    *' undrain n2'*) want='n2' ;;
    *mpirun*) want='^ring: ok$' ;;
    *' &'*) ;;
    *) false ;;
    esac
}

printed()       # the words are in what was printed, be it folded there
{
    xargs -0 <"$1" | tr -s '\n ' ' ' | grep -Eq -- "$want" || grep -Eq -- "$want" "$1"
}
works()         # until all tasks of job $1 have made some calls
{
    build/bin/hector ps "$1" 2>/dev/null |
        awk 'NR > 1 { n++; if ($6 < 20) few = 1 }
            END { exit !n || few }'
}
jobs=0
meant()         # COMMAND, whose text is in $command: it runs, and does what is expected
{
    case $command in
    *' &'*)
        eval "$command" </dev/null >"$T/behind" 2>&1
        behind=$!
        wait_for 'works $((jobs + 1))'
        ;;
    *)
        (eval "$command") </dev/null >"$T/out" 2>&1 &
        runner=$!
        if [ -n "$until" ]; then
            wait_for 'printed "$T/out" || ! kill -0 $runner 2>/dev/null'
            build/bin/hector kill $((jobs + 1)) >/dev/null 2>&1
        fi
        wait $runner || status=$?
        ;;
    esac
    case $command in
    *hector-run*) jobs=$((jobs + 1)) ;;
    *'hector kill'*) wait "$behind" ;;
    esac
}
while read -r n <&3; do
    command=$(cat "$T/$n.command")
    line=$(head -n 1 "$T/$n.command")
    status=0
    if not_run "$line "; then
        skip "$line" "$why"
        case $line in
        *hector-run*)           # the jobs behind it keep their numbers
            build/bin/hector-run -n 1 true
            jobs=$((jobs + 1))
            ;;
        esac
        continue
    fi
    if ! expect "$(tr -d '\n' <"$T/$n.command")"; then
        fail "$line" 'nobody knows what it has to do: say it in expect() or not_run()'
        continue
    fi
    meant
    [ -n "$until" ] || is "$status" $well "$line"
    [ -z "$want" ] || ok '... prints what it has to' printed "$T/out" || cat "$T/out"
    if [ -s "$T/$n.shown" ]; then
        ok '... and that is what the README shows' printed "$T/$n.shown"
    fi
done 3<"$T/numbers"

# ------------------------------------------------------------- and the demo
run sh tests/demo.sh build
is "$status" 0 'what make demo runs'
for words in '0: Got Matrix of 100 X 100 X 100' 'Task 0 Enter:Sending assignment...' \
    'Task 0 Exit :Sending assignment...'; do
    ok "... prints: $words" grep -qF "$words" "$T/out"
    ok '... as the README shows' grep -qF "    $words" "$readme"
done

# -------------------------------------------------------- what it refers to
is "$(grep -oE '[A-Za-z_.-]+\([1-8]\)' "$readme" | sort -u | sed 's/(\(.\))/.\1/' |
    while read -r page; do
        [ -n "$(find "$top" -path "$top/build" -prune -o -name "$page" -print)" ] ||
            echo "$page"
    done)" '' 'all manual pages that it names are there'
is "$(grep -oE '`[a-z/]+/README`' "$readme" | tr -d '`' | while read -r file; do
    [ -s "$top/$file" ] || echo "$file"
done)" '' 'all files that it names are there'
ok 'it is two screens long: 12 kB' test "$(wc -c <"$readme")" -le 12000
done_testing
