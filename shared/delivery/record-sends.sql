-- Records that the deliveries of these events begin, each under its lease.
insert into dlq_sends (lease_token, event_ids)
select lease_token, array_agg(id)
from json_to_recordset(:sends) as send (id bigint, lease_token uuid)
group by lease_token;
