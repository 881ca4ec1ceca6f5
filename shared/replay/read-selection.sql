-- Counts the events that a filter matches, once, for a preview: by lane, status and skip reason, as estimate-selection.sql does,
-- and, of those that a run would select from lanes other than :excludedLanes, the :maxErrors largest error groups, each with its
-- first event as an example, and the number of all.
with counted as (
  -- Events with one status are skipped for the same reason if they are alike in these two facts, which cost less than the reason.
  select
    fingerprint, lane, status, lease_expires_at > now() as is_leased, edit_run_id is not null as is_edited,
    count(*)::int as events, min(created_at) as oldest, max(created_at) as newest, min(id) as first_id,
    max(lease_expires_at) as lease_expires_at, max(edit_run_id) as edit_run_id
  from dlq_events as event
  where {filter}
  group by fingerprint, lane, status, is_leased, is_edited
),
explained as (
  select
    counted.*, dlq_skip_reason(status, lease_expires_at, edit_run_id, :includeSucceeded, :includeDiscarded) as skip_reason
  from counted
),
parts as (
  select
    lane, status, skip_reason, sum(events) as events, coalesce(sum(events) filter (where is_edited), 0) as edited,
    min(oldest) as oldest, max(newest) as newest, min(first_id) as first_id
  from explained
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
largest as (
  select
    coalesce(merged_into, explained.fingerprint) as fingerprint, sum(events)::int as events, min(first_id) as first_id,
    count(*) over () as groups
  from explained
  left join dlq_error_groups as error_group on error_group.fingerprint = explained.fingerprint and merged_into is not null
  where skip_reason is null and lane <> all (:excludedLanes::bigint[])
  group by coalesce(merged_into, explained.fingerprint)
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
  (select coalesce(json_agg(errors), '[]') from errors) as errors;
