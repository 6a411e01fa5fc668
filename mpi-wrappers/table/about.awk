# about.awk - what a call is about: the initializers of struct about for one
# function of wrap.def, chosen from the kinds of its parameters, and a few
# names. Read together with gen.awk, which calls about().
# Fortran passes everything by reference.

# A value: an int, a handle.
function value(i, fortran)
{
    if (fortran)
        return "WRAPF_INT(a" i ")"
    return name_of(decl[i])
}

function handle(i, fortran)
{
    if (fortran)
        return "WRAPF_KEY(a" i ")"
    return "WRAP_" (kind[i] ~ /^file/ ? "FILE_" : "") "KEY(" \
        name_of(decl[i]) ")"
}

# A handle behind a pointer.
function handle_at(i, fortran)
{
    if (fortran)
        return handle(i, 1)
    return "WRAP_" (kind[i] ~ /^file/ ? "FILE_" : "") "KEY_AT(" \
        name_of(decl[i]) ")"
}

function pointer(i, fortran)
{
    return fortran ? "a" i : name_of(decl[i])
}

# The n-th parameter of one of these kinds.
function nth(kinds, n,    j)
{
    for (j = 1; j <= nparams; j++)
        if (index(" " kinds " ", " " kind[j] " ") && --n == 0)
            return j
    return 0
}

# What it does, whenever that is: of MPI_Iallreduce and Allreduce_init allreduce.
function operation(    n)
{
    n = tolower(name)
    sub(/_init$/, "", n)
    sub(/^i/, "", n)
    return n
}

# The n-th count, and the datatype that follows it.
function amount(n, fortran,    c, t)
{
    c = nth("count", n)
    for (t = c + 1; c && t <= nparams && kind[t] != "datatype"; t++)
        ;
    the_count = c ? value(c, fortran) : "0"
    the_type = c && t <= nparams ? handle(t, fortran) : "0"
}

# How much. Where a buffer may be MPI_IN_PLACE, the count and type beside it
# mean nothing, nor do those that only another rank has to give; a type that
# means nothing may be anything at all.
function how_much(fortran,    place, other, count, type, counts, last)
{
    counts = "NULL"
    amount(1, fortran)
    if (operation() ~ /^scatterv?$/) {
        last = nth("buf.out", 1)
        place = pointer(last, fortran)
        other = name !~ /v$/
        amount(other ? 2 : 1, fortran)
    } else if (operation() ~ /^(all)?gatherv?$/ || operation() ~ /^alltoall$/) {
        place = pointer(1, fortran)
        other = name !~ /v$/
    } else if (operation() ~ /^alltoallv$/) {
        last = nth("datatype", 1)
        counts = "WRAP" (fortran ? "F" : "") "_IN_PLACE(" \
            pointer(1, fortran) ") ? NULL : " \
            pointer(nth("counts", 1), fortran)
        the_type = handle(last, fortran)
    } else if (operation() ~ /^reduce_scatter$/) {
        counts = pointer(nth("counts", 1), fortran)
        the_type = handle(nth("datatype", 1), fortran)
    } else if (name ~ /^R?[gG]et_accumulate$/)
        amount(2, fortran)
    count = the_count
    type = the_type
    if (place) {
        place = "WRAP" (fortran ? "F" : "") "_IN_PLACE(" place ")"
        amount(operation() ~ /scatter/ ? 1 : 2, fortran)
        count = place " ? " (other ? the_count : "0") " : " count
        type = place " ? " (other ? the_type : "0") " : " type
    }
    return sprintf(".count = %s, .type = %s, .counts = %s", count, type, counts)
}

