/** A counter of changes. A caller that waits for the next change also sees those that happened before it waited. */
export type Changes = {
  count(): number;
  announce(): void;
  /** Resolves once the count exceeds `known`. */
  after(known: number): Promise<void>;
};

export function watchChanges(): Changes {
  let count = 0;
  let next = Promise.withResolvers<void>();
  return {
    count: () => count,
    announce() {
      count += 1;
      next.resolve();
      next = Promise.withResolvers();
    },
    async after(known) {
      while (count <= known) await next.promise;
    },
  };
}
