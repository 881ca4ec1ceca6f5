import { type Fact, type Format, facts as known } from '../../shared/message/formats/format.ts';

/** Facts of records, by the word that docs have for them. */
const words: readonly (readonly [word: string, facts: readonly Fact[]])[] = [
  ['id', ['id']],
  ['type', ['type', 'topicType']],
  ['reason', ['reason']],
  ['class', ['class']],
  ['stack', ['stack']],
  ['position', ['topic', 'partition', 'offset', 'subscription']],
  ['key', ['key']],
  ['consumer', ['consumer', 'scope']],
  ['attempts', ['attempts']],
  ['time', ['time', 'published']],
  ['trace', ['trace']],
];

/** The table of formats in docs/capture.md: a row for each name, with what its records read. */
export function printFormatTable(formats: readonly Format[]): string {
  const names = [...new Set(formats.map(({ name }) => name))];
  const rows = names.map((name) => printRow(formats.filter((format) => format.name === name)));
  return ['| format | from | reads | |', '|---|---|---|---|', ...rows].join('\n');
}

function printRow(records: readonly Format[]): string {
  const [first] = records;
  const facts = new Set(records.flatMap(listFacts));
  const read = words.flatMap(([word, any]) => (any.some((fact) => facts.has(fact)) ? [word] : []));
  const from = [...new Set(records.flatMap(({ seen }) => seen ?? []))].join('; ') || 'source';
  const notes = [
    ...records.flatMap(({ note }) => note ?? []),
    ...records.flatMap(({ code }) => (code ? [`A function: ${code}.`] : [])),
  ];
  const note = [...new Set(notes)].join(' ');
  return `| [\`${first?.name}\`](${first?.source}) | ${from} | ${read.join(', ') || '-'} | ${note} |`;
}

function listFacts({ position, isOfRecord, error, ...places }: Format): Fact[] {
  const errors = (['class', 'reason', 'stack'] as const).filter((_, i) => (error?.[i] ?? null) !== null);
  const own = known.filter((fact) => (places[fact] ?? null) !== null);
  const ofRecord = isOfRecord ? (['topic', 'time'] as const) : [];
  return [...(position ? (['topic'] as const) : []), ...ofRecord, ...errors, ...own];
}
