/** So many batches in one call at most: what a storm left behind is the work of several calls. */
const mostBatches = 25;

/** Calls `work`, which tells how much it did, until that was less than a full batch. Returns the sum. */
export async function repeatBatches(fullBatch: number, work: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < mostBatches; batch++) {
    const done = await work();
    total += done;
    if (done < fullBatch) break;
  }
  return total;
}
