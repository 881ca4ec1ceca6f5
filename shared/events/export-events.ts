import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { EventSummarySchema } from './event-columns.ts';
import type { Filter } from './filter/filter-schema.ts';
import { firstPosition, type Position } from './filter/page-position.ts';
import { rejectCostly } from './filter/run-within-cost.ts';
import { type ListedEvent, listEvents, showEvents } from './list-events.ts';
import type { MaskRules } from './masking/mask-rules.ts';
import { maskOf, maskShownEvent } from './masking/mask-shown-event.ts';
import { behind, readPart } from './read-part.ts';

/** The formats of an export, with their media types. */
export const exportTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' } as const;
export type ExportFormat = keyof typeof exportTypes;

export const ExportFormatSchema = v.picklist(['ndjson', 'csv'], 'Use ndjson or csv.');

/** The events to export: a filter whose times are absolute, from the events or the archive. */
export type Export = {
  readonly filter: Filter;
  readonly isArchived: boolean;
  readonly format: ExportFormat;
};

/** Events that are compared at once: few at first, so that the first lines come soon. */
const sizes = { first: 100, max: 100_000 };
/** Of these, events that are read at once. */
const maxRows = 2000;
const maxBytes = 1_048_576;
/** Bytes of full events that are in memory at once, or a single event. */
const maxTotal = 2 * maxBytes;

type ExportDeps = MaskRules & { readonly db: Database; readonly costLimit: number };

/**
 * The events that a filter matches as lines of text, the newest first: NDJSON has each event as the API shows
 * it, with its masks; CSV has the fields of the list. Reads part by part and holds no connection between
 * them. Throws TooCostlyError before the first.
 */
export async function* exportEvents(
  deps: ExportDeps,
  { filter, isArchived, format }: Export,
): AsyncGenerator<string> {
  const { db, costLimit } = deps;
  const params = { ...firstPosition, isArchived, max: maxRows };
  await rejectCostly(db, listEvents, { filter, params, costLimit });
  if (format === 'csv') yield toCsvLine(columns);
  let position: Position | undefined = firstPosition;
  for (let size = sizes.first; position; ) {
    const { rows, end } = await readPart(db, { filter, isArchived, position }, { size, max: maxRows });
    if (format === 'ndjson') yield* showAll(deps, rows);
    else if (rows.length > 0)
      yield rows.map((event) => toCsvLine(columns.map((name) => event[name]))).join('');
    const last = rows.length < maxRows ? end : rows.at(-1);
    position = last && behind(last);
    size = last === end ? Math.min(size * 20, sizes.max) : maxRows;
  }
}

/** Shows events as the API does, with their masks: lines of JSON, of as many events as fit into memory. */
export async function* showAll(deps: ExportDeps, rows: readonly ListedEvent[]): AsyncGenerator<string> {
  for (let ids = rows.map(({ id }) => id); ids.length > 0; ) {
    const shown = await showEvents(deps.db, { ids, maxBytes, maxTotal });
    // An event that was deleted between the two statements is omitted.
    const lines = shown.flatMap(({ json }) =>
      json === null ? [] : [`${maskShownEvent(json, maskOf(json, deps))}\n`],
    );
    if (lines.length > 0) yield lines.join('');
    ids = ids.slice(shown.length);
  }
}

const columns = Object.keys(EventSummarySchema.entries) as (keyof typeof EventSummarySchema.entries)[];

/** One line as in RFC 4180. */
function toCsvLine(values: readonly (string | number | Date | null)[]): string {
  return `${values.map(toCell).join(',')}\r\n`;
}

/**
 * Spreadsheets run a text as a formula if it begins with one of these: an apostrophe before it keeps it text
 * (OWASP).
 */
function toCell(value: string | number | Date | null): string {
  if (typeof value === 'number') return String(value);
  const text = value instanceof Date ? value.toISOString() : (value ?? '');
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
