/** `12480` as `12,480`. */
export function formatNumber(value: number): string {
  // Intl would load what it knows of the language first, which takes a cold start as long as all pages together.
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A count with its noun, in the plural unless it is one: `1 event`, `12,480 events`. */
export function countOf(value: number, noun: string, plural = `${noun}s`): string {
  return `${formatNumber(value)} ${value === 1 ? noun : plural}`;
}

/** A size in bytes: `812 B`, `1.4 kB`, `2.0 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
