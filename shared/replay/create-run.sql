-- Creates a run with its frozen selection: the replayable events that the filter matches now, without those
-- of :unrouted lanes; or the edit of the one that it matches, in its place. One statement, so that no run
-- exists without its events and its audit entry, and no edit without its run. Returns no row if a run with
-- this idempotency key exists, or if others match than at its preview. Fails for want of an event_id if a
-- worker has leased the event to edit, or another edit has replaced it, at this moment.
with selected as materialized (
  select id, failure_count, status, coalesce(edited_from, id) as captured_id
  from dlq_events as event
  where ({filter}) and lane <> all (:unrouted::bigint[])
    and {exclusion} is null
),
run as (
  insert into dlq_runs (trigger, ended_at, stopped, requested_by, reason, request, request_hash, patch,
    idempotency_key, excluded, rollout, selected)
  select 'replay', case count(*) when 0 then now() end, case count(*) when 0 then 'nothing to replay' end,
    :actor::text, :reason::text, :request::jsonb, :requestHash::text, :patch::json, :idempotencyKey::text,
    :excluded::jsonb, :rollout::jsonb, count(*)
  from selected
  having coalesce(:selection::text, '') in ('', count(*) || '-' || coalesce(sum(hashint8extended(id, 0)), 0))
  on conflict (idempotency_key) where idempotency_key is not null do nothing
  returning id, selected
),
entry as (
  insert into dlq_audit (actor, action, reason, details)
  select :actor, 'edit', :reason,
    jsonb_build_object('filter', jsonb_build_object('ids', array[selected.id::text]))
  from run cross join selected
  where num_nonnulls(:body::bytea, :headers::jsonb) > 0
  returning id
),
edited as (
  select edit.*
  from entry cross join selected
  left join lateral dlq_edit_events(entry.id, array[selected.id], array[:body], array[:headers]) as edit
    on true
),
selection as (
  insert into dlq_run_events (run_id, event_id, position, failure_count, status)
  select run.id, selected.id, row_number() over (order by captured_id, selected.id), failure_count, status
  from run cross join selected
  where num_nonnulls(:body, :headers) = 0
  union all
  select run.id, edit_id, 1, failure_count, status from run cross join edited
),
audited as (
  insert into dlq_audit (actor, action, reason, run_id, details)
  select :actor, 'create run', :reason, id,
    jsonb_strip_nulls(jsonb_build_object('selected', selected, 'edited', (:patch::json is not null) or null))
  from run
)
select id from run;
