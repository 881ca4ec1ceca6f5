/** Tells those who wait that something has changed, also where it did before they began to. */
export type Changes = {
  count(): number;
  announce(): void;
  /** Resolves once there are more changes than `seen`. */
  after(seen: number): Promise<void>;
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
    async after(seen) {
      while (count <= seen) await next.promise;
    },
  };
}
