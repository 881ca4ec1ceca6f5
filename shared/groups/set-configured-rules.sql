-- Makes the rules of the configuration those of later failures: adds and changes them, and ends those that it
-- has no longer, whose groups stay.
with rule as materialized (
  select 'rule:' || "group" as fingerprint, "group" as title, field, value
  from records(:rules) as rule ("group" text, field text, value text)
),
ended as (
  update dlq_error_groups as error_group
  set split_field = null, split_value = null, split_why = null
  where fingerprint like 'rule:%' and split_field is not null
    and fingerprint not in (select fingerprint from rule)
)
insert into dlq_error_groups as known (
  fingerprint, title, first_seen_at, last_seen_at, split_field, split_value, split_why
)
select fingerprint, title, now(), now(), field, value, 'configuration' from rule
on conflict (fingerprint) do update
set split_field = excluded.split_field, split_value = excluded.split_value, split_why = excluded.split_why
where (known.split_field, known.split_value) is distinct from (excluded.split_field, excluded.split_value);
