# layer.awk - the functions of MPI before the Open MPI inside, from wrap.def.
# Read together with gen.awk, whose parse() and name_of() it uses:
#
#   awk -v what=layer -f gen.awk -f about.awk -f layer.awk wrap.def
#
# Each translates the handles that it gets, calls Open MPI's function, and makes
# or ends handles of ours for those that it left. What is not made so stands in
# layer_by_hand() and is written out in C; what is new in MPI-4 the Open MPI
# inside does not have.

function layer_by_hand()
{
    return name ~ /_(c2f|f2c)$/ || name ~ /keyval$|^Keyval_/ ||
        name ~ /^Attr_|_(get|set|delete)_attr$/ ||
        name ~ /^(Init|Init_thread|Finalize|Pcontrol|Op_create|Wtime)$/ ||
        name ~ /create_errhandler$|^Errhandler_create$/ ||
        name ~ /^(Grequest_start|Grequest_complete|Register_datarep|Type_get_contents)$/ ||
        name == "Is_thread_main" ||
        name ~ /^I?[bsr]?send$|^[BSR]?[sS]end$|^(B|S|R)?[sS]end_init$|^I?[mM]?[rR]ecv$/ ||
        name ~ /^(Recv_init|Buffer_detach|Sendrecv|Sendrecv_replace|Start|Startall|Cancel)$/ ||
        name ~ /^(Wait|Test)(all|any|some)?$|^Request_(free|get_status)$/ ||
        name ~ /^I?[mM]?[pP]robe$|^(Comm_create_group|Intercomm_create)$/ ||
        name ~ /^Status_/ && has("conly") || has("mpi4")
}

