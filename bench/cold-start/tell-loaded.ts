import { createRequire } from 'node:module';

// Preloaded into a function. At its end the last line of its output lists the modules that it has loaded.
const { cache } = createRequire(import.meta.url);
process.on('exit', () => process.stdout.write(`\n${JSON.stringify(Object.keys(cache))}`));
