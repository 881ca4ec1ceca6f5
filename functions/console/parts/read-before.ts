import { largestId } from '../../../shared/largest-id.ts';

/** The id that a page begins behind, as its address says; on the first page that of none. */
export function readBefore(query: URLSearchParams): string {
  return /^\d{1,18}$/.exec(query.get('before') ?? '')?.[0] ?? largestId;
}
