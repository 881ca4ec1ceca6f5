/** The words of dead letter tables for each status, in lower case. Other words need a mapping file. */
const known = {
  PENDING: 'pending new open queued waiting ready retry retrying retriable retryable unresolved unprocessed',
  PROCESSING: 'processing in_progress running claimed locked',
  SUCCEEDED: 'succeeded success successful done completed complete processed resolved reprocessed',
  FAILED_PERMANENTLY:
    'failed_permanently permanently_failed permanent_failed permanent_failure dead exhausted poison',
  DISCARDED: 'discarded ignored skipped cancelled canceled dismissed',
};

export const statuses = Object.keys(known);

/** From a word in lower case to the status it stands for. */
export type Words = Readonly<Record<string, string>>;

/** The words of the articles and of `given`, which takes precedence. */
export function readWords(given: Words = {}): Words {
  const words = Object.entries(known).flatMap(([status, list]) =>
    list.split(' ').map((word) => [word, status]),
  );
  const own = Object.entries(given).map(([word, status]) => [word.toLowerCase(), status]);
  return Object.fromEntries([...words, ...own]);
}
