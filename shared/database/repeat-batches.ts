/** Batches per call: a large backlog takes several calls. */
const maxBatches = 25;

/** Calls `work`, which returns the size of a batch, up to 25 times until one is not full. Returns the sum. */
export async function repeatBatches(fullBatch: number, work: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < maxBatches; batch++) {
    const done = await work();
    total += done;
    if (done < fullBatch) break;
  }
  return total;
}
