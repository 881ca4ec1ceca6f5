/** Counts changes. A caller that waits for the next change also sees those that happened before it waited. */
export function watchChanges() {
  let count = 0;
  let next = Promise.withResolvers<void>();
  return {
    count: () => count,
    announce() {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
    },
    /** Resolves once the count exceeds `known`. */
    async after(known: number): Promise<void> {
      while (count <= known) await next.promise;
    },
    /** Resolves once the count exceeds `known`, or after `ms`. */
    async within(ms: number, known: number): Promise<void> {
      const timeout = Promise.withResolvers<void>();
      const timer = setTimeout(timeout.resolve, ms);
      await Promise.race([timeout.promise, this.after(known)]).finally(() => clearTimeout(timer));
    },
  };
}
