/** SQL that is true of a value that dlq_events rejects, and the value that it gets. */
type Rule = { readonly isUnfit: (value: string) => string; readonly instead: (value: string) => string };

const below = (least: number, instead: string): Rule => ({
  isUnfit: (value) => `${value} < ${least}`,
  instead: () => instead,
});

/** An index entry has at most some 2,700 bytes. */
const indexed: Rule = {
  isUnfit: (value) => `octet_length(${value}) > 1000`,
  instead: (value) => `left(${value}, 200) || '~' || md5(${value})`,
};

const rules: Readonly<Record<string, Rule>> = {
  retry_count: below(0, '0'),
  failure_count: below(1, '1'),
  max_retries: below(0, 'null'),
  source_attempts: below(0, 'null'),
  priority: { isUnfit: (value) => `${value} not between -32768 and 32767`, instead: () => '0' },
  headers: { isUnfit: (value) => `jsonb_typeof(${value}) <> 'object'`, instead: () => `'{}'` },
  failure_kind: {
    isUnfit: (value) => `${value} not in ('transient', 'permanent', 'ambiguous')`,
    instead: (value) => `substring(lower(${value}) from '^(transient|permanent|ambiguous)$')`,
  },
  event_type: indexed,
  event_id: indexed,
  source_key: indexed,
  trace_id: indexed,
};

/** The columns of dlq_events that reject some values. */
export const strictFacts = Object.keys(rules);

/** SQL that is true if dlq_events rejects the value of a column. */
export function isUnfit(fact: string, value: string): string {
  return rules[fact]?.isUnfit(value) ?? 'false';
}

/** SQL for the value that dlq_events stores. */
export function fit(fact: string, value: string): string {
  const rule = rules[fact];
  return rule ? `case when ${rule.isUnfit(value)} then ${rule.instead(value)} else ${value} end` : value;
}

/** SQL for a JSON object of the values that dlq_events rejects, by column; `values` has the SQL of each. */
export function listUnfit(values: Readonly<Record<string, string>>): string {
  const members = Object.entries(values).map(
    ([fact, value]) => `'${fact}', case when ${isUnfit(fact, value)} then ${value} end`,
  );
  return members.length > 0 ? `jsonb_strip_nulls(jsonb_build_object(${members.join(', ')}))` : `'{}'::jsonb`;
}
