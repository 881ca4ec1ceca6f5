-- Skips waiting events of a run that cannot go any more, with the reason of each.
update dlq_run_events as run_event
set outcome = 'skipped', reason = skipped.reason, detail = skipped.detail, settled_at = now()
from records(:skipped) as skipped (id bigint, reason text, detail text)
where run_event.run_id = :runId and run_event.event_id = skipped.id
  and not is_leased and run_event.outcome = 'waiting'
  and run_event.event_id = any (:skipped.id::bigint[]);
