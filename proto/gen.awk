# gen.awk - what is made of messages.def: with -v make=inc the lists of messages
# for message.h, with -v make=page hector-proto(7) with its table of messages.
#
#   awk -f gen.awk -v make=inc messages.def
#   awk -f gen.awk -v make=page messages.def hector-proto.7
#
# The lists: MESSAGE_TYPES of X(number, NAME, name); and of X(NAME, name, roles of
# the senders) MESSAGES_TO_MASTER, and for each other kind of link
# MESSAGES_FROM_TO_TO.

function fail(why)
{
    print FILENAME ":" FNR ": " why >"/dev/stderr"
    bad = 1
    exit 1
}

function trim(s)
{
    gsub(/^ +| +$/, "", s)
    return s
}

# ReduceAt: reduce_at
function symbol(s,    out, i, c)
{
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        out = out (c ~ /[A-Z]/ && i > 1 ? "_" : "") tolower(c)
    }
    return out
}

function role(who)
{
    if (who ~ /^(above|below|source|target)$/)
        who = "slave"
    if (who !~ /^(master|slave|redirector|operator)$/)
        fail("there is no " who)
    return "CONN_ROLE(HCT__ROLE__ROLE_" toupper(who) ")"
}

function add(list, roles)
{
    if (!(list in text))
        order[++lists] = list
    text[list] = text[list] " \\\n    X(" toupper(symbol(name)) ", " \
        symbol(name) ", " roles ")"
}

function add_way(way,    half, from, n, i, who, all)
{
    if (split(way, half, " *> *") != 2)
        fail("not FROM > TO: " way)
    n = split(half[1], from, " ")
    for (i = 1; i <= n; i++) {
        who = from[i] ~ /^(above|below|source|target)$/ ? "slave" : from[i]
        who = who ~ /^(connecting|listening)$/ ? who " side" : who
        if (!((number, who) in sender)) {
            sender[number, who]
            senders[number] = senders[number] \
                (senders[number] == "" ? "" : ", ") who
        }
        if (half[2] ~ /^(connecting|listening|both)$/)
            continue
        all = all (i > 1 ? " | " : "") role(from[i])
        if (half[2] != "master")
            add("MESSAGES_" toupper(from[i]) "_TO_" toupper(half[2]),
                role(from[i]))
    }
    if (half[2] == "master")
        add("MESSAGES_TO_MASTER", all)
}

FILENAME ~ /\.7$/ {
    if (/^\.\\" a line for each message/)
        for (i = 1; i <= count; i++)
            print page[i]
    else
        print
    next
}

/^#/ || NF == 0 { next }

{
    if (split($0, part, "|") != 2 || $1 !~ /^[0-9]+$/)
        fail("not NUMBER NAME FROM > TO | WHEN")
    number = $1
    name = $2
    if (number in named)
        fail("two messages have the number " number)
    named[number]
    types = types " \\\n    X(" number ", " toupper(symbol(name)) ", " \
        symbol(name) ")"
    sub(/^ *[0-9]+ +[A-Za-z]+ +/, "", part[1])
    n = split(part[1], ways, ";")
    for (w = 1; w <= n; w++)
        add_way(trim(ways[w]))
    page[++count] = ".It " number " Ta " name " Ta " senders[number] " Ta " \
        trim(part[2])
}

END {
    if (bad || make != "inc")
        exit bad
    print "/* messages.inc - made of messages.def by gen.awk. */"
    print "#define MESSAGE_TYPES(X)" types "\n"
    for (i = 1; i <= lists; i++)
        print "#define " order[i] "(X)" text[order[i]] "\n"
}
