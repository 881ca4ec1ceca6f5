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
