-- Returns whether any event of some lanes was due at :dueAt, including events with an expired lease.
select exists (
  select
  from dlq_events
  where is_open and lane = any (:lanes::bigint[]) and retry_after <= :dueAt
    and (status <> 'PROCESSING' or lease_expires_at <= now())
) as has_due;
