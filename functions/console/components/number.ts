/** `12480` as `12,480`. */
export function formatNumber(value: number): string {
  // Intl first loads its locale data, which delays a cold start as much as loading all pages.
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count with its noun, in the plural unless it is 1: `1 event`, `12,480 events`. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

/** A size in bytes: `812 B`, `1.4 kB`, `2.0 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