# What each member gives each other one, where that is its own affair; nothing
# where it is the same for all.
function parcels(fortran,    place, c1, c2, t1, t2, text, types)
{
    types = name == "Alltoallw" ? "types" : "type"
    if (name !~ /^(Gatherv|Scatterv|Allgatherv|Alltoall[vw]|Reduce_scatter)$/)
        return ""
    place = "WRAP" (fortran ? "F" : "") "_IN_PLACE(" pointer(1, fortran) ")"
    c1 = pointer(nth("counts", 1), fortran)
    if (name == "Alltoallw") {
        t1 = pointer(nth("datatype[]", 1), fortran)
        t2 = pointer(nth("datatype[]", 2), fortran)
    } else {
        t1 = handle(nth("datatype", 1), fortran)
        t2 = name == "Reduce_scatter" ? t1 : handle(nth("datatype", 2), fortran)
    }
    if (name == "Gatherv")
        text = ".gives.count = " value(nth("count", 1), fortran) ", .takes.counts = " c1
    else if (name == "Scatterv")
        text = ".gives.counts = " c1 ", .takes.count = " value(nth("count", 1), fortran)
    else if (name == "Reduce_scatter")
        text = ".gives.counts = " c1 ", .takes.count = ABOUT_OWN"
    else if (name == "Allgatherv")
        text = ".gives.count = " place " ? ABOUT_OWN : " \
            value(nth("count", 1), fortran) ", .takes.counts = " c1
    else {
        c2 = pointer(nth("counts", 2), fortran)
        text = ".gives.counts = " place " ? " c2 " : " c1 ", .takes.counts = " c2
    }
    if (name ~ /^All/)
        t1 = place " ? " t2 " : " t1
    return sprintf(",\n    .parcels = &(const struct about_parcels){ %s,\n" \
        "        .gives.%s = %s, .takes.%s = %s }", text, types, t1, types, t2)
}

function is_collective(    n, on_files)
{
    n = operation()
    sub(/^neighbor_/, "", n)
    if (n ~ /^(allgatherv?|allreduce|alltoall[vw]?|barrier|bcast|exscan)$/ ||
        n ~ /^(gatherv?|reduce|reduce_scatter(_block)?|scan|scatterv?)$/)
        return 1
    on_files = "^(open|close|set_(view|size|atomicity)|preallocate|sync" \
        "|.*_(all|ordered)(_begin|_end)?|.*_at_all)$"
    n = name
    if (sub(/^File_/, "", n))
        return n ~ on_files
    return name ~ /^Comm_(i?dup(_with_info)?|split|split_type|create)$/ ||
        name ~ /^Comm_(accept|connect|spawn|spawn_multiple)$/ ||
        name ~ /^Comm_(disconnect|free)$/ || name ~ /^Intercomm_/ ||
        name ~ /^(Cart|Graph|Dist_graph)_(create|create_adjacent|sub)$/ ||
        name ~ /^Win_(allocate|allocate_shared|create|create_dynamic)$/ ||
        name ~ /^Win_(fence|free)$/
}

# The traits, joined by |; object, made and requests become numbers of
# parameters.
function traits(    t)
{
    t = "0"
    object = 0
    if (name ~ /_c2f$/)         # takes MPI_COMM_NULL and the like too
        ;
    else if (object = nth("comm comm.inout", 1))
        t = "ABOUT_COMM"
    else if (object = nth("win win.inout", 1))
        t = "ABOUT_WIN"
    else if (object = nth("file file.inout", 1))
        t = "ABOUT_FILE"
    if (object && is_collective())
        t = t " | ABOUT_COLLECTIVE"
    if (name ~ /^(Comm|Win)_free$|^File_close$|^Comm_disconnect$/)
        t = t " | ABOUT_FREES"
    if (name == "Type_free")
        t = t " | ABOUT_FREES_TYPE"
    else if (name == "Type_commit")
        t = t " | ABOUT_COMMITS"

    made = 0
    if (name !~ /_f2c$/) {
        if (made = nth("comm.out", 1))
            t = t " | PAGE_KIND_COMM << ABOUT_MAKES_SHIFT"
        else if (made = nth("win.out", 1))
            t = t " | PAGE_KIND_WIN << ABOUT_MAKES_SHIFT"
        else if (made = nth("file.out", 1))
            t = t " | PAGE_KIND_FILE << ABOUT_MAKES_SHIFT"
    }
    if (name ~ /^Comm_i?dup/ || made && kind[made] != "comm.out")
        t = t " | ABOUT_SAME_GROUP"
    if (name == "Comm_create_group" || name == "Intercomm_create")
        t = t " | ABOUT_BY_GROUP"
    if (name ~ /^Comm_(accept|connect|spawn|spawn_multiple|get_parent|join)$/)
        t = t " | ABOUT_OUTSIDE"
    if (name == "Comm_get_parent")
        t = t " | ABOUT_AGAIN"

    requests = nth("request request[] request.inout request.inout[]", 1)
    if (name ~ /^I?[bsr]?send$|^[BSR]send$|^Send$|^(Send|Isend)recv(_replace)?$/)
        t = t " | ABOUT_SENDS"
    if (name ~ /^M?[rR]ecv$|^Sendrecv(_replace)?$/)
        t = t " | ABOUT_TAKES"
    if (name ~ /^(Mp|Imp)robe$/) {
        t = t " | ABOUT_MATCHES"
        made = nth("message.out", 1)
    } else if (name ~ /^(Mr|Imr)ecv$/) {
        t = t " | ABOUT_MATCHED"
        object = nth("message.inout", 1)
    }
    if (name == "Request_free")
        t = t " | ABOUT_FREES_REQUEST"
    else if (name == "Cancel")
        t = t " | ABOUT_CANCELS"
    else if (name ~ /^Start(all)?$/)
        t = t " | ABOUT_STARTS"
    else if (name ~ /^(Wait|Test)(all|any|some)?$|^Request_get_status/) {
        t = t " | ABOUT_WAITS"
        if (name !~ /^Request_get_status/)
            t = t " | ABOUT_ENDS"
    } else if (name == "Imrecv" || nth("request.out", 1)) {
        requests = nth("request.out request.inout", 1)
        t = t " | ABOUT_MAKES_REQUEST"
        if (name ~ /_init$/)
            t = t " | ABOUT_PERSISTENT"
    } else
        requests = 0
    return t
}

