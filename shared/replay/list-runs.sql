-- Lists a page of replays older than :before, newest first.
select
  id, started_at, ended_at, stopped, requested_by, reason, request, rollout, patch is not null as edited,
  selected, delivered, failed, skipped, waiting, in_flight, paused_because
from dlq_runs
where trigger = 'replay' and id < :before::bigint
order by id desc
limit :limit::int;
