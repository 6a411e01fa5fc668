/* program.h - the functions of an executable, read when they are first needed,
 * and the lines of their instructions. */
#ifndef HECTOR_PROGRAM_H
#define HECTOR_PROGRAM_H

#include "proto/base/idtable.h"
#include "slave/slice/binary.h"
#include "slave/slice/flow.h"
#include "slave/slice/value.h"
#include "slave/slice/variables.h"

struct line {
    const char *function, *file;
    unsigned number;
    bool library;               /* of a header of the system, as templates are */
};

struct function {
    const struct binary_symbol *symbol;
    uint32_t number;            /* in the program */
    bool readable;              /* else the next two are empty */
    struct flow flow;
    struct values values;
    uint32_t *lines;            /* owned: of each instruction, 0: not asked */
    const struct line *last;    /* where it ends, if that was asked */
    bool has_last;
    int parameters;             /* as it says itself; -1: not known */
    unsigned head, opens;       /* the lines where it is declared, and where its
                                   body begins; 0: not known */
};

struct program;

/* Takes the binary over, also when it fails. */
struct program *program_create(struct binary *b, const char *path,
                               struct err *err);
void program_destroy(struct program *p);        /* NULL is fine */

const struct binary *program_binary(const struct program *p);
struct variables *program_variables(const struct program *p);
struct bases *program_bases(struct program *p);

/* The function that has this address; NULL: none has, or no room. It lives as
 * long as the program. */
struct function *program_function(struct program *p, uint64_t address);
struct function *program_numbered(struct program *p, uint32_t number);

/* The name of what is called, as its symbol has it, and where it is in this
 * file (0: elsewhere, or not known); NULL: it is computed. */
const char *program_callee(struct program *p, const struct insn *call,
                           uint64_t *at);

/* Functions of a path of calls that have no frame: they have jumped to the next
 * one in place of a call and a return. */
struct program_tail { struct function *function; uint32_t insn; };
enum { PROGRAM_TAILS = 4 };

/* How a call has led to that function, the outermost one first; how many: 0 if
 * it calls the function itself, or nobody knows. Of several ways one of the
 * shortest is taken. */
size_t program_tails(struct program *p, const struct insn *call,
                     const struct function *to,
                     struct program_tail v[PROGRAM_TAILS]);

/* Functions that a call may be of whose address is computed: those of a table
 * in the file; of a virtual one, which reads it from where an object says,
 * those that the classes of the program have there (as Dean, Grove and
 * Chambers: Optimization of object-oriented programs using static class
 * hierarchy analysis, ECOOP 1995, but of any class). How many; 0: nobody
 * knows. */
enum { PROGRAM_TARGETS = 32 };
size_t program_targets(struct program *p, const struct function *f,
                       uint32_t call, struct function *v[PROGRAM_TARGETS]);

/* The registers that may have changed when the call returns. Compilers know which
 * ones a function of the same program leaves alone, and rely on it; of others it
 * is all those that a function need not keep. */
uint64_t program_changes(struct program *p, const struct insn *call);

/* The line of an instruction: what is inlined there, innermost, but for headers
 * of the system. Lives as long as the program. */
const struct line *program_line(struct program *p, struct function *f,
                                uint32_t insn);

/* The line where the function ends: the last one of those where it returns. NULL:
 * it does not, or they are not known. */
const struct line *program_last_line(struct program *p, struct function *f);

/* Calls each(arg, function, instruction) for what writes into these bytes of
 * the file by their address, anywhere in the program. */
void program_writers(struct program *p, const struct area *a,
                     void (*each)(void *arg, struct function *f, uint32_t insn),
                     void *arg);

/* How many lines of source the function has code of. */
unsigned program_count_lines(struct program *p, struct function *f);

/* Widen to the variable that is there: frames and the file. */
void program_whole(struct program *p, struct area *a);

/* Widen to that field of each of the records of an array which are like
 * what such a base points to; false: there is no such array. */
bool program_field_of_each(struct program *p, uint32_t record, struct area *a);

/* How many bytes the record has that such a base points to; 0: not known,
 * or it is none. */
int64_t program_record(struct program *p, uint32_t base);

/* What a function gets that is given this address of it: a field, or as above. */
void program_given(struct program *p, struct area *a);

#endif
