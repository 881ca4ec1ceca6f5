import type { EventView } from '../../../shared/events/read-event.ts';

/**
 * How its consumers decided to retry an event, in words. Metadata may have any values: applications write
 * their own.
 */
export function describeDecision({ decided }: EventView): string | null {
  if (decided === null) return null;
  const { kind, retryAfter, maxRetries, priority, ...others } = decided;
  const after = typeof retryAfter === 'number' ? `${retryAfter} s after its failure` : print(retryAfter);
  return [
    kind !== undefined && print(kind),
    retryAfter !== undefined && `retry ${after}`,
    maxRetries !== undefined && `at most ${print(maxRetries)} retries`,
    priority !== undefined && `priority ${print(priority)}`,
    ...Object.entries(others).map(([name, value]) => `${name} ${print(value)}`),
  ]
    .filter((part) => part !== false)
    .join(', ');
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
