-- Creates a run with its frozen selection: the replayable events in lanes with a route that the filter
-- matches now. One statement: no run exists without its events, hash and audit entry. No row if a run with
-- this key exists, or others match than at its preview. An edited run takes its open events out of the
-- schedule: locked, so that none is leased at the same moment.
with matching as materialized (
  select id, failure_count, status, :isEdited::boolean and status in ('PENDING', 'PROCESSING') as is_taken
  from dlq_events as event
  where ({filter}) and lane = any (:lanes::bigint[]) and dlq_skip_reason(status, lease_expires_at > now(),
    edit_run_id is not null, :includeSucceeded, :includeDiscarded) is null
),
taken as materialized (
  select id, failure_count, retry_after
  from dlq_events
  where id = any (array(select id from matching where is_taken))
    and dlq_skip_reason(status, lease_expires_at > now(), edit_run_id is not null, false, false) is null
  order by id
  for no key update skip locked
),
selected as materialized (
  select id, coalesce(taken.failure_count, matching.failure_count) as failure_count, status, retry_after
  from matching
  left join taken using (id)
  where not is_taken or taken.id is not null
),
run as (
  insert into dlq_runs (trigger, ended_at, stopped, requested_by, reason, request, request_hash, patch,
    idempotency_key, is_edited, excluded, rollout, selected, selection_hash)
  select 'replay', case count(*) when 0 then now() end, case count(*) when 0 then 'nothing to replay' end,
    :actor::text, :reason::text, :request::jsonb, :requestHash::text, :patch::json, :idempotencyKey::text,
    :isEdited, :excluded::jsonb, :rollout::jsonb, count(*),
    encode(sha256(convert_to(coalesce(string_agg(id::text, ',' order by id), ''), 'UTF8')), 'hex')
  from selected
  having coalesce(:selection::text, '') in ('', count(*) || '-' || coalesce(sum(hashint8extended(id, 0)), 0))
  on conflict (idempotency_key) where idempotency_key is not null do nothing
  returning id, selected
),
selection as (
  insert into dlq_run_events (run_id, event_id, position, failure_count, status, scheduled_for)
  select run.id, selected.id, row_number() over (order by selected.id), failure_count, status, retry_after
  from run cross join selected
),
held as (
  update dlq_events as event
  set status = 'PENDING', lease_token = null, lease_expires_at = null, retry_after = 'infinity',
      edit_run_id = run.id, updated_at = now()
  from run cross join selected
  where event.id = selected.id and selected.retry_after is not null
),
edit as (
  insert into dlq_run_edits (run_id, event_id, body, headers)
  select run.id, selected.id, :editedBody::bytea, :editedHeaders::jsonb
  from run cross join selected where num_nonnulls(:editedBody::bytea, :editedHeaders::jsonb) > 0
),
audited as (
  insert into dlq_audit (actor, action, reason, run_id, details)
  select :actor, 'create run', :reason, id,
    jsonb_strip_nulls(jsonb_build_object('selected', selected, 'edited', nullif(:isEdited, false)))
  from run
)
select id from run;
