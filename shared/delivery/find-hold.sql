select held_at, held_by, held_reason, nullif(held_until, 'infinity') as held_until
from dlq_breakers
where (:name::text is null or target = :name) and held_until > now();
