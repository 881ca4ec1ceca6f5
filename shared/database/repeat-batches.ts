/** Calls `work`, which returns the size of a batch, until one is not full or `maxMs` are over. Returns the sum. */
export async function repeatBatches(fullBatch: number, work: () => Promise<number>, maxMs = 10_000) {
  const endsAt = Date.now() + maxMs;
  let total = 0;
  let done: number;
  do {
    done = await work();
    total += done;
  } while (done >= fullBatch && Date.now() < endsAt);
  return total;
}