# What a wait or test says about which of its requests are finished.
function finished(fortran,    i, j, text)
{
    if (i = nth("flag.out", 1))
        text = ", .flag = " pointer(i, fortran)
    if (i = nth("index.out index.out[]", 1))
        text = text ", .index = " pointer(i, fortran)
    if (j = nth("count.out", 1))
        text = text ",\n    .nindex = " pointer(j, fortran)
    return text
}

# Of the message or messages that it takes: where the program wants no status, the
# wrapper passes one of its own on, in place of this argument.
function status(fortran,    i)
{
    i = first("status.out status.out[]")
    return sprintf(",\n    .status = %s_STATUS%s(%s)", fortran ? "WRAPF" : "WRAP", \
        kind[i] ~ /\[\]/ ? "ES" : "", \
        pointer(i, fortran) (kind[i] ~ /\[\]/ ? ", " value(first("count"), fortran) : ""))
}

# The initializers for the function that was just parsed.
function about(fortran,    t, peer, source, tag, text, n)
{
    t = traits()
    peer = first("dest source target root")
    source = first("dest") ? first("source") : 0
    tag = first("tag")
    if (name == "Intercomm_create") {
        peer = 2
        source = 4
    }
    text = sprintf(".peer = %s, .source = %s, .tag = %s", \
        peer ? value(peer, fortran) : "0", \
        source ? value(source, fortran) : "0", \
        tag ? value(tag, fortran) : "0")
    if (first("dest") && first("source"))
        text = text ", .source_tag = " value(nth("tag", 2), fortran)
    if (t ~ /TAKES|MATCHES|WAITS/)
        text = text status(fortran)
    if (name == "Pcontrol") {
        t = t " | ABOUT_LEVEL"
        sub(/\.tag = 0/, ".tag = " value(1, fortran), text)
    }
    t = t (enlarged ? " | ABOUT_LARGE" : "") (peer ? " | ABOUT_PEER" : "") \
        (source && t !~ /BY_GROUP/ ? " | ABOUT_SOURCE" : "") \
        (tag ? " | ABOUT_TAG" : "") (fortran ? " | ABOUT_FORTRAN" : "")
    if (object)
        text = text ", .object = " \
            (kind[object] ~ /inout/ ? handle_at(object, fortran) \
                                    : handle(object, fortran))
    if (made)
        text = text ",\n    .made = " pointer(made, fortran)
    if (requests) {
        text = text ",\n    .requests = " \
            (kind[requests] == "request" && !fortran ? "&" : "") \
            pointer(requests, fortran) ", .nrequests = " \
            (kind[requests] ~ /\[\]/ ? value(first("count"), fortran) : "1")
        if (t ~ /ABOUT_WAITS/)
            text = text finished(fortran)
    }
    if (t ~ /MATCHES/)
        text = text finished(fortran)
    if (t ~ /BY_GROUP/)
        text = text ",\n    .type = " \
            handle(nth("group", 1) ? nth("group", 1) : nth("comm", 2), fortran)
    else if (object && t !~ /MAKES_SHIFT|MATCHED/)
        text = text ",\n    " how_much(fortran) parcels(fortran)
    else if (name ~ /^Type_(free|commit)$/)
        text = text ", .type = " handle_at(1, fortran)
    else if (n = first("count"))
        text = text ", .count = " value(n, fortran)
    return ".traits = " t ",\n    " text
}
