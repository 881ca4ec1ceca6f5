/**
 * Connections that Cloud SQL allows by default, by memory in MB, and the smallest tier of each number:
 * https://cloud.google.com/sql/docs/postgres/quotas#cloud-sql-for-postgresql-connection-limits
 */
export const defaultConnections = [
  { belowMb: 1_700, connections: 25, tier: 'db-f1-micro' },
  { belowMb: 3_840, connections: 50, tier: 'db-g1-small' },
  { belowMb: 6_144, connections: 100, tier: 'db-custom-1-3840' },
  { belowMb: 7_680, connections: 200, tier: 'db-custom-2-6144' },
  { belowMb: 15_360, connections: 400, tier: 'db-custom-2-7680' },
  { belowMb: 30_720, connections: 500, tier: 'db-custom-4-15360' },
  { belowMb: 61_440, connections: 600, tier: 'db-custom-8-30720' },
  { belowMb: 122_880, connections: 800, tier: 'db-custom-16-61440' },
  { belowMb: Number.POSITIVE_INFINITY, connections: 1000, tier: 'db-custom-32-122880' },
];

export const tierPattern = /^db-(?:f1-micro|g1-small|custom-\d+-(\d+)|perf-optimized-N-(\d+))$/;
export const tierRemedy = 'Use db-f1-micro, db-g1-small, db-custom-CPUS-MB or db-perf-optimized-N-CPUS.';

/** Returns the memory of a tier in MB. */
export function memoryOf(tier: string): number {
  const [, mb, cpus] = tierPattern.exec(tier) ?? [];
  if (mb) return Number(mb);
  if (cpus) return Number(cpus) * 8 * 1024;
  return tier === 'db-f1-micro' ? 614 : 1_740;
}

/** Returns the edition of a tier. The default edition of Cloud SQL has no small tiers. */
export function editionOf(tier: string): 'ENTERPRISE' | 'ENTERPRISE_PLUS' {
  return tier.startsWith('db-perf-optimized-') ? 'ENTERPRISE_PLUS' : 'ENTERPRISE';
}

/** Returns the default `max_connections` of a tier. */
export function connectionsOf(tier: string): number {
  return defaultConnections.find(({ belowMb }) => memoryOf(tier) < belowMb)?.connections ?? 0;
}
