-- Replays that have not ended: those that are paused first, the longest of them first, then the newest.
select
  id, started_at, ended_at, stopped, requested_by, reason, request, rollout, patch is not null as edited,
  selected, delivered, failed, skipped, waiting, in_flight, paused_because
from dlq_runs
where trigger = 'replay' and ended_at is null
order by paused_because is null, case when paused_because is not null then id end, id desc
limit :limit::int;
