/** The one cause that stops the service: a request of the operator, or a failure. */
export type Shutdown = ReturnType<typeof watchForShutdown>;

const requested = Symbol('requested');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const npmIntervalMs = 500;

/** Listens for signals. A second one changes nothing: the shutdown takes up to 10 s. */
export function watchForShutdown() {
  const shutdown = new AbortController();
  const request = () => shutdown.abort(requested);
  for (const signal of signals) process.on(signal, request);
  watchNpm(request);
  return {
    signal: shutdown.signal,
    fail: (error: unknown) => shutdown.abort(error),
    isRequested: () => shutdown.signal.reason === requested,
  };
}

/** A killed npm forwards no signal, and would leave a service without a terminal. */
function watchNpm(request: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  setInterval(() => process.ppid === npm || request(), npmIntervalMs).unref();
}
