-- Makes a run with its frozen selection: what the filter matches now, in lanes that have a route, and may be replayed.
-- What fails later never joins. All in one statement, so that there is no run without its events, its hash or its
-- entry in the audit. Nothing comes back where the idempotency key has a run already.
with chosen as materialized (
  select event.id, event.failure_count, event.status
  from dlq_events as event
  where (:filter)
    and event.lane = any (:lanes::bigint[])
    and dlq_obstacle(event.status, event.lease_expires_at, :includeSucceeded, :includeDiscarded) is null
),
counted as (
  select
    count(*)::int as events,
    encode(sha256(convert_to(coalesce(string_agg(id::text, ',' order by id), ''), 'UTF8')), 'hex') as hash
  from chosen
),
run as (
  insert into dlq_runs (
    trigger, ended_at, stopped, requested_by, reason, request, request_hash, idempotency_key, patch, origins, left_out,
    selected, selection_hash, pace, watch_seconds
  )
  select
    'replay', case events when 0 then now() end, case events when 0 then 'nothing to replay' end, :actor::text, :reason::text,
    :request::jsonb, :requestHash::text, :idempotencyKey::text, :patch::json, :origins::jsonb, :leftOut::jsonb,
    events, hash, :pace::jsonb, :watchSeconds::int
  from counted
  on conflict (idempotency_key) where idempotency_key is not null do nothing
  returning id, selected
),
selection as (
  insert into dlq_run_events (run_id, event_id, place, failure_count, status)
  select run.id, chosen.id, row_number() over (order by chosen.id), chosen.failure_count, chosen.status
  from run
  cross join chosen
),
edit as (
  insert into dlq_run_edits (run_id, event_id, body, headers)
  select run.id, chosen.id, :editedBody::bytea, :editedHeaders::jsonb
  from run
  cross join chosen
  where num_nonnulls(:editedBody::bytea, :editedHeaders::jsonb) > 0
),
audited as (
  insert into dlq_audit (actor, act, reason, run_id, details)
  select :actor::text, 'create run', :reason::text, id, jsonb_build_object('selected', selected) from run
)
select id from run;
