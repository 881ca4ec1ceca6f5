import { atLeast, formatNumber } from '../../../shared/count-of.ts';
import { type Html, html } from '../html.ts';

/** `12,480`, or `more than 10,000`. */
export function formatLeast(value: number, isExact: boolean): string {
  return atLeast(formatNumber(value), isExact || value === 0);
}

/** A size in bytes: `812 B`, `1.4 kB`, `2.0 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A point in time relative to now: `3 min ago` or `in 2 h`. The script keeps it current. */
export function ago(at: Date): Html {
  return html`<time datetime="${at.toISOString()}" title="${formatUtc(at)}" data-ago>${formatAgo(at)}</time>`;
}

/** A point in time in full: in UTC, or in the browser's time zone once the script has run. */
export function moment(at: Date): Html {
  return html`<time datetime="${at.toISOString()}" title="${formatUtc(at)}">${formatUtc(at)}</time>`;
}

/** `2026-10-02 13:51:59 UTC` */
export function formatUtc(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `3 min ago` */
export function formatAgo(at: Date): string {
  const seconds = Math.round((Date.now() - at.getTime()) / 1000);
  if (Math.abs(seconds) < 1) return 'now';
  const [unit, size] = units.find((each) => Math.abs(seconds) >= each[1]) ?? units[3];
  const distance = `${Math.floor(Math.abs(seconds) / size)} ${unit}`;
  return seconds > 0 ? `${distance} ago` : `in ${distance}`;
}

/** A duration in its two largest units: `820 ms`, `4.2 s`, `3 min 20 s`, `2 d 4 h`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${Number((milliseconds / 1000).toFixed(1))} s`;
  let rest = Math.round(milliseconds / 1000);
  const amounts: string[] = [];
  for (const [unit, size] of units) {
    const amount = Math.floor(rest / size);
    if (amount > 0) amounts.push(`${amount} ${unit}`);
    rest -= amount * size;
  }
  return amounts.slice(0, 2).join(' ');
}
