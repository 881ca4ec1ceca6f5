/** A promise of the next change, taken before a look at the state, also resolves for one during the look. */
export function watchChanges() {
  let change = Promise.withResolvers<void>();
  return {
    next: () => change.promise,
    announce() {
      change.resolve();
      change = Promise.withResolvers();
    },
  };
}

/** Resolves with a change, or after `ms`. */
export async function waitFor(change: Promise<void>, ms: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, ms);
  await Promise.race([change, timeout.promise]).finally(() => clearTimeout(timer));
}
