-- Reads the events that a filter matches once, for a preview: their numbers by lane, status and skip reason, as
-- estimate-selection.sql counts them, and, of those that a run would select from lanes other than :excludedLanes, the first :maxFirst
-- ids in order of capture and the :maxErrors largest error groups, each with its first event as an example, and the number of all.
with matching as materialized (
  select
    event.id, event.lane, event.status, event.fingerprint, event.created_at, event.edit_run_id,
    dlq_skip_reason(event.status, event.lease_expires_at, event.edit_run_id, :includeSucceeded, :includeDiscarded) as skip_reason
  from dlq_events as event
  where {filter}
),
parts as (
  select
    lane, status, skip_reason, count(*) as events, count(edit_run_id) as edited, min(created_at) as oldest,
    max(created_at) as newest, min(id) as first_id
  from matching
  group by lane, status, skip_reason
),
-- The events of a lane share all fields that routes match.
described_parts as (
  select
    parts.lane::text as "lane", event_type as "eventType", source_kind as "sourceKind", source_topic as "sourceTopic",
    consumer_group as "consumerGroup", parts.status as "status", skip_reason as "skipReason", events as "events", edited as "edited",
    oldest as "oldest", newest as "newest"
  from parts
  join dlq_events as event on event.id = first_id
  order by events desc, parts.lane, parts.status
),
first_selected as (
  select id from matching where skip_reason is null and lane <> all (:excludedLanes::bigint[]) order by id limit :maxFirst::int
),
own_errors as (
  select fingerprint, count(*) as events, min(id) as first_id
  from matching
  where skip_reason is null and lane <> all (:excludedLanes::bigint[])
  group by fingerprint
),
largest as (
  select
    coalesce(merged_into, own_errors.fingerprint) as fingerprint, sum(events)::int as events, min(first_id) as first_id,
    count(*) over () as groups
  from own_errors
  left join dlq_error_groups as error_group on error_group.fingerprint = own_errors.fingerprint and merged_into is not null
  group by coalesce(merged_into, own_errors.fingerprint)
  order by events desc, fingerprint
  limit :maxErrors::int
),
errors as (
  select
    largest.fingerprint as "value", events as "events", error_class as "errorClass", left(error_reason, 200) as "errorReason",
    groups as "groups"
  from largest
  join dlq_events as event on event.id = first_id
  order by events desc, largest.fingerprint
)
select
  (select coalesce(json_agg(described_parts), '[]') from described_parts) as lane_counts,
  (select coalesce(json_agg(errors), '[]') from errors) as errors,
  array(select id::text from first_selected order by first_selected.id) as first;
