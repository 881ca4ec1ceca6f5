/** A count with its noun, in the plural unless it is 1: `1 event`, `12,480 events`, `2 deliveries`. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

/** `12480` as `12,480`. */
export function formatNumber(value: number): string {
  // Intl first loads its locale data, which delays a cold start as much as loading all pages.
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** The words of a number that may be larger: `more than 10,000 events`. */
export function atLeast(words: string, isExact: boolean): string {
  return isExact ? words : `more than ${words}`;
}

/** The number of events in all of these. */
export function sumEvents(parts: readonly { readonly events: number }[]): number {
  return parts.reduce((sum, { events }) => sum + events, 0);
}

/** Counts the events of parts by a property: the number of its values, and those of the most events. */
export function countBy<Part extends { readonly events: number }>(
  parts: readonly Part[],
  of: (part: Part) => string,
) {
  const groups = [...Map.groupBy(parts, of)].map(([value, alike]) => ({ value, events: sumEvents(alike) }));
  groups.sort((a, b) => b.events - a.events || (a.value < b.value ? -1 : 1));
  return { count: groups.length, largest: groups.slice(0, maxLargest) };
}

const maxLargest = 20;
