/** The row of a statement that works on a batch: how many rows it is `done` with. */
export type Batch = { readonly done: number };

/** Calls `work` until it does less than a `full` batch, or `maxMs` are over. Returns the sum. */
export async function repeatBatches(full: number, work: () => Promise<readonly Batch[]>, maxMs = 10_000) {
  const endsAt = Date.now() + maxMs;
  for (let total = 0; ; ) {
    const [{ done } = { done: 0 }] = await work();
    total += done;
    if (done < full || Date.now() >= endsAt) return total;
  }
}
