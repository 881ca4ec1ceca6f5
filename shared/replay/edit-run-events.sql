-- Replaces events of a run by edits with these bodies.
select dlq_edit_run_events(:runId::bigint, :after::int, :upTo::int, :ids::bigint[], :bodies::bytea[]);
