import { subscribe } from 'node:diagnostics_channel';
import { flushCompileCache } from 'node:module';

// Node.js writes what it compiled when a process exits, and tests kill theirs: each start would compile anew.
for (const name of ['tracing:net.server.listen:asyncEnd', 'http.server.response.finish'])
  subscribe(name, () => flushCompileCache());
