import { type Fact, type Format, facts as known, type Places } from '../../shared/message/formats/format.ts';
import { code } from './renewed-file.ts';

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

/** The rows of formats in docs/capture.md: one for each name, with what its records read. */
export function listFormats(formats: readonly Format[]): string[][] {
  const names = [...new Set(formats.map(({ name }) => name))];
  return names.map((name) => describeRecords(formats.filter((format) => format.name === name)));
}

/** The rows of presets there: what identifies a request, and where its id, type and key are. */
export function listPresets(formats: readonly Format[]): string[][] {
  return formats.map(({ name, when = {}, id, type, key }) => {
    const headers = Object.keys(when).filter((place) => place.startsWith('header:'));
    const members = Object.keys(when).length > 0 ? 'its members' : '-';
    return [code(name), printPlaces(headers) || members, ...[id, type, key].map(printPlaces)];
  });
}

function printPlaces(places: Places | undefined): string {
  const read = [places ?? []].flat();
  return read.map((place) => code(place.replace(/^header:/, '').replaceAll(' | ', '` or `'))).join(', ');
}

function describeRecords(records: readonly Format[]): string[] {
  const [first] = records;
  const facts = new Set(records.flatMap(listFacts));
  const read = words.flatMap(([word, any]) => (any.some((fact) => facts.has(fact)) ? [word] : []));
  const from = [...new Set(records.flatMap(({ seen }) => seen ?? []))].join('; ') || 'source';
  const notes = [
    ...records.flatMap(({ note }) => note ?? []),
    ...records.flatMap(({ code }) => (code ? [`A function: ${code}.`] : [])),
  ];
  const note = [...new Set(notes)].join(' ');
  return [`[\`${first?.name}\`](${first?.source})`, from, read.join(', ') || '-', note];
}

function listFacts({ position, isOfRecord, error, ...places }: Format): Fact[] {
  const errors = (['class', 'reason', 'stack'] as const).filter((_, i) => (error?.[i] ?? null) !== null);
  const own = known.filter((fact) => (places[fact] ?? null) !== null);
  const ofRecord = isOfRecord ? (['topic', 'time'] as const) : [];
  return [...(position ? (['topic'] as const) : []), ...ofRecord, ...errors, ...own];
}
