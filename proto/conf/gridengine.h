/* gridengine.h - how a shell finds Grid Engine's commands. PBS has a qstat, too: ours
 * are in the first directory with one that calls itself Grid Engine's, which comes first
 * in PATH then; without one the shell ends with 127. */
#ifndef HECTOR_GRIDENGINE_H
#define HECTOR_GRIDENGINE_H

#define GRIDENGINE_FIND \
    "there=127\n" \
    "IFS=:\n" \
    "for d in \"$SGE_BINARY_PATH\" \"$SGE_ROOT/bin/$SGE_ARCH\" $PATH; do\n" \
    "    [ -x \"$d/qstat\" ] || continue\n" \
    "    case $(\"$d/qstat\" -help 2>&1) in\n" \
    "    *GE\\ [0-9]*) PATH=$d:$PATH there=0; break ;;\n" \
    "    esac\n" \
    "done\n" \
    "unset IFS\n" \
    "[ $there = 0 ] || exit $there\n"

#endif
