# older.sh - databases as former versions of Hector have left them: what came after a
# schema is dropped again. What is new has one line here.

older()         # SCHEMA: 7 or 13; the file $HECTOR_DB becomes one of that
{
    older_new='DROP TABLE run; DROP VIEW tasks; DROP VIEW jobs; DROP VIEW nodes;
        DROP VIEW progress; DROP TABLE progress_node;
        DROP VIEW slices; DROP TABLE slice; DROP VIEW outliers; DROP TABLE outlier;
        DROP VIEW steps; DROP TABLE step; DROP VIEW remarks; DROP TABLE remark;
        DROP TABLE learnt;
        DROP VIEW deadlines; DROP TABLE deadline; DROP TABLE instance;
        DROP VIEW ladder; DROP TABLE rung; DROP TABLE climb;
        DROP VIEW plans; DROP TABLE plan; DROP TABLE system;'
    older_columns='job.batch job.limit_ns job.restarts job.reason
        job.from_job job.from_checkpoint
        job.saved_node_hours job.saved_core_hours job.saved_percent
        master.seen_ns task.waited_ns task.class task.nice task.applied
        node.drain_by node.owner node.owner_why node.owner_since_ns resume.owner_ranks'
    if [ "$1" -lt 13 ]; then
        older_new="$older_new DROP VIEW returns; DROP VIEW checkpoints;
            DROP TABLE checkpoint; DROP VIEW stays; DROP TABLE stay; DROP TABLE model;
            DROP VIEW moves; DROP TABLE move; DROP TABLE posting;"
        older_columns="$older_columns node.draining node.drain_why node.drain_to
            node.drain_master resume.stores resume.resumes"
    fi
    { echo '.bail on'
        echo "$older_new"
        for older_c in $older_columns; do
            echo "ALTER TABLE ${older_c%.*} DROP COLUMN ${older_c#*.};"
        done
        echo "PRAGMA user_version = $1;"; } | sqlite3 "$HECTOR_DB"
}
