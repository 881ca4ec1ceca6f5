/** How long a group can be muted, in hours. */
export const mutes = [
  ['1h', 'for 1 hour', 1],
  ['1d', 'for 1 day', 24],
  ['7d', 'for 7 days', 7 * 24],
] as const;

/** The end of a mute in ISO 8601; undefined for an unknown duration. */
export function endOfMute(requested: string | null, now: Date): string | undefined {
  const hours = mutes.find(([value]) => value === requested)?.[2];
  if (hours === undefined) return undefined;
  return new Date(now.getTime() + hours * 3_600_000).toISOString();
}
