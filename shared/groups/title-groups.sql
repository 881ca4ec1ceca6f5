-- Sets the titles of error groups without one. Skips those that another session has locked: the next call
-- sets them.
with given as (
  select * from records(:titles) as given (fingerprint text, title text, causes text, frame text)
),
free as materialized (
  select fingerprint
  from dlq_error_groups
  where fingerprint = any (array(select fingerprint from given)) and title is null
  order by fingerprint
  for no key update skip locked
)
update dlq_error_groups as error_group
set title = given.title, causes = given.causes::text[], frame = given.frame
from given
where error_group.fingerprint = given.fingerprint
  and error_group.fingerprint = any (array(select fingerprint from free));
