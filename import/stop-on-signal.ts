/**
 * Returns a signal that the first SIGINT or SIGTERM aborts; `onStop` is called then. The second one ends the process as
 * ever, which loses nothing either.
 */
export function stopOnSignal(onStop: () => void): AbortSignal {
  const stopping = new AbortController();
  const stop = () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, stop);
    onStop();
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  return stopping.signal;
}
