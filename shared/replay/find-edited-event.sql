-- The event whose message an operator edited for a run; no row if none was.
select event_id::text as id from dlq_run_edits where run_id = :runId::bigint limit 1;
