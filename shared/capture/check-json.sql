-- Lists the places, from 1, of the JSON texts that jsonb cannot hold: it limits numbers.
select place
from json_array_elements_text(:texts) with ordinality as each (text, place)
where not pg_input_is_valid(text, 'jsonb');
