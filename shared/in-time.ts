/** Rejects if the result takes longer than so many ms. */
export async function inTime<T>(
  result: Promise<T>,
  ms: number,
  message = `no answer within ${ms} ms`,
): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error(message)), ms);
  return Promise.race([result, timeout.promise]).finally(() => clearTimeout(timer));
}
