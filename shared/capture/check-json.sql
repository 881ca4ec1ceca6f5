-- Fails with a data error if jsonb cannot hold one of the JSON texts: it limits numbers and depth.
select count(text::jsonb)
from json_array_elements_text(:texts) as text;
