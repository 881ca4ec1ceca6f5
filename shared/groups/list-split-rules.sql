-- Each rule by which an operator split a group, with the fingerprints whose events it applies to.
select
  part.fingerprint, part.split_field as field, part.split_value as value,
  array_remove(origin.members, part.fingerprint) as members
from dlq_error_groups as part
join dlq_groups_merged as origin on part.split_from = any (origin.members)
where part.split_field is not null;