# "datatype" of "datatype.out[]"; "" of what is no handle.
function layer_handle(k)
{
    sub(/[.[].*/, "", k)
    return k ~ /^(comm|datatype|request|op|group|win|file|info|errhandler|message)$/ ? k : ""
}

# MPI_Comm, of "MPI_Comm *newcomm".
function layer_type(d)
{
    sub(/^const /, "", d)
    sub(/[ *[].*/, "", d)
    return d
}

# May mean nothing, so that it may be anything: types of what is only given or
# only taken at the root, or stands beside MPI_IN_PLACE, and what only one has to
# say.
function layer_idle(k)
{
    return k == "datatype" ? tolower(name) ~ /gather|scatterv?$|alltoall/ : \
        k == "info" ? first("root") : k == "comm" && name == "Intercomm_create"
}

# On which communicator it is a collective, for the gate; "" if it is none.
function layer_gate(    i)
{
    i = nth("comm comm.inout", 1)
    return !i || !is_collective() ? "" : \
        kind[i] == "comm" ? name_of(decl[i]) : \
        name_of(decl[i]) " ? *" name_of(decl[i]) " : NULL"
}

# What is to be known of a communicator or a request that it has made.
function layer_made(gate,    i, text)
{
    if ((i = first("comm.out")) && name !~ /_f2c$/)
        text = sprintf("    CALL_%s(rc, %s);\n", gate ? "MADE" : "MET", \
            name_of(decl[i]))
    if (i = first("request.out"))
        text = text sprintf("    if (rc == MPI_SUCCESS)\n" \
            "        pending_collective(*%s, %s, CALL_%s);\n", name_of(decl[i]), \
            gate ? gate : "MPI_COMM_NULL", name)
    if (name == "Comm_idup")
        text = text "    if (rc == MPI_SUCCESS)\n" \
            "        pending_makes(*request, *newcomm);\n"
    return text
}

# How many handles an array has.
function layer_length(i,    c)
{
    c = first("comm")
    c = c ? name_of(decl[c]) : ""
    if (name ~ /[aA]lltoallw$/)
        return sprintf("%scall_members(%s, %s)", \
            decl[i] ~ /send/ ? "sendbuf == MPI_IN_PLACE ? 0 : " : "", c, \
            name ~ /eighbor/ ? (decl[i] ~ /send/ ? "CALL_TO" : "CALL_FROM") : "CALL_ALL")
    if (name == "Comm_spawn_multiple")
        return "call_is_root(" c ", root) ? count : 0"
    c = first("count")
    return c ? name_of(decl[c]) : "0"
}

function put_layer(    i, k, n, t, o, args, before, after, params, sep, dir, label,
                       ends, full, array, gate, first_of_all)
{
    if (layer_by_hand())
        return
    gate = layer_gate()
    args = before = after = params = sep = ends = full = first_of_all = ""
    for (i = 1; i <= nparams; i++) {
        params = params sep decl[i]
        k = layer_handle(kind[i])
        o = "OBJECT_" toupper(k)
        n = kind[i] == "variadic" ? "" : name_of(decl[i])
        t = layer_type(decl[i])
        dir = kind[i] ~ /\.out/ || kind[i] == "request.inout" && name == "Imrecv" ? "out" : \
            kind[i] ~ /\.inout/ ? "inout" : "in"
        if (k == "")
            args = args sep n
        else if (kind[i] ~ /\[\]$/) {
            args = args sep "r" i
            array = "CALL_" (first("request.out") ? "KEPT_" : "") "ARRAY"
            before = before sprintf("    %s(%s, %d, %s, %s);\n", array, t, i, n, layer_length(i))
            full = full sprintf("!CALL_ARRAY_IS(%d) || ", i)
            if (dir == "inout")
                after = after sprintf("    CALL_ARRAY_SETTLE(%d, %s);\n", i, n)
            ends = ends sprintf("    %s_END(%d);\n", array, i)
        } else if (dir == "in")
            args = args sep (layer_idle(k) ? "object_real_if(" : "object_real(") n ")"
        else {
            args = args sep "ENTRY_AT(" i ", " n ")"
            before = before sprintf("    %s r%d = %s;\n", t, i, \
                dir == "out" ? "NULL" : n " ? object_real(*" n ") : NULL")
            after = after (dir == "out" \
                ? sprintf("    ENTRY_OWN(rc, %s, %d, %s);\n", o, i, n) \
                : sprintf("    object_settle(%s, r%d);\n", n, i))
        }
        sep = ", "
    }
    if (!nparams)
        params = "void"
    if (name ~ /^(Comm_free|Comm_disconnect|Type_free|Win_free)$/)
        first_of_all = sprintf("    CALL_ENDING(%s);\n", name_of(decl[1]))
    if (gate)
        first_of_all = first_of_all sprintf("    CALL_GATE(%s);\n", gate)
    else
        first_of_all = first_of_all "    CALL_PASS();\n"
    after = after layer_made(gate)
    if (name ~ /^(Comm_dup|Comm_dup_with_info|Comm_idup|Type_dup)$/)
        after = after sprintf("    CALL_COPIED(rc, %s, %s);\n", name_of(decl[1]), \
            name_of(decl[first("comm.out datatype.out")]))
    label = "PMPI_" name
    if (has("undeclared") || has("conly")) {
        printf "%s call_%s(%s) __asm__(\"PMPI_%s\");\n", type, name, params, name
        label = "call_" name
    }
    printf "ENTRY_EXPORT %s %s(%s)\n{\n", type, label, params
    # Behind the gate it may be another Open MPI, with other handles.
    printf "%s", first_of_all
    printf "    __typeof__(&%s) inside = (__typeof__(inside))inside_get(CALL_%s);\n", label, name
    printf "%s    %s rc;\n\n", before, type
    if (type == "int")
        printf "    if (__builtin_expect(%s!inside, 0))\n" \
            "        return %s(before_), MPI_ERR_UNSUPPORTED_OPERATION;\n", full, \
            gate ? "stand_leave" : "stand_passed"
    printf "    rc = inside(%s);\n%s%s    %s(before_);\n    return rc;\n}\n", args, \
        after, ends, gate ? "stand_leave" : "stand_passed"
    printf "ENTRY_ALIAS(%s)\n\n", name
}

!/^#/ && !/^- / && !/^ *$/ && what == "layer" { put_layer() }
