-- Fails with a data error where one of the texts, which are JSON, is more than jsonb can hold: its numbers and its
-- depth have limits.
select count(text::jsonb)
from json_array_elements_text(:texts) as text;
